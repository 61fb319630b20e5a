// Texts to rows of TF-IDF weights, by a vocabulary that lies in (memory-mapped) arrays.
#include "tfidf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "parallel.hpp"
#include "prefetch.hpp"
#include "texts.hpp"
#include "token_table.hpp"
#include "token_trie.hpp"
#include "tokenizer.hpp"

namespace deixis {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// Tokens looked up together, so that their waits for memory overlap.
constexpr std::size_t kBatchTokens = 64;

struct PendingToken {
    std::uint64_t hash;
    std::size_t begin, size;  // in the pending text
};

// Memory one thread reuses from text to text.
struct RowScratch {
    Tokenizer tokenizer{FoldOptions{}};
    std::vector<PendingToken> pending;
    std::string pending_text;
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> columns, sorted;
    std::string padded;
    std::vector<std::size_t> starts;
};

// Ascending. Radix passes beat comparisons from a few dozen columns on.
void sort_columns(std::vector<std::uint32_t>& columns, std::vector<std::uint32_t>& other) {
    if (columns.size() < 64) return std::sort(columns.begin(), columns.end());
    std::uint32_t all = 0;
    for (const std::uint32_t column : columns) all |= column;
    other.resize(columns.size());
    for (int shift = 0; shift < 32 && all >> shift != 0; shift += 8) {
        std::uint32_t places[256] = {};
        for (const std::uint32_t column : columns) ++places[column >> shift & 255];
        std::uint32_t sum = 0;
        for (std::uint32_t& place : places) sum += std::exchange(place, sum);
        for (const std::uint32_t column : columns) other[places[column >> shift & 255]++] = column;
        columns.swap(other);
    }
}

class TfidfVocabulary {
public:
    TfidfVocabulary(ArrayIn<std::uint8_t> token_data, ArrayIn<std::int64_t> token_offsets,
                    ArrayIn<std::uint64_t> token_slots, ArrayIn<std::int32_t> child_ptr, ArrayIn<std::uint32_t> labels,
                    ArrayIn<std::int32_t> dropped, ArrayIn<float> idf, ArrayIn<std::uint8_t> gram_data,
                    ArrayIn<std::int64_t> gram_offsets, ArrayIn<std::uint64_t> gram_slots, int ngrams_max,
                    int char_ngrams_min, int char_ngrams_max, bool nfkc, bool casefold, bool sublinear_tf)
        : held_{nb::cast(token_data),   nb::cast(token_offsets), nb::cast(token_slots), nb::cast(child_ptr),
                nb::cast(labels),       nb::cast(dropped),       nb::cast(idf),         nb::cast(gram_data),
                nb::cast(gram_offsets), nb::cast(gram_slots)},
          settings_{ngrams_max, char_ngrams_min, char_ngrams_max, {nfkc, casefold}},
          sublinear_tf_(sublinear_tf),
          tokens_(table(token_data, token_offsets, token_slots)),
          grams_(table(gram_data, gram_offsets, gram_slots)),
          trie_(child_ptr.data(), child_ptr.shape(0) - 1, labels.data(), labels.shape(0), tokens_.size()),
          dropped_(dropped.data(), dropped.data() + dropped.shape(0)),
          idf_(idf.data()),
          n_features_(idf.shape(0)) {
        if (child_ptr.shape(0) < 1 || trie_.n_inner() > trie_.n_nodes())
            throw nb::value_error("The n-gram trie does not fit the tokens.");
        if (n_features_ + dropped_.size() != trie_.n_nodes() + grams_.size())
            throw nb::value_error("The number of idf weights does not fit the vocabulary.");
        n_word_columns_ = trie_.n_nodes() - dropped_.size();
    }

    std::size_t n_features() const { return n_features_; }

    // Appends the row of a text: ascending columns, each plus first_column, and weights whose squares sum to weight².
    void append_row(const std::uint8_t* text, std::size_t size, float weight, std::int32_t first_column,
                    RowScratch& scratch, std::vector<std::int32_t>& columns, std::vector<float>& values) const {
        collect(text, size, scratch);
        sort_columns(scratch.columns, scratch.sorted);
        const std::size_t begin = values.size();
        double squares = 0;
        const std::uint32_t *at = scratch.columns.data(), *end = at + scratch.columns.size();
        while (at < end) {
            const std::uint32_t column = *at;
            const std::uint32_t* next = at;
            while (next < end && *next == column) ++next;
            const double count = static_cast<double>(next - at);
            const double value = (sublinear_tf_ ? 1 + std::log(count) : count) * idf_[column];
            squares += value * value;
            columns.push_back(static_cast<std::int32_t>(column) + first_column);
            values.push_back(static_cast<float>(value));
            at = next;
        }
        if (squares <= 0) return;
        const double scale = weight / std::sqrt(squares);
        for (std::size_t i = begin; i < values.size(); ++i) values[i] = static_cast<float>(values[i] * scale);
    }

    std::string feature_name(std::int64_t column) const {
        if (column < 0 || static_cast<std::size_t>(column) >= n_features_)
            throw nb::index_error("There is no such feature column.");
        if (static_cast<std::size_t>(column) >= n_word_columns_)
            return std::string(grams_.text(static_cast<std::size_t>(column) - n_word_columns_));
        auto node = static_cast<std::size_t>(column);
        for (const std::int32_t gone : dropped_) node += static_cast<std::size_t>(gone) <= node;
        std::string name(token_text(trie_.last_token(node)));
        // The bound keeps a damaged trie from turning in circles.
        for (int depth = 1; node >= tokens_.size() && depth < settings_.ngrams_max; ++depth) {
            node = trie_.parent(node);
            name = std::string(token_text(trie_.last_token(node))) + " " + name;
        }
        return name;
    }

private:
    static TokenTable table(const ArrayIn<std::uint8_t>& data, const ArrayIn<std::int64_t>& offsets,
                            const ArrayIn<std::uint64_t>& slots) {
        if (offsets.shape(0) < 1 || !std::has_single_bit(slots.shape(0)))
            throw nb::value_error("A token table needs offsets and a power of two of slots.");
        return {data.data(), data.shape(0), offsets.data(), offsets.shape(0) - 1, slots.data(), slots.shape(0)};
    }

    std::string_view token_text(std::size_t id) const {
        return id < tokens_.size() ? tokens_.text(id) : std::string_view();
    }

    void collect(const std::uint8_t* text, std::size_t size, RowScratch& scratch) const {
        scratch.ids.clear();
        scratch.columns.clear();
        scratch.tokenizer.set_options(settings_.fold);
        scratch.tokenizer.run(text, size, [&](const TokenView& token) {
            const std::uint64_t hash = hash_bytes(token.text, token.size);
            tokens_.ask_slot(hash);
            scratch.pending.push_back({hash, scratch.pending_text.size(), token.size});
            scratch.pending_text.append(token.text, token.size);
            if (scratch.pending.size() == kBatchTokens) look_up(scratch);
            if (settings_.has_chars()) collect_chars(token, scratch);
        });
        look_up(scratch);
        for (std::size_t begin = 0; begin < scratch.ids.size(); begin += kBatchTokens)
            collect_ngrams(begin, std::min(begin + kBatchTokens, scratch.ids.size()), scratch);
    }

    // Appends the numbers of the pending tokens to the ids.
    void look_up(RowScratch& scratch) const {
        std::int32_t found[kBatchTokens];
        const std::size_t n = scratch.pending.size();
        for (std::size_t i = 0; i < n; ++i) found[i] = tokens_.ask_place(scratch.pending[i].hash);
        for (std::size_t i = 0; i < n; ++i)
            if (found[i] >= 0) tokens_.ask_text(found[i]);
        for (std::size_t i = 0; i < n; ++i) {
            const PendingToken& token = scratch.pending[i];
            const char* text = scratch.pending_text.data() + token.begin;
            if (found[i] >= 0 && !tokens_.is_text(found[i], text, token.size))
                found[i] = tokens_.find(text, token.size, token.hash);
            if (found[i] >= 0) trie_.ask_children(found[i]);
        }
        scratch.ids.insert(scratch.ids.end(), found, found + n);
        scratch.pending.clear();
        scratch.pending_text.clear();
    }

    // The n-grams that begin at the tokens [begin, end).
    void collect_ngrams(std::size_t begin, std::size_t end, RowScratch& scratch) const {
        const std::vector<std::int32_t>& ids = scratch.ids;
        const std::size_t n = ids.size();
        for (std::size_t i = begin; i < end; ++i)
            if (ids[i] >= 0 && i + 1 < n && ids[i + 1] >= 0) trie_.ask_child(ids[i], ids[i + 1]);
        for (std::size_t i = begin; i < end; ++i) {
            std::int32_t node = ids[i];
            if (node < 0) continue;
            add_node(node, scratch.columns);
            for (std::size_t j = i + 1; j < n && j < i + settings_.ngrams_max; ++j) {
                node = ids[j] < 0 ? -1 : trie_.child(node, ids[j]);
                if (node < 0) break;
                add_node(node, scratch.columns);
            }
        }
    }

    void collect_chars(const TokenView& token, RowScratch& scratch) const {
        for_each_char_ngram(token.text, token.size, settings_.char_ngrams_min, settings_.char_ngrams_max,
                            scratch.padded, scratch.starts, [&](const char* gram, std::size_t size) {
                                const std::int32_t id = grams_.find(gram, size, hash_bytes(gram, size));
                                if (id >= 0)
                                    scratch.columns.push_back(static_cast<std::uint32_t>(n_word_columns_ + id));
                            });
    }

    void add_node(std::int32_t node, std::vector<std::uint32_t>& columns) const {
        if (dropped_.empty()) {
            prefetch(idf_ + node);
            return columns.push_back(static_cast<std::uint32_t>(node));
        }
        const auto gone = std::lower_bound(dropped_.begin(), dropped_.end(), node);
        if (gone != dropped_.end() && *gone == node) return;
        const std::int64_t column = node - (gone - dropped_.begin());
        if (column >= 0 && static_cast<std::size_t>(column) < n_word_columns_)
            columns.push_back(static_cast<std::uint32_t>(column));
    }

    std::vector<nb::object> held_;  // the arrays the views below look into
    TfidfSettings settings_;
    bool sublinear_tf_;
    TokenTable tokens_, grams_;
    TokenTrie trie_;
    std::vector<std::int32_t> dropped_;
    const float* idf_;
    std::size_t n_features_, n_word_columns_;
};

// One of the blocks of columns a row is put together from.
struct Part {
    const TfidfVocabulary* vocabulary;
    float weight;
    std::int32_t first_column;
};

std::vector<Part> make_parts(const std::vector<const TfidfVocabulary*>& vocabularies,
                             const std::vector<float>& weights) {
    if (vocabularies.size() != weights.size()) throw nb::value_error("Every vocabulary needs one weight.");
    std::vector<Part> parts;
    std::size_t n_columns = 0;
    for (std::size_t p = 0; p < vocabularies.size(); ++p) {
        parts.push_back({vocabularies[p], weights[p], static_cast<std::int32_t>(n_columns)});
        n_columns += vocabularies[p]->n_features();
    }
    if (n_columns > 0x7fffffff) throw nb::value_error("The vocabularies have more than 2**31 columns together.");
    return parts;
}

void normalize(float* values, std::size_t n) {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) squares += static_cast<double>(values[i]) * values[i];
    if (squares <= 0) return;
    const double scale = 1 / std::sqrt(squares);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(values[i] * scale);
}

struct RowBlock {
    std::vector<std::int32_t> columns;
    std::vector<float> values;
    std::vector<std::size_t> row_ends;
};

nb::tuple join_blocks(std::vector<RowBlock>& blocks, std::size_t n_rows, int n_threads) {
    std::vector<std::size_t> first_value{0}, first_row{0};
    for (const RowBlock& block : blocks) {
        first_value.push_back(first_value.back() + block.values.size());
        first_row.push_back(first_row.back() + block.row_ends.size());
    }
    const std::size_t n_values = first_value.back();
    auto indptr = std::make_unique_for_overwrite<std::int64_t[]>(n_rows + 1);
    auto columns = std::make_unique_for_overwrite<std::int32_t[]>(n_values);
    auto values = std::make_unique_for_overwrite<float[]>(n_values);
    indptr[0] = 0;
    parallel_for(blocks.size(), n_threads, [&](std::size_t b) {
        const RowBlock block = std::exchange(blocks[b], {});
        for (std::size_t r = 0; r < block.row_ends.size(); ++r)
            indptr[first_row[b] + r + 1] = static_cast<std::int64_t>(first_value[b] + block.row_ends[r]);
        std::copy(block.columns.begin(), block.columns.end(), columns.get() + first_value[b]);
        std::copy(block.values.begin(), block.values.end(), values.get() + first_value[b]);
    });
    return nb::make_tuple(to_numpy(std::move(indptr), n_rows + 1), to_numpy(std::move(columns), n_values),
                          to_numpy(std::move(values), n_values));
}

nb::tuple tfidf_rows(const std::vector<const TfidfVocabulary*>& vocabularies, const std::vector<float>& weights,
                     const std::vector<ArrayIn<std::uint8_t>>& data, const std::vector<ArrayIn<std::int64_t>>& offsets,
                     bool is_normalized, int n_threads) {
    const std::vector<Part> parts = make_parts(vocabularies, weights);
    if (parts.empty() || data.size() != parts.size() || offsets.size() != parts.size())
        throw nb::value_error("Every vocabulary needs texts of its own.");
    std::vector<Texts> texts;
    std::size_t longest = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        texts.emplace_back(data[p], offsets[p]);
        if (texts[p].size() != texts[0].size()) throw nb::value_error("Every vocabulary needs as many texts.");
        if (data[p].shape(0) > data[longest].shape(0)) longest = p;
    }
    const std::vector<std::size_t> bounds = texts[longest].chunks(kChunkBytes, 1 << 13);
    std::vector<RowBlock> blocks(bounds.size() - 1);
    std::vector<RowScratch> scratches(worker_count(blocks.size(), n_threads));
    parallel_for(blocks.size(), n_threads, [&](std::size_t b, int worker) {
        RowBlock block;
        RowScratch& scratch = scratches[worker];
        for (std::size_t i = bounds[b]; i < bounds[b + 1]; ++i) {
            const std::size_t begin = block.values.size();
            for (std::size_t p = 0; p < parts.size(); ++p)
                parts[p].vocabulary->append_row(texts[p].text(i), texts[p].length(i), parts[p].weight,
                                                parts[p].first_column, scratch, block.columns, block.values);
            if (is_normalized) normalize(block.values.data() + begin, block.values.size() - begin);
            block.row_ends.push_back(block.values.size());
        }
        blocks[b] = std::move(block);
    });
    return join_blocks(blocks, texts[0].size(), n_threads);
}

nb::tuple tfidf_row(const std::vector<const TfidfVocabulary*>& vocabularies, const std::vector<float>& weights,
                    nb::list strings, bool is_normalized) {
    const std::vector<Part> parts = make_parts(vocabularies, weights);
    if (strings.size() != parts.size()) throw nb::value_error("Every vocabulary needs a text of its own.");
    static thread_local RowScratch scratch;
    std::vector<std::int32_t> columns;
    std::vector<float> values;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Utf8 text(strings[p]);
        parts[p].vocabulary->append_row(text.data(), text.size(), parts[p].weight, parts[p].first_column, scratch,
                                        columns, values);
    }
    if (is_normalized) normalize(values.data(), values.size());
    return nb::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(values)));
}

}  // namespace

void bind_tfidf(nb::module_& m) {
    nb::class_<TfidfVocabulary>(m, "TfidfVocabulary",
                                "N-grams, their columns and idf weights, in arrays it only looks into.")
        .def(nb::init<ArrayIn<std::uint8_t>, ArrayIn<std::int64_t>, ArrayIn<std::uint64_t>, ArrayIn<std::int32_t>,
                      ArrayIn<std::uint32_t>, ArrayIn<std::int32_t>, ArrayIn<float>, ArrayIn<std::uint8_t>,
                      ArrayIn<std::int64_t>, ArrayIn<std::uint64_t>, int, int, int, bool, bool, bool>(),
             nb::arg("token_data"), nb::arg("token_offsets"), nb::arg("token_slots"), nb::arg("child_ptr"),
             nb::arg("labels"), nb::arg("dropped"), nb::arg("idf"), nb::arg("gram_data"), nb::arg("gram_offsets"),
             nb::arg("gram_slots"), nb::arg("ngrams_max"), nb::arg("char_ngrams_min"), nb::arg("char_ngrams_max"),
             nb::arg("nfkc"), nb::arg("casefold"), nb::arg("sublinear_tf"))
        .def_prop_ro("n_features", &TfidfVocabulary::n_features)
        .def("feature_name", &TfidfVocabulary::feature_name, nb::arg("column"));
    m.def("tfidf_rows", &tfidf_rows, nb::arg("vocabularies"), nb::arg("weights"), nb::arg("data"), nb::arg("offsets"),
          nb::arg("is_normalized"), nb::arg("n_threads"),
          "(indptr, columns, values): one row per text, the vocabularies' columns one after the other.");
    m.def("tfidf_row", &tfidf_row, nb::arg("vocabularies"), nb::arg("weights"), nb::arg("texts"),
          nb::arg("is_normalized"), "(columns, values) of the row of one text per vocabulary.");
}

}  // namespace deixis
