// The arrays of a block index, from sparse rows in their final order: weights by column, within a column by block.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "blocks.hpp"
#include "border.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

// What is known of a column in a shard while its weights are counted, and then while they are put in their places.
struct Column {
    int64_t n_entries = 0, n_runs = 0;  // later: where the next entry and the next run go
    int32_t last_block = -1;
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

// Where runs begin, from how many entries each has: counted from marks, in place. The marks.
std::vector<int64_t> marked_starts(std::vector<uint16_t>& counts) {
    std::vector<int64_t> marks;
    int64_t n_before = 0;
    for (size_t run = 0; run < counts.size(); ++run) {
        if (run % kMarkRuns == 0) marks.push_back(n_before);
        n_before += std::exchange(counts[run], static_cast<uint16_t>(n_before - marks.back()));
    }
    return marks;
}

auto build_blocks(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int64_t n_columns,
                  int64_t block_size) {
    const CsrView rows = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_block_size(block_size);
    const auto n_shards =
        n_shards_of(static_cast<int64_t>(run_count(static_cast<size_t>(rows.n_rows), static_cast<size_t>(block_size))));
    const auto shard_of = [&](int32_t number, int32_t block) {
        return number * n_shards + block / static_cast<int32_t>(kShardBlocks);
    };
    std::vector<Column> columns(n_columns * n_shards);
    std::vector<float> scales(n_columns, 0);  // largest weights until all are known
    for_each_weight(rows, block_size, [&](int32_t block, size_t, int32_t number, float weight) {
        auto& column = columns[shard_of(number, block)];
        ++column.n_entries;
        column.n_runs += column.last_block != block;
        column.last_block = block;
        scales[number] = std::max(scales[number], weight);
    });
    std::vector<uint32_t> column_starts(columns.size() + 1);
    int64_t n_entries = 0, n_runs = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
        column_starts[i] = static_cast<uint32_t>(n_runs);
        n_entries += std::exchange(columns[i].n_entries, n_entries);
        n_runs += std::exchange(columns[i].n_runs, n_runs);
        columns[i].last_block = -1;
    }
    column_starts[columns.size()] = static_cast<uint32_t>(n_runs);
    if (n_runs > std::numeric_limits<uint32_t>::max())
        refuse("The rows have weights in ", n_runs, " pairs of a block and a column; 4,294,967,295 can be kept.");
    std::vector<uint16_t> blocks(n_runs), entry_starts(n_runs + 1, 0);  // counts until all are known
    std::vector<uint8_t> maxima(n_runs, 0), places(n_entries), codes(n_entries);
    auto n_flat = n_columns;  // columns
    for_each_weight(rows, block_size, [&](int32_t block, size_t place, int32_t number, float weight) {
        auto& column = columns[shard_of(number, block)];
        if (column.last_block != block) {
            column.last_block = block;
            blocks[column.n_runs++] = static_cast<uint16_t>(block % static_cast<int32_t>(kShardBlocks));
        }
        const auto code = static_cast<uint8_t>(std::max(1.0f, std::nearbyint(weight / scales[number] * kMaxCode)));
        auto& maximum = maxima[column.n_runs - 1];
        maximum = std::max(maximum, code);
        ++entry_starts[column.n_runs - 1];
        places[column.n_entries] = static_cast<uint8_t>(place);
        codes[column.n_entries++] = code;
        if (code != kMaxCode) n_flat = std::min<int64_t>(n_flat, number);
    });
    auto entry_marks = marked_starts(entry_starts);
    const auto n_flat_runs = column_starts[n_flat * n_shards];
    const auto n_flat_entries = entry_marks[n_flat_runs / kMarkRuns] + entry_starts[n_flat_runs];
    maxima.erase(maxima.begin(), maxima.begin() + n_flat_runs);
    codes.erase(codes.begin(), codes.begin() + n_flat_entries);
    for (auto& scale : scales) scale /= kMaxCode;
    return std::make_tuple(to_numpy(std::move(column_starts)), to_numpy(std::move(blocks)), to_numpy(std::move(maxima)),
                           to_numpy(std::move(entry_starts)), to_numpy(std::move(entry_marks)),
                           to_numpy(std::move(places)), to_numpy(std::move(codes)), to_numpy(std::move(scales)));
}

}  // namespace

void bind_block_build(nb::module_& m) {
    m.attr("MAX_BLOCK_SIZE") = kMaxBlockSize;
    m.attr("SHARD_BLOCKS") = kShardBlocks;
    m.attr("MARK_RUNS") = kMarkRuns;
    define(m, "build_blocks", &build_blocks, {"indptr", "indices", "data", "n_columns", "block_size"},
           "The arrays of a block index, in the order in which BlockSearch takes them.");
}

}  // namespace deixis
