// Views over NumPy arrays: what goes into a kernel, and fresh arrays that come out of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

namespace deixis {

namespace nb = nanobind;

template <typename T>
using ArrayIn = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using MatrixIn = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A fresh array of one dimension, which is NumPy's.
template <typename T>
struct ArrayOut {
    nb::object object;
};

// Arrays of several types in a dict.
using ArraysByName = nb::typed<nb::dict, nb::str, nb::ndarray<nb::numpy>>;

// A sparse matrix by rows; csr_view (border.hpp) makes one of three arrays.
struct CsrView {
    const int64_t* indptr;
    const int32_t* indices;
    const float* data;
    int64_t n_rows;

    int64_t nnz(int64_t row) const { return indptr[row + 1] - indptr[row]; }
};

template <typename T>
std::string type_name() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    const char* kind = std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "int" : "uint";
    return kind + std::to_string(8 * sizeof(T));
}

// Arrays up to this many bytes are copied into one that NumPy makes: that takes a third of the time that handing memory
// over takes, and an answer about one name or one row is a handful of such arrays.
inline constexpr size_t kSmallArray = 4096;

// What makes NumPy's arrays and their types, looked for once and never freed.
inline nb::handle numpy_empty;
template <typename T>
inline nb::handle numpy_type;

template <typename T>
ArrayOut<T> copied(const T* items, size_t n) {
    if (!numpy_type<T>.is_valid()) {
        const nb::module_ numpy = nb::module_::import_("numpy");
        numpy_empty = nb::object(numpy.attr("empty")).release();
        numpy_type<T> = numpy.attr("dtype")(type_name<T>()).release();
    }
    ArrayOut<T> array{numpy_empty(n, numpy_type<T>)};
    Py_buffer memory;
    if (PyObject_GetBuffer(array.object.ptr(), &memory, PyBUF_WRITABLE) != 0) throw nb::python_error();
    if (n > 0) std::memcpy(memory.buf, items, n * sizeof(T));
    PyBuffer_Release(&memory);
    return array;
}

// Gives memory to NumPy without copying it; `owner` frees it.
template <typename T>
ArrayOut<T> handed_over(T* items, size_t n, nb::handle owner) {
    return {nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(items, {n}, owner))};
}

template <typename T>
ArrayOut<T> to_numpy(std::vector<T>&& values) {
    const size_t n = values.size();
    if (n * sizeof(T) <= kSmallArray) return copied(values.data(), n);
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return handed_over(kept->data(), n, owner);
}

// The same for memory that nobody had to fill with zeros first.
template <typename T>
ArrayOut<T> to_numpy(std::unique_ptr<T[]>&& values, size_t n) {
    if (n * sizeof(T) <= kSmallArray) return copied(values.get(), n);
    T* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return handed_over(data, n, owner);
}

// A column: one value of every item of every part, in order.
template <typename Item, typename Fn>
auto column_of(const std::vector<std::vector<Item>>& parts, int64_t n, Fn&& value_of) {
    std::vector<std::remove_cvref_t<std::invoke_result_t<Fn&, const Item&>>> values;
    values.reserve(static_cast<size_t>(n));
    for (const auto& part : parts)
        for (const Item& item : part) values.push_back(value_of(item));
    return to_numpy(std::move(values));
}

// The same of the items of one part.
template <typename Item, typename Fn>
auto column_of(const std::vector<Item>& items, Fn&& value_of) {
    std::vector<std::remove_cvref_t<std::invoke_result_t<Fn&, const Item&>>> values(items.size());
    std::transform(items.begin(), items.end(), values.begin(), value_of);
    return to_numpy(std::move(values));
}

// Where the items of each row start once all rows are joined, and a column for each function of an item.
template <typename Item, typename... Fns>
auto joined_rows(const std::vector<std::vector<Item>>& rows, Fns&&... values_of) {
    std::vector<int64_t> starts{0};
    starts.reserve(rows.size() + 1);
    for (const auto& row : rows) starts.push_back(starts.back() + static_cast<int64_t>(row.size()));
    const int64_t n = starts.back();
    return std::make_tuple(to_numpy(std::move(starts)), column_of(rows, n, values_of)...);
}

// Appends a part to the whole and gives its memory back at once: the whole is never held twice.
template <typename T>
void move_to_end(std::vector<T>& whole, std::vector<T>& part) {
    whole.insert(whole.end(), part.begin(), part.end());
    std::vector<T>().swap(part);
}

// Sums of counts in place: [0, 2, 1] becomes [0, 2, 3].
inline void accumulate(std::vector<int64_t>& counts) {
    for (size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}

}  // namespace deixis

namespace nanobind::detail {

// Gives Python the array; stubs show its type.
template <typename T>
struct type_caster<deixis::ArrayOut<T>> {
    NB_TYPE_CASTER(deixis::ArrayOut<T>, (make_caster<ndarray<numpy, T, ndim<1>>>::Name))

    static handle from_cpp(const deixis::ArrayOut<T>& array, rv_policy, cleanup_list*) noexcept {
        return array.object.inc_ref();
    }
};

}  // namespace nanobind::detail
