// A text with its tokens and its words, for all that compares the text around mentions. A text is tokenized once; a
// window is a run of its tokens, and only what a window's border cuts is tokenized again, so that a window has the very
// words that its own text would have.
#pragma once

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "border.hpp"
#include "texts.hpp"
#include "tfidf_vocabulary.hpp"

namespace deixis {

struct Span {
    size_t start, end;
};

// As Python's \s.
inline bool is_space(uint32_t cp) {
    return (cp >= 0x09 && cp <= 0x0d) || (cp >= 0x1c && cp <= 0x20) || cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 || cp == 0x202f || cp == 0x205f ||
           cp == 0x3000;
}

// The columns of folded words in several vocabularies, which stand one after the other.
class WordColumns {
public:
    explicit WordColumns(const std::vector<const TfidfVocabulary*>& vocabularies) : vocabularies_(vocabularies) {
        int64_t n_columns = 0;
        for (const TfidfVocabulary* each : vocabularies) {
            if (!each->has_words_only()) refuse("vocabularies must be of single words; one has longer n-grams.");
            firsts_.push_back(static_cast<int32_t>(n_columns));
            n_columns += static_cast<int64_t>(each->n_features());
        }
        if (vocabularies.empty()) refuse("vocabularies is empty; one is needed at least.");
        if (n_columns > 0x7fffffff) refuse("vocabularies have ", n_columns, " columns; 2^31 - 1 are the most.");
        n_columns_ = static_cast<size_t>(n_columns);
    }

    size_t n_columns() const { return n_columns_; }
    FoldOptions fold() const { return vocabularies_[0]->fold(); }

    template <typename Sink>
    void each(const TokenView& token, Sink&& sink) const {
        const uint64_t hash = hash_bytes(token.text, token.size);
        for (size_t v = 0; v < vocabularies_.size(); ++v) {
            const int32_t column = vocabularies_[v]->word_column(token.text, token.size, hash);
            if (column >= 0) sink(firsts_[v] + column);
        }
    }

private:
    std::vector<const TfidfVocabulary*> vocabularies_;
    std::vector<int32_t> firsts_;
    size_t n_columns_;
};

// The words of a window while they are gathered: those that its text has by their numbers, others by their columns.
// One for each worker.
struct GatheredWords {
    explicit GatheredWords(FoldOptions fold) : tokenizer(fold) {}

    Tokenizer tokenizer;
    std::vector<uint64_t> is_in;
    std::vector<int32_t> others;
};

// A text with its tokens; its different words are numbered in the order of their columns.
class TokenizedText {
public:
    static constexpr size_t kNone = static_cast<size_t>(-1);  // the number of a word that the text does not have

    TokenizedText(const Utf8& text, const WordColumns& columns) : text_(text), columns_(columns) {
        std::vector<std::pair<uint32_t, int32_t>> found;  // a token and the column of its word
        Tokenizer tokenizer(columns.fold());
        tokenizer.run(text.data(), text.size(), [&](const TokenView& token) {
            columns.each(token,
                         [&](int32_t column) { found.push_back({static_cast<uint32_t>(tokens_.size()), column}); });
            tokens_.push_back({{token.start, token.end}, {token.byte_start, token.byte_end}});
        });
        for (const auto& [token, column] : found) words_.push_back(column);
        std::sort(words_.begin(), words_.end());
        words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
        word_starts_.assign(tokens_.size() + 1, 0);
        for (const auto& [token, column] : found) {
            ++word_starts_[token + 1];
            numbers_.push_back(static_cast<uint32_t>(number_of(column)));
        }
        for (size_t i = 0; i < tokens_.size(); ++i) word_starts_[i + 1] += word_starts_[i];
        find_code_points();
    }

    size_t length() const { return n_code_points_; }
    const std::vector<int32_t>& words() const { return words_; }

    // The window of so many code points with the span in its middle; a longer span stays whole.
    Span window(Span span, size_t n) const {
        const size_t length = span.end - span.start, margin = n > length ? (n - length) / 2 : 0;
        return {span.start > margin ? span.start - margin : 0, std::min(span.end + margin, n_code_points_)};
    }

    // Adds the words of a window in which what the span reads as is left out, wherever it stands.
    void add_around(Span span, size_t n, GatheredWords& gathered) const {
        const Span all = window(span, n);
        const std::string_view bytes = view(all), written = view(span);
        if (written.empty()) return add(all, gathered);
        size_t begin = all.start, from = 0;
        for (size_t at; (at = bytes.find(written, from)) != std::string_view::npos; from = at + written.size()) {
            const size_t first = code_point(byte(all.start) + at);
            add({begin, first}, gathered);
            begin = first + (span.end - span.start);
        }
        add({begin, all.end}, gathered);
    }

    // Adds the words from the stop before the span to the one after it, of so many code points on either side.
    void add_sentence(Span span, size_t margin, GatheredWords& gathered) const {
        const size_t first = span.start > margin ? span.start - margin : 0;
        size_t begin = span.start, end = span.end;
        while (begin > first && !is_stop(begin - 1, span.start)) --begin;
        const size_t last = std::min(span.end + margin, n_code_points_);
        while (end < last && !is_stop(end, last)) ++end;
        add({begin, span.start}, gathered);
        add({span.end, end}, gathered);
    }

    // Calls sink(number, column) for each word that was added, in the order of columns; none is left.
    template <typename Sink>
    void take(GatheredWords& gathered, Sink&& sink) const {
        auto& others = gathered.others;
        std::sort(others.begin(), others.end());
        others.erase(std::unique(others.begin(), others.end()), others.end());
        auto other = others.begin();
        for (size_t block = 0; block < gathered.is_in.size(); ++block)
            for (uint64_t bits = std::exchange(gathered.is_in[block], 0); bits != 0; bits &= bits - 1) {
                const size_t number = block * 64 + static_cast<size_t>(std::countr_zero(bits));
                while (other != others.end() && *other < words_[number]) sink(kNone, *other++);
                sink(number, words_[number]);
            }
        while (other != others.end()) sink(kNone, *other++);
        others.clear();
    }

private:
    struct Token {
        Span span, bytes;
    };

    void find_code_points() {
        size_t n_extra = 0;
        for (size_t i = 0; i < text_.size(); ++i) n_extra += (text_.data()[i] & 0xC0) == 0x80;
        n_code_points_ = text_.size() - n_extra;
        if (n_extra == 0) return;
        bytes_.reserve(n_code_points_ + 1);
        for (size_t i = 0; i < text_.size(); ++i)
            if ((text_.data()[i] & 0xC0) != 0x80) bytes_.push_back(i);
        bytes_.push_back(text_.size());
    }

    size_t byte(size_t code_point) const { return bytes_.empty() ? code_point : bytes_[code_point]; }
    size_t code_point(size_t byte) const {
        if (bytes_.empty()) return byte;
        return static_cast<size_t>(std::lower_bound(bytes_.begin(), bytes_.end(), byte) - bytes_.begin());
    }
    std::string_view view(Span span) const {
        const size_t begin = byte(span.start);
        return {reinterpret_cast<const char*>(text_.data()) + begin, byte(span.end) - begin};
    }

    uint32_t character(size_t at) const { return decode_utf8(text_.data(), byte(at), text_.size()).cp; }

    // Whether a sentence ends at a place of a text that goes no further than `end`.
    bool is_stop(size_t at, size_t end) const {
        const uint32_t cp = character(at);
        if (cp == '\n' || cp == 0x3002 || cp == 0xff01 || cp == 0xff1f) return true;
        return (cp == '.' || cp == '!' || cp == '?') && at + 1 < end && is_space(character(at + 1));
    }

    // The place of a column among the words, or how many there are.
    size_t number_of(int32_t column) const {
        const auto at = std::lower_bound(words_.begin(), words_.end(), column);
        return at != words_.end() && *at == column ? static_cast<size_t>(at - words_.begin()) : words_.size();
    }

    static void add_number(size_t number, GatheredWords& gathered) {
        gathered.is_in[number / 64] |= uint64_t{1} << number % 64;
    }

    void add(Span span, GatheredWords& gathered) const {
        if (span.start >= span.end) return;
        gathered.is_in.resize((words_.size() + 63) / 64, 0);
        auto token = std::partition_point(tokens_.begin(), tokens_.end(),
                                          [&](const Token& each) { return each.span.end <= span.start; });
        for (; token != tokens_.end() && token->span.start < span.end; ++token) {
            if (token->span.start < span.start || token->span.end > span.end) {
                add_part(std::max(token->bytes.start, byte(span.start)), std::min(token->bytes.end, byte(span.end)),
                         gathered);
                continue;
            }
            const auto number = static_cast<size_t>(token - tokens_.begin());
            for (size_t i = word_starts_[number]; i < word_starts_[number + 1]; ++i) add_number(numbers_[i], gathered);
        }
    }

    // Adds the words of a part of a token.
    void add_part(size_t first_byte, size_t last_byte, GatheredWords& gathered) const {
        gathered.tokenizer.run(text_.data() + first_byte, last_byte - first_byte, [&](const TokenView& token) {
            columns_.each(token, [&](int32_t column) {
                const size_t number = number_of(column);
                if (number < words_.size())
                    add_number(number, gathered);
                else
                    gathered.others.push_back(column);
            });
        });
    }

    const Utf8& text_;
    const WordColumns& columns_;
    size_t n_code_points_ = 0;
    std::vector<size_t> bytes_;  // where each code point begins; empty where that is its number
    std::vector<Token> tokens_;
    std::vector<size_t> word_starts_;  // of the numbers of each token's words
    std::vector<uint32_t> numbers_;
    std::vector<int32_t> words_;  // columns of the text's words
};

}  // namespace deixis
