// How the names of an Indel index are stored: as numbers of characters, and as bits that bound how alike two can be.
//
// Characters are numbered by how frequent they are in the names; a number takes one byte below 128, two below 16,384
// and three above. They are counted in 64 buckets, number modulo 64, so that frequent characters have a bucket each. A
// bit of a name's sketch says whether one of its counts reaches some level; which ones are asked is chosen when the
// index is built. A bit that only the first of two names has stands for a character of it that the other cannot match:
// merging characters in a bucket, and leaving counts out, only makes such bits fewer. So the longest common subsequence
// is no longer than the first name less its bits that the second lacks, and the other way round.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace deixis {

inline constexpr size_t kBuckets = 64;  // in which the characters of a name are counted
inline constexpr size_t kBits = 64;     // of a sketch; a name has two, of which the first tells most

using Counts = std::array<uint8_t, kBuckets>;

inline void count_character(uint32_t number, Counts& counts) {
    auto& count = counts[number % kBuckets];
    count = static_cast<uint8_t>(count + (count < 255));
}

// A sketch of a name: bit i is whether bucket[i] counts at least level[i].
inline uint64_t sketch_of(const Counts& counts, const uint8_t* buckets, const uint8_t* levels) {
    uint64_t sketch = 0;
    for (size_t bit = 0; bit < kBits; ++bit) sketch |= uint64_t{counts[buckets[bit] % kBuckets] >= levels[bit]} << bit;
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

// --- Sketches against sketches ------------------------------------------------------------------------------------
//
// Nearly all the time of a search goes into counting bits. Processors of the last fifteen years have an instruction for
// that, but one wheel must run on older ones too: the version with it is chosen when the core is loaded.

struct QueryBits {
    uint64_t sketch, other;
    int64_t n_known;  // characters of the query that some name has
};

struct BlockBits {
    const uint64_t *sketches, *others;
    size_t n_names;
    int64_t length;  // of each name
};

// A name's place in its block, and the longest LCS it can have.
struct Reaching {
    uint32_t place;
    int32_t most_common;
};

namespace indel_detail {

#if defined(__GNUC__)
#define DEIXIS_INLINE inline __attribute__((always_inline))
#else
#define DEIXIS_INLINE inline
#endif

template <typename CountBits>
DEIXIS_INLINE size_t reaching(const QueryBits& query, const BlockBits& block, int64_t least, Reaching* out,
                              CountBits&& n_set) {
    size_t n = 0;
    for (size_t i = 0; i < block.n_names; ++i) {
        auto most = query.n_known - n_set(query.sketch & ~block.sketches[i]);
        if (most < least) continue;
        most -= n_set(query.other & ~block.others[i]);
        if (most < least) continue;
        most = std::min(
            most, block.length - n_set(block.sketches[i] & ~query.sketch) - n_set(block.others[i] & ~query.other));
        out[n] = {static_cast<uint32_t>(i), static_cast<int32_t>(most)};
        n += most >= least;
    }
    return n;
}

inline size_t reaching_anywhere(const QueryBits& query, const BlockBits& block, int64_t least, Reaching* out) {
    return reaching(query, block, least, out, [](uint64_t bits) { return static_cast<int64_t>(n_bits(bits)); });
}

#if defined(__GNUC__) && defined(__x86_64__) && !defined(__POPCNT__)
#define DEIXIS_CHOOSES_POPCNT
__attribute__((target("popcnt"))) inline size_t reaching_by_popcnt(const QueryBits& query, const BlockBits& block,
                                                                   int64_t least, Reaching* out) {
    return reaching(query, block, least, out, [](uint64_t bits) { return int64_t{__builtin_popcountll(bits)}; });
}

inline const bool kHasPopcnt = __builtin_cpu_supports("popcnt");
#endif

}  // namespace indel_detail

// The names that may have an LCS of at least `least` with the query, in order; `out` has room for all. How many.
inline size_t may_reach(const QueryBits& query, const BlockBits& block, int64_t least, Reaching* out) {
    using namespace indel_detail;
#if defined(DEIXIS_CHOOSES_POPCNT)
    if (kHasPopcnt) return reaching_by_popcnt(query, block, least, out);
#endif
    return reaching_anywhere(query, block, least, out);
}

}  // namespace deixis
