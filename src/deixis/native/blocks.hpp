// How a block index is stored, for building and searching it.
//
// The weights of a column stand in runs, one for each block that has the column. A run keeps the number of its block in
// two bytes: blocks are cut into shards of 65,536, and `column_starts` says where the runs of each column begin in each
// shard. Where the entries of a run begin is kept in two bytes as well, counted from a mark that stands before every
// 256 runs. The first columns may be flat: all weights of a flat one are its largest, so they have no codes and no
// maxima. Descriptions have only such columns but for the last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "border.hpp"

namespace deixis {

inline constexpr size_t kMaxBlockSize = 256;   // a row's place in its block has one byte
inline constexpr size_t kShardBlocks = 65536;  // a block's number in its shard has two
inline constexpr size_t kMarkRuns = 256;       // between two marks: their entries can be counted in two bytes
inline constexpr uint8_t kMaxCode = 255;       // the largest weight of a column

inline void check_block_size(int64_t block_size) {
    check_within("block_size", static_cast<double>(block_size), 1, kMaxBlockSize);
}

inline int64_t n_shards_of(int64_t n_blocks) {
    constexpr auto kSize = static_cast<int64_t>(kShardBlocks);
    return n_blocks <= kSize ? 1 : (n_blocks + kSize - 1) / kSize;
}

}  // namespace deixis
