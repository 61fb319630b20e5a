// What building a block index and searching it share: how large blocks and indexes may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "border.hpp"

namespace deixis {

inline constexpr size_t kMaxBlockSize = 256;                                 // a row's place in its block has one byte
inline constexpr size_t kMaxEntries = std::numeric_limits<uint32_t>::max();  // where a run begins has four

inline void check_block_size(int64_t block_size) {
    check_within("block_size", static_cast<double>(block_size), 1, kMaxBlockSize);
}

}  // namespace deixis
