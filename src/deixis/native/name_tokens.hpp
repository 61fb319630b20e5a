// How names are compared with texts: word by word without case, accents and the ending of the plural or possessive, and
// with the punctuation between the words, which a name must have if the text has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dictionary.hpp"
#include "tokenizer.hpp"

namespace deixis {

// The stem of a folded token: no accents (Latin, Greek, Cyrillic), no plural ending. One per thread.
class Stemmer {
public:
    // Valid until the next call, or as long as the token is.
    std::string_view stem(std::string_view folded);

private:
    std::vector<uint32_t> cps_, scratch_;
    std::string out_;
};

// The number of leading bytes of a word in lower case that its singular has, and whether a y takes the rest's place.
struct Singular {
    size_t size;
    bool ends_in_y;
};
Singular singular_of(std::string_view word);

// A word of a text or name, ready to be compared.
struct NameToken {
    std::string_view stem;  // valid until the next token
    std::string_view gap;   // the punctuation before it that a name has, too; empty for spaces, hyphens and the like
    TokenView token;
    Casing casing;
    Gap gap_before;
    size_t possessive_start, possessive_end;  // bytes of an apostrophe and s after it; 0 for none
    size_t n_possessive;                      // the same in code points
};

// Calls a sink for every word of a text, in order, an 's counted to the word before it. One per thread.
class NameTokenizer {
public:
    template <typename Sink>
    void run(const uint8_t* text, size_t size, Sink&& sink) {
        bool has_one = false;
        NameToken held{};
        size_t before = 0, line_start = 0;
        tokenizer_.run(text, size, [&](const TokenView& token) {
            if (has_one && is_possessive(text, before, token)) {
                held.possessive_start = before;
                held.possessive_end = token.byte_end;
                held.n_possessive = token.end - held.token.end;
                before = token.byte_end;
                return;
            }
            if (has_one) sink(held);
            const Casing previous = held.casing;
            const bool was_unspaced = has_one && held.token.is_unspaced;
            held = NameToken{};
            held.token = token;
            held.casing = casing_of(text, token.byte_start, token.byte_end);
            held.gap_before = gap_between(text, before, token.byte_start);
            if (has_one)
                read_gap(text, before, token.byte_start, line_start, previous, was_unspaced && token.is_unspaced, held);
            else
                held.gap_before.ends_sentence = true;
            stem_ = stemmer_.stem({token.text, token.size});
            held.stem = stem_;
            held.gap = gap_;
            for (size_t at = before; at < token.byte_start; ++at)
                if (text[at] == '\n') line_start = at + 1;
            before = token.byte_end;
            has_one = true;
        });
        if (has_one) sink(held);
    }

private:
    // An s of its own right after an apostrophe.
    static bool is_possessive(const uint8_t* text, size_t before, const TokenView& token);

    // Which punctuation stands between two words, and whether a sentence ends there.
    void read_gap(const uint8_t* text, size_t begin, size_t end, size_t line_start, const Casing& previous,
                  bool is_unspaced, NameToken& token);

    Tokenizer tokenizer_{FoldOptions{}};
    Stemmer stemmer_;
    std::string stem_, gap_;
};

}  // namespace deixis
