// One look at a sparse matrix before the kernels trust it.
#include <bit>
#include <cstdint>

#include "arrays.hpp"

namespace deixis {
namespace {

enum RowsState : int { kSound = 0, kUnsorted = 1, kNotFinite = 2, kDamaged = 3 };

// What hinders the kernels, the worst first: rows or columns that lie outside, values that are no numbers, columns
// that do not ascend within a row.
int check_rows(ArrayIn<std::int64_t> indptr, ArrayIn<std::int32_t> indices, ArrayIn<float> data,
               std::int64_t n_columns) {
    const auto n_starts = static_cast<std::int64_t>(indptr.shape(0));
    const auto n_items = static_cast<std::int64_t>(indices.shape(0));
    const std::int64_t* starts = indptr.data();
    const std::int32_t* columns = indices.data();
    if (n_starts == 0 || starts[0] != 0 || starts[n_starts - 1] != n_items ||
        static_cast<std::int64_t>(data.shape(0)) != n_items)
        return kDamaged;
    for (std::int64_t row = 1; row < n_starts; ++row)
        if (starts[row] < starts[row - 1]) return kDamaged;
    bool is_outside = false, is_infinite = false, is_unsorted = false;
    for (std::int64_t i = 0; i < n_items; ++i) is_outside |= columns[i] < 0 || columns[i] >= n_columns;
    if (is_outside) return kDamaged;
    constexpr std::uint32_t kExponent = 0x7f800000u;  // all set in NaN and infinity only
    for (std::int64_t i = 0; i < n_items; ++i)
        is_infinite |= (std::bit_cast<std::uint32_t>(data.data()[i]) & kExponent) == kExponent;
    if (is_infinite) return kNotFinite;
    for (std::int64_t row = 1; row < n_starts; ++row)
        for (std::int64_t i = starts[row - 1] + 1; i < starts[row]; ++i) is_unsorted |= columns[i] <= columns[i - 1];
    return is_unsorted ? kUnsorted : kSound;
}

}  // namespace

void bind_sparse_rows(nb::module_& m) {
    m.def("check_rows", &check_rows, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("n_columns"));
}

}  // namespace deixis
