// How the words of entities are stored: in two bytes each, one after the other.
//
// Columns are cut into sections. A word is its place in its section; before the first word of another section than the
// word before it stands a mark, which names the section. Rows begin in the first section. Frequent words come early in
// a text and so have small columns: four of five are in the first section, and few rows need more than three marks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "word_numbers.hpp"

namespace deixis {

inline constexpr int32_t kSectionWords = 0xf000;  // columns of a section; what is not below it is a mark
inline constexpr int32_t kMaxWords = kSectionWords * (0x10000 - kSectionWords);

// Reads words one by one: `is_word` says whether the last unit was one, `column` then is its column.
struct WordReader {
    int32_t section = 0, column = 0;

    // Without a branch, since nobody foresees where the marks are.
    bool is_word(uint16_t unit) {
        const int32_t mask = -static_cast<int32_t>(unit >= kSectionWords);  // all bits of a mark, none of a word
        section += mask & ((unit - kSectionWords) * kSectionWords - section);
        column = section + unit;
        return mask == 0;
    }
};

// Calls fn for the column of every word of a row.
template <typename Fn>
void for_each_word(const uint16_t* begin, const uint16_t* end, Fn&& fn) {
    WordReader reader;
    for (; begin < end; ++begin)
        if (reader.is_word(*begin)) fn(reader.column);
}

// Calls fn for the number of every word of a row that has one. Words that may have one are collected first, without a
// branch that could not be foreseen. Most words come before the first mark.
template <typename Fn>
void for_each_number(const WordNumbers& numbers, const uint16_t* unit, const uint16_t* row_end, Fn&& fn) {
    constexpr ptrdiff_t kRun = 64;
    std::array<int32_t, kRun> found;
    WordReader reader;
    while (unit < row_end) {
        const uint16_t* end = unit + std::min(row_end - unit, kRun);
        size_t n_found = 0;
        if (reader.section == 0)
            for (; unit < end && *unit < kSectionWords; ++unit) {
                found[n_found] = *unit;
                n_found += numbers.may_have(*unit);
            }
        for (; unit < end; ++unit) {
            const bool is_word = reader.is_word(*unit);
            found[n_found] = reader.column;
            n_found += is_word & numbers.may_have(reader.column);
        }
        for (size_t i = 0; i < n_found; ++i)
            if (const int32_t number = numbers.find(found[i]); number >= 0) fn(number);
    }
}

}  // namespace deixis
