// The part of the tokenizer that looks characters up, and the tokens of one text for Python.
#include "tokenizer.hpp"

#include <nanobind/stl/string.h>

#include "texts.hpp"

namespace deixis {

bool Tokenizer::next_unicode(const uint8_t* text, size_t size, size_t& at, size_t& n_extra, TokenView& token) {
    const Decoded first = decode_utf8(text, at, size);
    const CharClass kind = char_record(first.cp).char_class();
    const size_t begin = at, begin_extra = n_extra;
    at += first.n_bytes;
    n_extra += first.n_bytes - 1;
    if (kind != CharClass::kWord && kind != CharClass::kUnspaced) return false;
    cps_.assign(1, first.cp);
    size_t n_kept = 1;  // joiners at the end of cps_ stay outside the token unless something follows them
    size_t next = at, next_extra = n_extra;
    while (next < size) {
        const Decoded decoded = decode_utf8(text, next, size);
        const CharClass follower = char_record(decoded.cp).char_class();
        const bool continues =
            follower == CharClass::kMark || (follower == CharClass::kWord && kind == CharClass::kWord);
        if (!continues && follower != CharClass::kJoiner) break;
        cps_.push_back(decoded.cp);
        next += decoded.n_bytes;
        next_extra += decoded.n_bytes - 1;
        if (continues) {
            n_kept = cps_.size();
            at = next;
            n_extra = next_extra;
        }
    }
    folded_.clear();
    fold(cps_.data(), n_kept, options_, scratch_, folded_);
    if (folded_.empty()) return false;
    token = TokenView{
        folded_.data(), folded_.size(), begin - begin_extra, at - n_extra, begin, at, kind == CharClass::kUnspaced};
    return true;
}

namespace {

nb::typed<nb::list, nb::typed<nb::tuple, nb::str, int, int>> tokenize(nb::str string, bool nfkc, bool casefold) {
    const Utf8 text(string);
    nb::typed<nb::list, nb::typed<nb::tuple, nb::str, int, int>> tokens;
    Tokenizer tokenizer({nfkc, casefold});
    tokenizer.run(text.data(), text.size(), [&](const TokenView& token) {
        tokens.append(nb::make_tuple(nb::str(token.text, token.size), token.start, token.end));
    });
    return tokens;
}

}  // namespace

void bind_tokenizer(nb::module_& m) {
    define(m, "unicode_version", &unicode_version, {}, "Version of the Unicode tables in the core.");
    define(m, "tokenize", &tokenize, {"text", "nfkc", "casefold"},
           "(folded text, start, end) of every token of a text.");
}

}  // namespace deixis
