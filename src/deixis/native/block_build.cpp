// The arrays of a block index, from sparse rows in their final order: weights by column, within a column by block.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "blocks.hpp"
#include "border.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

// What is known of a column while its weights are counted, and then while they are put in their places.
struct Column {
    int64_t n_entries = 0, n_runs = 0;  // later: where the next entry and the next run go
    int32_t last_block = -1;
    float largest = 0;
};

// Calls fn(block, place, column, weight) for every weight above 0, row by row.
template <typename Fn>
void for_each_weight(const CsrView& rows, int64_t block_size, Fn&& fn) {
    const auto n_rows = static_cast<size_t>(rows.n_rows);
    parallel_for_runs(n_rows, static_cast<size_t>(block_size), 1, [&](size_t block, size_t first, size_t end) {
        for (auto row = first; row < end; ++row)
            for (auto i = rows.indptr[row]; i < rows.indptr[row + 1]; ++i)
                if (rows.data[i] > 0) fn(static_cast<int32_t>(block), row - first, rows.indices[i], rows.data[i]);
    });
}

auto build_blocks(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int64_t n_columns,
                  int64_t block_size) {
    const CsrView rows = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_block_size(block_size);
    if (indices.shape(0) > kMaxEntries)
        refuse("indices has ", indices.shape(0), " items; an index holds at most ", kMaxEntries, ".");
    std::vector<Column> columns(n_columns);
    for_each_weight(rows, block_size, [&](int32_t block, size_t, int32_t number, float weight) {
        auto& column = columns[number];
        ++column.n_entries;
        column.n_runs += column.last_block != block;
        column.last_block = block;
        column.largest = std::max(column.largest, weight);
    });
    std::vector<int64_t> column_starts(n_columns + 1);
    std::vector<float> scales(n_columns);
    int64_t n_entries = 0, n_runs = 0;
    for (int64_t number = 0; number < n_columns; ++number) {
        auto& column = columns[number];
        column_starts[number] = n_runs;
        scales[number] = column.largest / 255;
        n_entries += std::exchange(column.n_entries, n_entries);
        n_runs += std::exchange(column.n_runs, n_runs);
        column.last_block = -1;
    }
    column_starts[n_columns] = n_runs;
    std::vector<int32_t> blocks(n_runs);
    std::vector<uint32_t> entry_starts(n_runs + 1, static_cast<uint32_t>(n_entries));
    std::vector<uint8_t> maxima(n_runs, 0), places(n_entries), codes(n_entries);
    for_each_weight(rows, block_size, [&](int32_t block, size_t place, int32_t number, float weight) {
        auto& column = columns[number];
        if (column.last_block != block) {
            column.last_block = block;
            blocks[column.n_runs] = block;
            entry_starts[column.n_runs++] = static_cast<uint32_t>(column.n_entries);
        }
        const auto code = static_cast<uint8_t>(std::max(1.0f, std::nearbyint(weight / column.largest * 255)));
        auto& maximum = maxima[column.n_runs - 1];
        maximum = std::max(maximum, code);
        places[column.n_entries] = static_cast<uint8_t>(place);
        codes[column.n_entries++] = code;
    });
    return std::make_tuple(to_numpy(std::move(column_starts)), to_numpy(std::move(blocks)), to_numpy(std::move(maxima)),
                           to_numpy(std::move(entry_starts)), to_numpy(std::move(places)), to_numpy(std::move(codes)),
                           to_numpy(std::move(scales)));
}

}  // namespace

void bind_block_build(nb::module_& m) {
    m.attr("MAX_BLOCK_SIZE") = kMaxBlockSize;
    m.attr("MAX_ENTRIES") = kMaxEntries;
    define(m, "build_blocks", &build_blocks, {"indptr", "indices", "data", "n_columns", "block_size"},
           "The arrays of a block index, in the order in which BlockSearch takes them.");
}

}  // namespace deixis
