// Dot products of chosen pairs of sparse rows.
#include <bit>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

// One row, looked up by column; small enough to stay in a near cache, whatever the number of columns.
class RowTable {
public:
    void fill(const CsrView& rows, size_t row) {
        if (rows.nnz(row) >= (1 << 28)) refuse("Left row ", row, " has 2^28 columns or more; fewer can be looked up.");
        const auto n_slots =
            std::bit_ceil(static_cast<uint32_t>(8 * rows.nnz(row) + 2));  // mostly empty: short searches
        shift_ = 32 - std::countr_zero(n_slots);
        last_ = n_slots - 1;
        slots_.assign(n_slots, Slot{});
        for (auto i = rows.indptr[row]; i < rows.indptr[row + 1]; ++i) {
            auto slot = first(rows.indices[i]);
            while (slots_[slot].column != kEmpty) slot = (slot + 1) & last_;
            slots_[slot] = {rows.indices[i], rows.data[i]};
        }
    }

    float at(int32_t column) const {
        for (auto slot = first(column);; slot = (slot + 1) & last_) {
            if (slots_[slot].column == kEmpty) return 0.0f;
            if (slots_[slot].column == column) return slots_[slot].value;
        }
    }

private:
    static constexpr int32_t kEmpty = -1;
    struct Slot {
        int32_t column = kEmpty;
        float value = 0.0f;
    };

    uint32_t first(int32_t column) const { return (static_cast<uint32_t>(column) * 2654435769u) >> shift_; }

    std::vector<Slot> slots_;
    uint32_t last_ = 0;
    int shift_ = 31;
};

ArrayOut<float> row_dots(ArrayIn<int64_t> left_indptr, ArrayIn<int32_t> left_indices, ArrayIn<float> left_data,
                         ArrayIn<int64_t> starts, ArrayIn<int64_t> right_indptr, ArrayIn<int32_t> right_indices,
                         ArrayIn<float> right_data, ArrayIn<int64_t> partners, int n_threads) {
    const CsrView lefts = csr_view({"left_indptr", "left_indices", "left_data"}, left_indptr, left_indices, left_data);
    const CsrView rights =
        csr_view({"right_indptr", "right_indices", "right_data"}, right_indptr, right_indices, right_data);
    check_starts("starts", starts, static_cast<size_t>(lefts.n_rows), partners.shape(0));
    check_numbers("partners", partners, rights.n_rows);
    std::vector<float> dots(partners.shape(0));
    const auto n_rows = static_cast<size_t>(lefts.n_rows);
    std::vector<RowTable> tables(worker_count(n_rows, n_threads));
    parallel_for(n_rows, n_threads, [&](size_t row, int worker) {
        if (starts.data()[row] == starts.data()[row + 1]) return;
        RowTable& left = tables[worker];
        left.fill(lefts, row);
        for (auto pair = starts.data()[row]; pair < starts.data()[row + 1]; ++pair) {
            const auto partner = partners.data()[pair];
            const auto begin = rights.indptr[partner], end = rights.indptr[partner + 1];
            double dot = 0.0;
            for (auto i = begin; i < end; ++i) dot += static_cast<double>(rights.data[i]) * left.at(rights.indices[i]);
            dots[pair] = static_cast<float>(dot);
        }
    });
    return to_numpy(std::move(dots));
}

}  // namespace

void bind_row_dots(nb::module_& m) {
    define(m, "row_dots", &row_dots,
           {"left_indptr", "left_indices", "left_data", "starts", "right_indptr", "right_indices", "right_data",
            "partners", "n_threads"},
           "The dot product of each left row with each of its partners.");
}

}  // namespace deixis
