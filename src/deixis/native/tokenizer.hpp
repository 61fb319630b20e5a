// Text to tokens. Boundaries are found on the text as it is, so every token knows its code points [start, end) there;
// then each token is folded by itself. Maximal runs of letters, marks and numbers are tokens. In scripts written
// without spaces each base character, with the marks after it, is a token, so that bigrams do the work of words there.
// A mark without a letter or number before it separates, like everything else.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "unicode.hpp"

namespace deixis {

struct TokenView {
    const char* text;  // folded, UTF-8; valid until the next token
    size_t size;
    size_t start, end;            // code points of the original
    size_t byte_start, byte_end;  // bytes of the original
    bool is_unspaced;
};

namespace tokenizer_detail {

constexpr std::array<bool, 256> make_ascii_word() {
    std::array<bool, 256> is_word{};
    for (int c = '0'; c <= '9'; ++c) is_word[c] = true;
    for (int c = 'A'; c <= 'Z'; ++c) is_word[c] = is_word[c + 32] = true;
    return is_word;
}
inline constexpr std::array<bool, 256> kIsAsciiWord = make_ascii_word();

}  // namespace tokenizer_detail

// One per thread: it keeps scratch memory.
class Tokenizer {
public:
    explicit Tokenizer(FoldOptions options) : options_(options) { folded_.reserve(256); }

    void set_options(FoldOptions options) { options_ = options; }

    // Calls sink(TokenView) for every token, in order.
    template <typename Sink>
    void run(const uint8_t* text, size_t size, Sink&& sink) {
        using tokenizer_detail::kIsAsciiWord;
        size_t at = 0;
        size_t n_extra = 0;  // bytes before `at` that are not the first of their code point
        while (at < size) {
            if (text[at] < 0x80 && !kIsAsciiWord[text[at]]) {
                ++at;
                continue;
            }
            const size_t begin = at;
            while (at < size && kIsAsciiWord[text[at]]) ++at;
            if (at < size && text[at] >= 0x80) {
                at = begin;
                TokenView token;
                if (next_unicode(text, size, at, n_extra, token)) sink(token);
                continue;
            }
            sink(TokenView{fold_ascii(text + begin, at - begin), at - begin, begin - n_extra, at - n_extra, begin, at,
                           false});
        }
    }

private:
    const char* fold_ascii(const uint8_t* text, size_t size) {
        if (folded_.size() < size) folded_.resize(std::max(size, 2 * folded_.size()));
        // Letters and digits only: this bit makes letters lower-case and is set in every digit already.
        const uint8_t lower = options_.casefold ? 0x20 : 0;
        for (size_t i = 0; i < size; ++i) folded_[i] = static_cast<char>(text[i] | lower);
        return folded_.data();
    }

    // Reads what stands at `at`: true and a token, or false and it was a separator.
    bool next_unicode(const uint8_t* text, size_t size, size_t& at, size_t& n_extra, TokenView& token);

    FoldOptions options_;
    FoldScratch scratch_;
    std::vector<uint32_t> cps_;
    std::string folded_;
};

}  // namespace deixis
