// Views over NumPy arrays: what goes into a kernel, and fresh arrays that come out of one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace deixis {

namespace nb = nanobind;

template <typename T>
using ArrayIn = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using ArrayOut = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A sparse matrix by rows. Python's side guarantees that it is well formed.
struct CsrView {
    const std::int64_t* indptr;
    const std::int32_t* indices;
    const float* data;
    std::int64_t n_rows;

    CsrView(const std::int64_t* p, const std::int32_t* i, const float* d, std::int64_t n)
        : indptr(p), indices(i), data(d), n_rows(n) {}

    CsrView(const ArrayIn<std::int64_t>& p, const ArrayIn<std::int32_t>& i, const ArrayIn<float>& d)
        : indptr(p.data()), indices(i.data()), data(d.data()), n_rows(static_cast<std::int64_t>(p.shape(0)) - 1) {}

    std::int64_t nnz(std::int64_t row) const { return indptr[row + 1] - indptr[row]; }
};

// Hands a vector's memory to NumPy without copying it.
template <typename T>
ArrayOut<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return ArrayOut<T>(kept->data(), {kept->size()}, owner);
}

}  // namespace deixis
