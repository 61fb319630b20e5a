// What building a dictionary of names and matching it share: how a token is written, what stands between two tokens,
// and under which conditions a name may be found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tokenizer.hpp"
#include "unicode.hpp"

namespace deixis {

// How a token or a whole span is written.
struct Casing {
    bool begins_upper = false, begins_lower = false;
    bool has_upper = false, has_lower = false;
    bool is_number = true;
    uint32_t n_chars = 0;    // without marks
    uint32_t n_letters = 0;  // that have case

    bool is_all_upper() const { return has_upper && !has_lower; }

    void add(const Casing& next) {
        has_upper |= next.has_upper;
        has_lower |= next.has_lower;
        is_number &= next.is_number;
        n_chars += next.n_chars;
        n_letters += next.n_letters;
    }
};

Casing casing_of(const uint8_t* text, size_t begin, size_t end);

// What stands between two tokens.
struct Gap {
    bool is_empty = true;
    bool is_hard = false;        // more than spaces, hyphens, apostrophes, dots and the like
    bool is_far = false;         // too long for one name: over four characters, or a blank line
    bool ends_sentence = false;  // the next token may be capitalized for that reason alone
};

Gap gap_between(const uint8_t* text, size_t begin, size_t end);

// How many bytes of a name are looked for: all but a qualifier in brackets at its end.
size_t without_qualifier(const uint8_t* text, size_t size);

// Whether the character after a span, whose last token has `n_last` characters, belongs to it.
bool has_tail(const uint8_t* text, size_t size, size_t begin, size_t last_begin, size_t last_end, size_t n_last);

// Conditions of a node of the dictionary's trie; names with the same tokens are found if one of them may be.
enum NodeFlag : uint8_t {
    kEndsName = 1,
    kFoundLower = 2,     // in text that begins with a lower-case letter
    kFoundUpper = 4,     // in text that begins with an upper-case letter
    kFoundAllUpper = 8,  // in text all in upper case
    kCommonWord = 16,    // not where a common word would have capitals too
    kHasHardGap = 32,    // a comma, bracket or the like may stand between its tokens
};

}  // namespace deixis
