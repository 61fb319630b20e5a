// The words of the text around mentions. A text is tokenized once; a window is a run of its tokens, and only what a
// window's border cuts is tokenized again, so that a window has the very words that its own text would have.
#include <algorithm>
#include <string_view>

#include "parallel.hpp"
#include "texts.hpp"
#include "tfidf_vocabulary.hpp"

namespace deixis {
namespace {

struct Span {
    size_t start, end;
};

// As Python's \s.
bool is_space(uint32_t cp) {
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

// A text with its tokens; its different words are numbered in the order of their columns.
class TokenizedText {
public:
    TokenizedText(const Utf8& text, const WordColumns& columns)
        : text_(text), columns_(columns), tokenizer_(columns.fold()) {
        std::vector<std::pair<uint32_t, int32_t>> found;  // a token and the column of its word
        tokenizer_.run(text.data(), text.size(), [&](const TokenView& token) {
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
        is_in_.assign((words_.size() + 63) / 64, 0);
        find_code_points();
    }

    size_t length() const { return n_code_points_; }

    // The window of so many code points with the span in its middle; a longer span stays whole.
    Span window(Span span, size_t n) const {
        const size_t length = span.end - span.start, margin = n > length ? (n - length) / 2 : 0;
        return {span.start > margin ? span.start - margin : 0, std::min(span.end + margin, n_code_points_)};
    }

    // Adds the words of a window in which what the span reads as is left out, wherever it stands.
    void add_around(Span span, size_t n) {
        const Span all = window(span, n);
        const std::string_view bytes = view(all), written = view(span);
        if (written.empty()) return add(all);
        size_t begin = all.start, from = 0;
        for (size_t at; (at = bytes.find(written, from)) != std::string_view::npos; from = at + written.size()) {
            const size_t first = code_point(byte(all.start) + at);
            add({begin, first});
            begin = first + (span.end - span.start);
        }
        add({begin, all.end});
    }

    // Adds the words from the stop before the span to the one after it, of so many code points on either side.
    void add_sentence(Span span, size_t margin) {
        const size_t first = span.start > margin ? span.start - margin : 0;
        size_t begin = span.start, end = span.end;
        while (begin > first && !is_stop(begin - 1, span.start)) --begin;
        const size_t last = std::min(span.end + margin, n_code_points_);
        while (end < last && !is_stop(end, last)) ++end;
        add({begin, span.start});
        add({span.end, end});
    }

    // The columns of the words that were added, in order, and none from here on.
    std::vector<int32_t> take() {
        std::sort(others_.begin(), others_.end());
        others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
        std::vector<int32_t> columns;
        auto other = others_.begin();
        for (size_t block = 0; block < is_in_.size(); ++block)
            for (uint64_t bits = std::exchange(is_in_[block], 0); bits != 0; bits &= bits - 1) {
                const int32_t column = words_[block * 64 + static_cast<size_t>(std::countr_zero(bits))];
                while (other != others_.end() && *other < column) columns.push_back(*other++);
                columns.push_back(column);
            }
        columns.insert(columns.end(), other, others_.end());
        others_.clear();
        return columns;
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

    void add_number(size_t number) { is_in_[number / 64] |= uint64_t{1} << number % 64; }

    void add(Span span) {
        if (span.start >= span.end) return;
        auto token = std::partition_point(tokens_.begin(), tokens_.end(),
                                          [&](const Token& each) { return each.span.end <= span.start; });
        for (; token != tokens_.end() && token->span.start < span.end; ++token) {
            if (token->span.start < span.start || token->span.end > span.end) {
                add_part(std::max(token->bytes.start, byte(span.start)), std::min(token->bytes.end, byte(span.end)));
                continue;
            }
            const auto number = static_cast<size_t>(token - tokens_.begin());
            for (size_t i = word_starts_[number]; i < word_starts_[number + 1]; ++i) add_number(numbers_[i]);
        }
    }

    // Adds the words of a part of a token.
    void add_part(size_t first_byte, size_t last_byte) {
        tokenizer_.run(text_.data() + first_byte, last_byte - first_byte, [&](const TokenView& token) {
            columns_.each(token, [&](int32_t column) {
                const size_t number = number_of(column);
                if (number < words_.size())
                    add_number(number);
                else
                    others_.push_back(column);
            });
        });
    }

    const Utf8& text_;
    const WordColumns& columns_;
    Tokenizer tokenizer_;
    size_t n_code_points_ = 0;
    std::vector<size_t> bytes_;  // where each code point begins; empty where that is its number
    std::vector<Token> tokens_;
    std::vector<size_t> word_starts_;  // of the numbers of each token's words
    std::vector<uint32_t> numbers_;
    std::vector<int32_t> words_;   // columns of the text's words
    std::vector<uint64_t> is_in_;  // which of them were added
    std::vector<int32_t> others_;  // columns that were added besides
};

// The columns of each row, their weights, and the squares of these over the length of the row as a vector.
auto weighted_rows(const std::vector<std::vector<int32_t>>& rows, const float* weight_of) {
    auto [indptr, columns] = joined_rows(rows, [](int32_t column) { return column; });
    std::vector<float> weights, cosines;
    weights.reserve(columns.shape(0));
    cosines.reserve(columns.shape(0));
    for (const auto& row : rows) {
        double sum = 0.0;
        for (const int32_t column : row) sum += weight_of[column] * weight_of[column];
        const double length = std::max(std::sqrt(sum), 1e-9);
        for (const int32_t column : row) {
            weights.push_back(weight_of[column]);
            cosines.push_back(static_cast<float>(weight_of[column] * weight_of[column] / length));
        }
    }
    return std::make_tuple(indptr, columns, to_numpy(std::move(weights)), to_numpy(std::move(cosines)));
}

auto window_words(const std::vector<const TfidfVocabulary*>& vocabularies, ArrayIn<float> idf, StringList strings,
                  ArrayIn<int64_t> documents, ArrayIn<int64_t> starts, ArrayIn<int64_t> ends,
                  const std::vector<int64_t>& windows, int64_t sentence_margin, int n_threads) {
    const WordColumns columns(vocabularies);
    const Utf8List texts(strings);
    const size_t n = documents.shape(0);
    check_size("idf", idf, columns.n_columns(), "one for each column");
    check_numbers("documents", documents, static_cast<int64_t>(texts.size()));
    check_size("starts", starts, n, "one for each mention");
    check_size("ends", ends, n, "one for each mention");
    for (const int64_t each : windows) check_at_least("windows", each, 0);
    const int64_t* numbers = documents.data();
    for (size_t i = 1; i < n; ++i)
        if (numbers[i] < numbers[i - 1]) refuse("documents[", i, "] is ", numbers[i], "; the numbers must never fall.");
    const bool has_sentences = sentence_margin > 0;
    std::vector<std::vector<int32_t>> rows((windows.size() + has_sentences) * n);
    parallel_for(texts.size(), n_threads, [&](size_t document) {
        const auto first = static_cast<size_t>(std::lower_bound(numbers, numbers + n, document) - numbers);
        if (first == n || static_cast<size_t>(numbers[first]) != document) return;
        TokenizedText text(texts[document], columns);
        for (size_t i = first; i < n && static_cast<size_t>(numbers[i]) == document; ++i) {
            const int64_t start = starts.data()[i], end = ends.data()[i];
            if (start < 0 || end < start || static_cast<size_t>(end) > text.length())
                refuse("Mention ", i, " goes from ", start, " to ", end, " in a text of ", text.length(), ".");
            const Span span{static_cast<size_t>(start), static_cast<size_t>(end)};
            for (size_t w = 0; w < windows.size(); ++w) {
                text.add_around(span, static_cast<size_t>(windows[w]));
                rows[w * n + i] = text.take();
            }
            if (!has_sentences) continue;
            text.add_sentence(span, static_cast<size_t>(sentence_margin));
            rows[windows.size() * n + i] = text.take();
        }
    });
    return weighted_rows(rows, idf.data());
}

}  // namespace

void bind_window_words(nb::module_& m) {
    define(m, "window_words", &window_words,
           {"vocabularies", "idf", "texts", "documents", "starts", "ends", "windows", "sentence_margin", "n_threads"},
           "The different words of the text around each mention, without those that read as it does, for each size of "
           "window, and after them those of its sentence: row starts, columns, weights, and weights for cosines.");
}

}  // namespace deixis
