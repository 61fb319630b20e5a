// One look at a sparse matrix before the kernels trust it, and the numbers that bound every array.
#include "border.hpp"

#include <bit>

namespace deixis {

void refuse_array(const std::string& name, const std::string& type, int n_dims, nb::handle given) {
    const auto text_of = [&](const char* attribute) {
        return std::string(nb::str(nb::getattr(given, attribute)).c_str());
    };
    std::ostringstream message;
    message << name << " must be a contiguous array of " << type << " with " << n_dims << " dimension(s), got ";
    if (nb::hasattr(given, "dtype") && nb::hasattr(given, "flags")) {
        message << text_of("dtype") << " of shape " << text_of("shape");
        if (!nb::cast<bool>(nb::getattr(nb::getattr(given, "flags"), "c_contiguous"))) message << ", not contiguous";
    } else {
        message << nb::type_name(given.type()).c_str();
    }
    throw nb::type_error((message.str() + ".").c_str());
}

PyObject* numpy_attribute(const char* name) {
    return nb::object(nb::module_::import_("numpy").attr(name)).release().ptr();
}

nb::object empty_array(size_t n, PyObject* type) {
    static PyObject* empty = nullptr;
    if (empty == nullptr) empty = numpy_attribute("empty");
    const nb::object size = nb::steal(PyLong_FromSize_t(n));
    PyObject* arguments[] = {size.ptr(), type};
    nb::object array = nb::steal(PyObject_Vectorcall(empty, arguments, 2, nullptr));
    if (!array.is_valid()) nb::raise_python_error();
    return array;
}

const NumpyArray* numpy_array(nb::handle given) {
    static PyObject* type = nullptr;
    if (type == nullptr) type = numpy_attribute("ndarray");
    if (!PyObject_TypeCheck(given.ptr(), reinterpret_cast<PyTypeObject*>(type))) return nullptr;
    constexpr int kContiguous = 0x1, kAligned = 0x100;
    const auto* array = reinterpret_cast<const NumpyArray*>(given.ptr());
    return (array->flags & kContiguous) != 0 && (array->flags & kAligned) != 0 ? array : nullptr;
}

// The worst first: rows or columns that lie outside, values that are no numbers, columns that do not ascend within a
// row.
RowsState state_of(const CsrView& rows, int64_t n_columns) {
    const int64_t* starts = rows.indptr;
    const int32_t* columns = rows.indices;
    const int64_t n_items = starts[rows.n_rows];
    for (int64_t row = 0; row < rows.n_rows; ++row)
        if (starts[row + 1] < starts[row]) return RowsState::kDamaged;
    bool is_outside = false, is_infinite = false, is_unsorted = false;
    for (int64_t i = 0; i < n_items; ++i) is_outside |= columns[i] < 0 || columns[i] >= n_columns;
    if (is_outside) return RowsState::kDamaged;
    constexpr uint32_t kExponent = 0x7f800000u;  // all set in NaN and infinity only
    for (int64_t i = 0; i < n_items; ++i)
        is_infinite |= (std::bit_cast<uint32_t>(rows.data[i]) & kExponent) == kExponent;
    if (is_infinite) return RowsState::kNotFinite;
    for (int64_t row = 0; row < rows.n_rows; ++row)
        for (int64_t i = starts[row] + 1; i < starts[row + 1]; ++i) is_unsorted |= columns[i] <= columns[i - 1];
    return is_unsorted ? RowsState::kUnsorted : RowsState::kSound;
}

namespace {

constexpr int32_t kMaxNumber = std::numeric_limits<int32_t>::max();  // columns and groups have four bytes

RowsState check_rows(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int64_t n_columns) {
    const auto n_starts = static_cast<int64_t>(indptr.shape(0));
    const auto n_items = static_cast<int64_t>(indices.shape(0));
    if (n_starts == 0 || indptr.data()[0] != 0 || indptr.data()[n_starts - 1] != n_items ||
        static_cast<int64_t>(data.shape(0)) != n_items)
        return RowsState::kDamaged;
    return state_of({indptr.data(), indices.data(), data.data(), n_starts - 1}, n_columns);
}

}  // namespace

void bind_border(nb::module_& m) {
    m.attr("MAX_COLUMNS") = kMaxNumber;
    m.attr("MAX_GROUPS") = kMaxNumber;
    nb::enum_<RowsState>(m, "RowsState", nb::is_arithmetic(), "What check_rows found.")
        .value("SOUND", RowsState::kSound)
        .value("UNSORTED", RowsState::kUnsorted, "Columns do not ascend within a row.")
        .value("NOT_FINITE", RowsState::kNotFinite, "Values are no numbers.")
        .value("DAMAGED", RowsState::kDamaged, "Rows or columns lie outside.");
    define(m, "check_rows", &check_rows, {"indptr", "indices", "data", "n_columns"},
           "What hinders the kernels in a sparse matrix, the worst of it.");
}

}  // namespace deixis
