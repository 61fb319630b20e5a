// Views over NumPy arrays: what goes into a kernel, and fresh arrays that come out of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace deixis {

namespace nb = nanobind;

template <typename T>
using ArrayIn = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using MatrixIn = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
using ArrayOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

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

// Hands a vector's memory to NumPy without copying it.
template <typename T>
ArrayOut<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return ArrayOut<T>(kept->data(), {kept->size()}, owner);
}

// The same for memory that nobody had to fill with zeros first.
template <typename T>
ArrayOut<T> to_numpy(std::unique_ptr<T[]>&& values, size_t n) {
    T* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return ArrayOut<T>(data, {n}, owner);
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
