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

// A fresh array of NumPy.
template <typename T>
struct ArrayOut {
    nb::object array;
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

// How NumPy's arrays begin in memory: the fields that its headers read, the same in all of its versions.
struct NumpyArray {
    PyObject head;
    void* data;
    int n_dims;
    const Py_ssize_t *shape, *strides;
    PyObject *base, *dtype;
    int flags;
};

template <typename T>
std::string type_name() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    const char* kind = std::is_floating_point_v<T> ? "float" : std::is_signed_v<T> ? "int" : "uint";
    return kind + std::to_string(8 * sizeof(T));
}

// An attribute of the module numpy, and an array of a type that nobody has written to.
PyObject* numpy_attribute(const char* name);
nb::object empty_array(size_t n, PyObject* type);

// NumPy's type of such numbers, of which there is one object.
template <typename T>
PyObject* numpy_type() {
    static PyObject* type = nullptr;
    if (type == nullptr)
        type = nb::steal(PyObject_CallFunction(nb::steal(numpy_attribute("dtype")).ptr(), "s", type_name<T>().c_str()))
                   .release()
                   .ptr();
    return type;
}

// Hands memory to NumPy. What is small is copied: that takes less time than to say who frees it.
template <typename T, typename Owner>
ArrayOut<T> handed_over(T* data, size_t n, Owner&& release) {
    constexpr size_t kCopied = 1 << 13;  // bytes
    if (n * sizeof(T) <= kCopied) {
        nb::object array = empty_array(n, numpy_type<T>());
        if (n > 0) std::memcpy(reinterpret_cast<NumpyArray*>(array.ptr())->data, data, n * sizeof(T));
        return {std::move(array)};
    }
    return {nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {n}, release()))};
}

// A vector as an array.
template <typename T>
ArrayOut<T> to_numpy(std::vector<T>&& values) {
    return handed_over(values.data(), values.size(), [&values] {
        auto* kept = new std::vector<T>(std::move(values));
        return nb::capsule(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    });
}

// The same for memory that nobody had to fill with zeros first.
template <typename T>
ArrayOut<T> to_numpy(std::unique_ptr<T[]>&& values, size_t n) {
    return handed_over(values.get(), n, [&values] {
        return nb::capsule(values.release(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    });
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

// Stubs show the array's type.
template <typename T>
struct type_caster<deixis::ArrayOut<T>> {
    NB_TYPE_CASTER(deixis::ArrayOut<T>, (make_caster<ndarray<numpy, T, ndim<1>>>::Name))

    static handle from_cpp(const deixis::ArrayOut<T>& value, rv_policy, cleanup_list*) noexcept {
        return value.array.inc_ref();
    }
};

}  // namespace nanobind::detail
