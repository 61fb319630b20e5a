// How the names of an Indel index are stored: as numbers of characters, and as bits that bound how alike two can be.
//
// Characters are numbered by how frequent they are in the names; a number takes one byte below 128, two below 16,384
// and three above. They are counted in 64 buckets, number modulo 64, so that frequent characters have a bucket each. A
// bit of a name's sketch says whether one of its counts reaches some level; which ones are asked is chosen when the
// index is built. A bit that only the first of two names has stands for a character of it that the other cannot match:
// merging characters in a bucket, and leaving counts out, only makes such bits fewer. So the longest common subsequence
// is no longer than the first name less its bits that the second lacks, and the other way round. The sketches of a
// block of names are stored by bits (indel_planes.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace deixis {

inline constexpr size_t kBuckets = 64;  // in which the characters of a name are counted
inline constexpr size_t kBits = 128;    // of a sketch
inline constexpr size_t kWord = 64;     // bits of a word of the machine

using Sketch = std::array<uint64_t, kBits / kWord>;

using Counts = std::array<uint8_t, kBuckets>;

inline void count_character(uint32_t number, Counts& counts) {
    auto& count = counts[number % kBuckets];
    count = static_cast<uint8_t>(count + (count < 255));
}

// A sketch of a name: bit i is whether bucket[i] counts at least level[i].
inline Sketch sketch_of(const Counts& counts, const uint8_t* buckets, const uint8_t* levels) {
    Sketch sketch{};
    for (size_t bit = 0; bit < kBits; ++bit)
        sketch[bit / kWord] |= uint64_t{counts[buckets[bit] % kBuckets] >= levels[bit]} << bit % kWord;
    return sketch;
}

// How many bits are set. Shifts and sums only: compilers do several at once with what every machine has.
inline uint64_t n_bits(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    bits += bits >> 8;
    bits += bits >> 16;
    bits += bits >> 32;
    return bits & 0x7f;
}

inline void append_number(uint32_t number, std::vector<uint8_t>& out) {
    for (; number >= 0x80; number >>= 7) out.push_back(static_cast<uint8_t>(number | 0x80));
    out.push_back(static_cast<uint8_t>(number));
}

}  // namespace deixis
