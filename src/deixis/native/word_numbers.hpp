// Words as numbers, looked up by column.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "border.hpp"

namespace deixis {

// Most words of candidates are not there: a small table of bits, which stays in
// the nearest cache, says so without a search.
class WordNumbers {
public:
    explicit WordNumbers(size_t n_words) {
        if (n_words >= (1u << 28)) refuse("A text has 2^28 different words or more.");
        const auto n_slots = std::bit_ceil(static_cast<uint32_t>(4 * n_words + 2));
        shift_ = 32 - std::countr_zero(n_slots);
        last_ = n_slots - 1;
        slots_.assign(n_slots, Slot{});
    }

    void add(int32_t column, size_t number) {
        const uint32_t hash = hashed(column);
        uint32_t at = hash >> shift_;
        while (slots_[at].column != kEmpty) at = (at + 1) & last_;
        slots_[at] = {column, static_cast<int32_t>(number)};
        is_there_[hash >> 24] |= uint64_t{1} << (hash >> 18 & 63);
    }

    // The number of a word, or -1.
    int32_t find(int32_t column) const {
        for (uint32_t at = hashed(column) >> shift_;; at = (at + 1) & last_) {
            if (slots_[at].column == column) return slots_[at].number;
            if (slots_[at].column == kEmpty) return -1;
        }
    }

    // False for most words that are not there, and for no other.
    bool may_have(int32_t column) const {
        const uint32_t hash = hashed(column);
        return is_there_[hash >> 24] >> (hash >> 18 & 63) & 1;
    }

private:
    static constexpr int32_t kEmpty = -1;
    struct Slot {
        int32_t column = kEmpty;
        int32_t number = 0;
    };

    static uint32_t hashed(int32_t column) { return static_cast<uint32_t>(column) * 2654435769u; }

    std::vector<Slot> slots_;
    std::array<uint64_t, 256> is_there_{};
    uint32_t last_ = 0;
    int shift_ = 31;
};

}  // namespace deixis
