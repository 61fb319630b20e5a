// The sketches of names, bit by bit: what a search reads to leave out 64 names, or 64 blocks of names, at once.
//
// A plane is one bit of the sketches of up to 64 names: a word of the machine. A block has a plane for every bit of a
// sketch, and so has a section of up to 64 blocks, whose planes say which of the blocks have a name with the bit. How
// many of the query's bits each name lacks is counted for all of them together, in counters that are planes too
// (Rinfret, O'Neil & O'Neil, 2001, "Bit-Sliced Index Arithmetic"). The rarest bits come first: after a few of them
// nearly all names lack too many, and the others need not be read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "indel_names.hpp"

namespace deixis {

// The bits of a query, ascending.
struct QueryBits {
    std::array<uint8_t, kBits> places;
    size_t n = 0;

    explicit QueryBits(const Sketch& sketch = {}) {
        for (size_t bit = 0; bit < kBits; ++bit)
            if (sketch[bit / kWord] >> bit % kWord & 1) places[n++] = static_cast<uint8_t>(bit);
    }
};

// The members of a block or a section that lack at most `most` of the query's bits, and how many each lacks.
class Lacking {
public:
    Lacking(const uint64_t* planes, const QueryBits& query, size_t most, uint64_t members) {
        most = std::min(most, query.n);
        n_counters_ = std::bit_width(most);
        counts_before_ = (size_t{1} << n_counters_) - 1 - most;
        count<0>(planes, query, members);
    }

    uint64_t members() const { return members_; }

    size_t n_lacking(unsigned member) const {
        size_t n = 0;
        for (int i = 0; i < n_counters_; ++i) n |= (counters_[i] >> member & 1) << i;
        return n - counts_before_;
    }

private:
    static constexpr int kMaxCounters = std::bit_width(kBits);

    template <int n>
    void count(const uint64_t* planes, const QueryBits& query, uint64_t members) {
        if (n == n_counters_) return count_with<n>(planes, query, members);
        if constexpr (n < kMaxCounters) count<n + 1>(planes, query, members);
    }

    // Counters that overflow have counted more than `most`.
    template <int n>
    void count_with(const uint64_t* planes, const QueryBits& query, uint64_t members) {
        std::array<uint64_t, n> counters;
        for (int i = 0; i < n; ++i) counters[i] = counts_before_ >> i & 1 ? ~uint64_t{0} : 0;
        for (size_t bit = 0; bit < query.n && members != 0; ++bit) {
            auto carry = ~planes[query.places[bit]];
            for (int i = 0; i < n; ++i) {
                const auto both = counters[i] & carry;
                counters[i] ^= carry;
                carry = both;
            }
            members &= ~carry;
        }
        std::copy(counters.begin(), counters.end(), counters_.begin());
        members_ = members;
    }

    int n_counters_;
    size_t counts_before_;
    uint64_t members_;
    std::array<uint64_t, kMaxCounters> counters_;
};

// The members that have all bits of the query.
inline uint64_t having_all(const uint64_t* planes, const QueryBits& query, uint64_t members) {
    for (size_t bit = 0; bit < query.n && members != 0; ++bit) members &= planes[query.places[bit]];
    return members;
}

// Bits [begin, end) of a word; end is at most 64.
inline uint64_t bits_between(size_t begin, size_t end) {
    return begin >= end ? 0 : ~uint64_t{0} >> (kWord - (end - begin)) << begin;
}

}  // namespace deixis
