// How the names of an Indel index are stored: as numbers of characters, and as bits that bound how alike two can be.
//
// Characters are numbered by how frequent they are in the names; a number takes one byte below 128, two below 16,384
// and three above. They are counted in 64 buckets, number modulo 64, so that frequent characters have a bucket each. A
// bit of a name's sketch says whether one of its counts reaches some level; which ones are asked is chosen when the
// index is built. A bit that only the first of two names has stands for a character of it that the other cannot match:
// merging characters in a bucket, and leaving counts out, only makes such bits fewer. So the longest common subsequence
// is no longer than the first name less its bits that the second lacks, and the other way round.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace deixis {

inline constexpr std::size_t kBuckets = 64;  // in which the characters of a name are counted
inline constexpr std::size_t kBits = 64;     // of a sketch; a name has two, of which the first tells most

using Counts = std::array<std::uint8_t, kBuckets>;

inline void count_character(std::uint32_t number, Counts& counts) {
    auto& count = counts[number % kBuckets];
    count = static_cast<std::uint8_t>(count + (count < 255));
}

// A sketch of a name: bit i is whether bucket[i] counts at least level[i].
inline std::uint64_t sketch_of(const Counts& counts, const std::uint8_t* buckets, const std::uint8_t* levels) {
    std::uint64_t sketch = 0;
    for (std::size_t bit = 0; bit < kBits; ++bit)
        sketch |= std::uint64_t{counts[buckets[bit] % kBuckets] >= levels[bit]} << bit;
    return sketch;
}

// How many bits are set. Shifts and sums only: compilers do several at once with what every machine has.
inline std::uint64_t n_bits(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    bits += bits >> 8;
    bits += bits >> 16;
    bits += bits >> 32;
    return bits & 0x7f;
}

inline void append_number(std::uint32_t number, std::vector<std::uint8_t>& out) {
    for (; number >= 0x80; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 0x80));
    out.push_back(static_cast<std::uint8_t>(number));
}

}  // namespace deixis
