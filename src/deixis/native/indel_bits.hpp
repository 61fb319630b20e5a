// Which names of a block may have a long enough LCS with a query, by their sketches alone.
//
// Nearly all the time of a search goes into counting bits. Processors of the last fifteen years have an instruction for
// that, but one wheel must run on older ones too: the version with it is chosen when the core is loaded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "indel_names.hpp"

namespace deixis {

struct QueryBits {
    std::uint64_t sketch, other;
    std::int64_t n_known;  // characters of the query that some name has
};

struct BlockBits {
    const std::uint64_t *sketches, *others;
    std::size_t n_names;
    std::int64_t length;  // of each name
};

// A name's place in its block, and the longest LCS it can have.
struct Reaching {
    std::uint32_t place;
    std::int32_t most_common;
};

namespace indel_bits_detail {

#if defined(__GNUC__)
#define DEIXIS_INLINE inline __attribute__((always_inline))
#else
#define DEIXIS_INLINE inline
#endif

template <typename CountBits>
DEIXIS_INLINE std::size_t reaching(const QueryBits& query, const BlockBits& block, std::int64_t least, Reaching* out,
                                   CountBits&& n_set) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < block.n_names; ++i) {
        auto most = query.n_known - n_set(query.sketch & ~block.sketches[i]);
        if (most < least) continue;
        most -= n_set(query.other & ~block.others[i]);
        if (most < least) continue;
        most = std::min(
            most, block.length - n_set(block.sketches[i] & ~query.sketch) - n_set(block.others[i] & ~query.other));
        out[n] = {static_cast<std::uint32_t>(i), static_cast<std::int32_t>(most)};
        n += most >= least;
    }
    return n;
}

inline std::size_t reaching_anywhere(const QueryBits& query, const BlockBits& block, std::int64_t least,
                                     Reaching* out) {
    return reaching(query, block, least, out,
                    [](std::uint64_t bits) { return static_cast<std::int64_t>(n_bits(bits)); });
}

#if defined(__GNUC__) && defined(__x86_64__) && !defined(__POPCNT__)
#define DEIXIS_CHOOSES_POPCNT
__attribute__((target("popcnt"))) inline std::size_t reaching_by_popcnt(const QueryBits& query, const BlockBits& block,
                                                                        std::int64_t least, Reaching* out) {
    return reaching(query, block, least, out,
                    [](std::uint64_t bits) { return std::int64_t{__builtin_popcountll(bits)}; });
}

inline const bool kHasPopcnt = __builtin_cpu_supports("popcnt");
#endif

}  // namespace indel_bits_detail

// The names that may have an LCS of at least `least` with the query, in order; `out` has room for all. How many.
inline std::size_t may_reach(const QueryBits& query, const BlockBits& block, std::int64_t least, Reaching* out) {
    using namespace indel_bits_detail;
#if defined(DEIXIS_CHOOSES_POPCNT)
    if (kHasPopcnt) return reaching_by_popcnt(query, block, least, out);
#endif
    return reaching_anywhere(query, block, least, out);
}

}  // namespace deixis
