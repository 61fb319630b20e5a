// A vocabulary of n-grams in (memory-mapped) arrays, and the rows of texts by it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "border.hpp"
#include "prefetch.hpp"
#include "tfidf.hpp"
#include "token_arrays.hpp"
#include "tokenizer.hpp"

namespace deixis {

// Tokens looked up together, so that their waits for memory overlap.
inline constexpr size_t kBatchTokens = 64;

struct FoldedToken {
    uint64_t hash;
    size_t begin, size;  // in the text of all tokens
};

// Memory one thread reuses from text to text.
struct RowScratch {
    Tokenizer tokenizer{FoldOptions{}};
    std::vector<FoldedToken> tokens;
    std::string tokens_text;
    // What the tokens are of: several vocabularies may look at the same text, one after the other.
    const uint8_t* text = nullptr;
    size_t text_size = 0;
    FoldOptions fold;
    std::vector<int32_t> ids;
    std::vector<uint32_t> columns, sorted;
    std::string padded;
    std::vector<size_t> starts;
};

// Ascending. Radix passes beat comparisons from a few dozen columns on.
inline void sort_columns(std::vector<uint32_t>& columns, std::vector<uint32_t>& other) {
    if (columns.size() < 64) return std::sort(columns.begin(), columns.end());
    uint32_t all = 0;
    for (const uint32_t column : columns) all |= column;
    other.resize(columns.size());
    for (int shift = 0; shift < 32 && all >> shift != 0; shift += 8) {
        uint32_t places[256] = {};
        for (const uint32_t column : columns) ++places[column >> shift & 255];
        uint32_t sum = 0;
        for (uint32_t& place : places) sum += std::exchange(place, sum);
        for (const uint32_t column : columns) other[places[column >> shift & 255]++] = column;
        columns.swap(other);
    }
}

class TfidfVocabulary {
public:
    TfidfVocabulary(ArrayIn<uint8_t> tokens_data, ArrayIn<uint32_t> tokens_offsets, ArrayIn<uint32_t> tokens_slots,
                    ArrayIn<int32_t> trie_child_ptr, ArrayIn<uint32_t> trie_labels, ArrayIn<int32_t> dropped,
                    ArrayIn<float> idf, ArrayIn<uint8_t> grams_data, ArrayIn<uint32_t> grams_offsets,
                    ArrayIn<uint32_t> grams_slots, int ngrams_max, int char_ngrams_min, int char_ngrams_max, bool nfkc,
                    bool casefold, bool sublinear_tf)
        : held_{nb::cast(tokens_data),   nb::cast(tokens_offsets), nb::cast(tokens_slots), nb::cast(trie_child_ptr),
                nb::cast(trie_labels),   nb::cast(dropped),        nb::cast(idf),          nb::cast(grams_data),
                nb::cast(grams_offsets), nb::cast(grams_slots)},
          settings_{ngrams_max, char_ngrams_min, char_ngrams_max, {nfkc, casefold}},
          sublinear_tf_(sublinear_tf),
          tokens_(token_table_of({"tokens_offsets", "tokens_slots"}, tokens_data, tokens_offsets, tokens_slots)),
          grams_(token_table_of({"grams_offsets", "grams_slots"}, grams_data, grams_offsets, grams_slots)),
          trie_(token_trie_of(trie_child_ptr, trie_labels, tokens_)),
          dropped_(dropped.data(), dropped.data() + dropped.shape(0)),
          idf_(idf.data()),
          n_features_(idf.shape(0)) {
        const size_t n_ngrams = trie_.n_nodes() + grams_.size();
        if (dropped_.size() > n_ngrams)
            refuse("dropped has ", dropped_.size(), " items; there are ", n_ngrams, " n-grams.");
        check_size("idf", idf, n_ngrams - dropped_.size(), "one for each n-gram that is not dropped");
        n_word_columns_ = trie_.n_nodes() - dropped_.size();
    }

    size_t n_features() const { return n_features_; }

    bool has_words_only() const { return settings_.ngrams_max == 1 && !settings_.has_chars(); }
    FoldOptions fold() const { return settings_.fold; }

    // The column of a folded word, or -1.
    int32_t word_column(const char* text, size_t size, uint64_t hash) const {
        const int32_t column = column_of(tokens_.find(text, size, hash));
        return column < 0 || idf_[column] == 0 ? -1 : column;
    }

    // Appends the row of a text: ascending columns, each plus first_column, and weights whose squares sum to weight²,
    // or with a weight below 0 counts times idf as they are.
    void append_row(const uint8_t* text, size_t size, float weight, int32_t first_column, RowScratch& scratch,
                    std::vector<int32_t>& columns, std::vector<float>& values) const {
        collect(text, size, scratch);
        sort_columns(scratch.columns, scratch.sorted);
        const size_t begin = values.size();
        double squares = 0;
        const uint32_t *at = scratch.columns.data(), *end = at + scratch.columns.size();
        while (at < end) {
            const uint32_t column = *at;
            const uint32_t* next = at;
            while (next < end && *next == column) ++next;
            const double count = static_cast<double>(next - at);
            at = next;
            if (idf_[column] == 0) continue;  // an n-gram that another vocabulary has
            const double value = (sublinear_tf_ ? 1 + std::log(count) : count) * idf_[column];
            squares += value * value;
            columns.push_back(static_cast<int32_t>(column) + first_column);
            values.push_back(static_cast<float>(value));
        }
        if (squares <= 0 || weight < 0) return;
        const double scale = weight / std::sqrt(squares);
        for (size_t i = begin; i < values.size(); ++i) values[i] = static_cast<float>(values[i] * scale);
    }

    std::string feature_name(int64_t column) const {
        if (column < 0 || static_cast<size_t>(column) >= n_features_)
            throw nb::index_error("There is no such feature column.");
        if (static_cast<size_t>(column) >= n_word_columns_)
            return std::string(grams_.text(static_cast<size_t>(column) - n_word_columns_));
        auto node = static_cast<size_t>(column);
        for (const int32_t gone : dropped_) node += static_cast<size_t>(gone) <= node;
        std::string name(token_text(trie_.last_token(node)));
        // The bound keeps a damaged trie from turning in circles.
        for (int depth = 1; node >= tokens_.size() && depth < settings_.ngrams_max; ++depth) {
            node = trie_.parent(node);
            name = std::string(token_text(trie_.last_token(node))) + " " + name;
        }
        return name;
    }

    // For each column of another vocabulary whether this one has its n-gram, as a column or dropped.
    auto knows(const TfidfVocabulary& other) const {
        std::vector<uint8_t> is_known(other.n_features_, 0);
        std::vector<int32_t> own_tokens(other.tokens_.size());
        for (size_t id = 0; id < own_tokens.size(); ++id) {
            const std::string_view text = other.tokens_.text(id);
            own_tokens[id] = tokens_.find(text.data(), text.size(), hash_bytes(text.data(), text.size()));
        }
        for (size_t column = 0; column < other.n_word_columns_; ++column) {
            size_t node = column;
            for (const int32_t gone : other.dropped_) node += static_cast<size_t>(gone) <= node;
            std::vector<int32_t> path;  // the last token first
            for (int depth = 0; depth < other.settings_.ngrams_max; ++depth) {
                const size_t token = other.trie_.last_token(node);
                path.push_back(token < own_tokens.size() ? own_tokens[token] : -1);
                if (node < other.tokens_.size()) break;
                node = other.trie_.parent(node);
            }
            int32_t own = path.back();
            for (size_t i = path.size() - 1; i > 0 && own >= 0; --i)
                own = path[i - 1] < 0 ? -1 : trie_.child(own, path[i - 1]);
            is_known[column] = own >= 0;
        }
        for (size_t id = 0; id < other.grams_.size(); ++id) {
            const std::string_view text = other.grams_.text(id);
            const int32_t own = grams_.find(text.data(), text.size(), hash_bytes(text.data(), text.size()));
            is_known[other.n_word_columns_ + id] = own >= 0;
        }
        return to_numpy(std::move(is_known));
    }

private:
    std::string_view token_text(size_t id) const { return id < tokens_.size() ? tokens_.text(id) : std::string_view(); }

    void collect(const uint8_t* text, size_t size, RowScratch& scratch) const {
        scratch.ids.clear();
        scratch.columns.clear();
        tokenize(text, size, scratch);
        for (size_t begin = 0; begin < scratch.tokens.size(); begin += kBatchTokens)
            look_up(begin, std::min(begin + kBatchTokens, scratch.tokens.size()), scratch);
        if (settings_.has_chars())
            for (const FoldedToken& token : scratch.tokens) collect_chars(token, scratch);
        for (size_t begin = 0; begin < scratch.ids.size(); begin += kBatchTokens)
            collect_ngrams(begin, std::min(begin + kBatchTokens, scratch.ids.size()), scratch);
    }

    void tokenize(const uint8_t* text, size_t size, RowScratch& scratch) const {
        const bool is_same_fold =
            scratch.fold.nfkc == settings_.fold.nfkc && scratch.fold.casefold == settings_.fold.casefold;
        if (scratch.text != nullptr && scratch.text == text && scratch.text_size == size && is_same_fold) return;
        scratch.tokens.clear();
        scratch.tokens_text.clear();
        scratch.tokenizer.set_options(settings_.fold);
        scratch.tokenizer.run(text, size, [&](const TokenView& token) {
            const uint64_t hash = hash_bytes(token.text, token.size);
            scratch.tokens.push_back({hash, scratch.tokens_text.size(), token.size});
            scratch.tokens_text.append(token.text, token.size);
        });
        scratch.text = text;
        scratch.text_size = size;
        scratch.fold = settings_.fold;
    }

    // Appends the numbers of the tokens [begin, end), of which there are at most kBatchTokens, to the ids.
    void look_up(size_t begin, size_t end, RowScratch& scratch) const {
        int32_t found[kBatchTokens];
        const size_t n = end - begin;
        const FoldedToken* tokens = scratch.tokens.data() + begin;
        for (size_t i = 0; i < n; ++i) tokens_.ask_slot(tokens[i].hash);
        for (size_t i = 0; i < n; ++i) found[i] = tokens_.ask_place(tokens[i].hash);
        for (size_t i = 0; i < n; ++i)
            if (found[i] >= 0) tokens_.ask_text(found[i]);
        for (size_t i = 0; i < n; ++i) {
            const FoldedToken& token = tokens[i];
            const char* text = scratch.tokens_text.data() + token.begin;
            if (found[i] >= 0 && !tokens_.is_text(found[i], text, token.size))
                found[i] = tokens_.find(text, token.size, token.hash);
            if (found[i] >= 0) trie_.ask_children(found[i]);
        }
        scratch.ids.insert(scratch.ids.end(), found, found + n);
    }

    // The n-grams that begin at the tokens [begin, end).
    void collect_ngrams(size_t begin, size_t end, RowScratch& scratch) const {
        const std::vector<int32_t>& ids = scratch.ids;
        const size_t n = ids.size();
        for (size_t i = begin; i < end; ++i)
            if (ids[i] >= 0 && i + 1 < n && ids[i + 1] >= 0) trie_.ask_child(ids[i], ids[i + 1]);
        for (size_t i = begin; i < end; ++i) {
            int32_t node = ids[i];
            if (node < 0) continue;
            add_node(node, scratch.columns);
            for (size_t j = i + 1; j < n && j < i + settings_.ngrams_max; ++j) {
                node = ids[j] < 0 ? -1 : trie_.child(node, ids[j]);
                if (node < 0) break;
                add_node(node, scratch.columns);
            }
        }
    }

    void collect_chars(const FoldedToken& token, RowScratch& scratch) const {
        for_each_char_ngram(scratch.tokens_text.data() + token.begin, token.size, settings_.char_ngrams_min,
                            settings_.char_ngrams_max, scratch.padded, scratch.starts,
                            [&](const char* gram, size_t size) {
                                const int32_t id = grams_.find(gram, size, hash_bytes(gram, size));
                                if (id >= 0) scratch.columns.push_back(static_cast<uint32_t>(n_word_columns_ + id));
                            });
    }

    void add_node(int32_t node, std::vector<uint32_t>& columns) const {
        const int32_t column = column_of(node);
        if (column < 0) return;
        prefetch(idf_ + column);
        columns.push_back(static_cast<uint32_t>(column));
    }

    // The column of an n-gram, or -1 if there is none or it was dropped.
    int32_t column_of(int32_t node) const {
        if (node < 0 || dropped_.empty()) return node;
        const auto gone = std::lower_bound(dropped_.begin(), dropped_.end(), node);
        if (gone != dropped_.end() && *gone == node) return -1;
        const int64_t column = node - (gone - dropped_.begin());
        return column >= 0 && static_cast<size_t>(column) < n_word_columns_ ? static_cast<int32_t>(column) : -1;
    }

    std::vector<nb::object> held_;  // the arrays the views below look into
    TfidfSettings settings_;
    bool sublinear_tf_;
    TokenTable tokens_, grams_;
    TokenTrie trie_;
    std::vector<int32_t> dropped_;
    const float* idf_;
    size_t n_features_, n_word_columns_;
};

}  // namespace deixis
