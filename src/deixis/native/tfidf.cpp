// Texts to rows of TF-IDF weights, by a vocabulary that lies in (memory-mapped) arrays.
#include <algorithm>
#include <memory>

#include <nanobind/stl/string.h>

#include "parallel.hpp"
#include "texts.hpp"
#include "tfidf_vocabulary.hpp"

namespace deixis {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

// One of the blocks of columns a row is put together from.
struct Part {
    const TfidfVocabulary* vocabulary;
    float weight;
    int32_t first_column;
};

std::vector<Part> make_parts(const std::vector<const TfidfVocabulary*>& vocabularies,
                             const std::vector<float>& weights) {
    if (vocabularies.size() != weights.size())
        refuse("weights has ", weights.size(), " items; it needs ", vocabularies.size(), ", one for each vocabulary.");
    std::vector<Part> parts;
    size_t n_columns = 0;
    for (size_t p = 0; p < vocabularies.size(); ++p) {
        parts.push_back({vocabularies[p], weights[p], static_cast<int32_t>(n_columns)});
        n_columns += vocabularies[p]->n_features();
    }
    if (n_columns > 0x7fffffff) refuse("vocabularies have ", n_columns, " columns together; 2^31 - 1 are the most.");
    return parts;
}

void normalize(float* values, size_t n) {
    double squares = 0;
    for (size_t i = 0; i < n; ++i) squares += static_cast<double>(values[i]) * values[i];
    if (squares <= 0) return;
    const double scale = 1 / std::sqrt(squares);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(values[i] * scale);
}

struct RowBlock {
    std::vector<int32_t> columns;
    std::vector<float> values;
    std::vector<size_t> row_ends;
};

auto join_blocks(std::vector<RowBlock>& blocks, size_t n_rows, int n_threads) {
    std::vector<size_t> first_value{0}, first_row{0};
    for (const RowBlock& block : blocks) {
        first_value.push_back(first_value.back() + block.values.size());
        first_row.push_back(first_row.back() + block.row_ends.size());
    }
    const size_t n_values = first_value.back();
    auto indptr = std::make_unique_for_overwrite<int64_t[]>(n_rows + 1);
    auto columns = std::make_unique_for_overwrite<int32_t[]>(n_values);
    auto values = std::make_unique_for_overwrite<float[]>(n_values);
    indptr[0] = 0;
    parallel_for(blocks.size(), n_threads, [&](size_t b) {
        const RowBlock block = std::exchange(blocks[b], {});
        for (size_t r = 0; r < block.row_ends.size(); ++r)
            indptr[first_row[b] + r + 1] = static_cast<int64_t>(first_value[b] + block.row_ends[r]);
        std::copy(block.columns.begin(), block.columns.end(), columns.get() + first_value[b]);
        std::copy(block.values.begin(), block.values.end(), values.get() + first_value[b]);
    });
    return std::make_tuple(to_numpy(std::move(indptr), n_rows + 1), to_numpy(std::move(columns), n_values),
                           to_numpy(std::move(values), n_values));
}

auto tfidf_rows(const std::vector<const TfidfVocabulary*>& vocabularies, const std::vector<float>& weights,
                const std::vector<ArrayIn<uint8_t>>& data, const std::vector<ArrayIn<int64_t>>& offsets,
                bool is_normalized, int n_threads) {
    const std::vector<Part> parts = make_parts(vocabularies, weights);
    if (parts.empty()) refuse("vocabularies is empty; one is needed at least.");
    if (data.size() != parts.size() || offsets.size() != parts.size())
        refuse("data and offsets have ", data.size(), " and ", offsets.size(), " arrays; they need ", parts.size(),
               ", one for each vocabulary.");
    std::vector<Texts> texts;
    size_t longest = 0;
    for (size_t p = 0; p < parts.size(); ++p) {
        texts.emplace_back(data[p], offsets[p]);
        if (texts[p].size() != texts[0].size())
            refuse("offsets[", p, "] has ", texts[p].size(), " texts; it needs ", texts[0].size(),
                   ", as many as the first.");
        if (data[p].shape(0) > data[longest].shape(0)) longest = p;
    }
    const std::vector<size_t> bounds = texts[longest].chunks(kChunkBytes, 1 << 13);
    std::vector<RowBlock> blocks(bounds.size() - 1);
    std::vector<RowScratch> scratches(worker_count(blocks.size(), n_threads));
    parallel_for(blocks.size(), n_threads, [&](size_t b, int worker) {
        RowBlock block;
        RowScratch& scratch = scratches[worker];
        for (size_t i = bounds[b]; i < bounds[b + 1]; ++i) {
            const size_t begin = block.values.size();
            scratch.text = nullptr;
            for (size_t p = 0; p < parts.size(); ++p)
                parts[p].vocabulary->append_row(texts[p].text(i), texts[p].length(i), parts[p].weight,
                                                parts[p].first_column, scratch, block.columns, block.values);
            if (is_normalized) normalize(block.values.data() + begin, block.values.size() - begin);
            block.row_ends.push_back(block.values.size());
        }
        blocks[b] = std::move(block);
    });
    return join_blocks(blocks, texts[0].size(), n_threads);
}

auto tfidf_row(const std::vector<const TfidfVocabulary*>& vocabularies, const std::vector<float>& weights,
               StringList strings, bool is_normalized) {
    const std::vector<Part> parts = make_parts(vocabularies, weights);
    if (strings.size() != parts.size())
        refuse("texts has ", strings.size(), " items; it needs ", parts.size(), ", one for each vocabulary.");
    static thread_local RowScratch scratch;
    std::vector<int32_t> columns;
    std::vector<float> values;
    for (size_t p = 0; p < parts.size(); ++p) {
        const Utf8 text(strings[p]);
        scratch.text = nullptr;
        parts[p].vocabulary->append_row(text.data(), text.size(), parts[p].weight, parts[p].first_column, scratch,
                                        columns, values);
    }
    if (is_normalized) normalize(values.data(), values.size());
    return std::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(values)));
}

}  // namespace

void bind_tfidf(nb::module_& m) {
    nb::class_<TfidfVocabulary> vocabulary(m, "TfidfVocabulary",
                                           "N-grams, their columns and idf weights, in arrays it only looks into.");
    define_init<ArrayIn<uint8_t>, ArrayIn<uint32_t>, ArrayIn<uint32_t>, ArrayIn<int32_t>, ArrayIn<uint32_t>,
                ArrayIn<int32_t>, ArrayIn<float>, ArrayIn<uint8_t>, ArrayIn<uint32_t>, ArrayIn<uint32_t>, int, int, int,
                bool, bool, bool>(
        vocabulary, {"tokens_data", "tokens_offsets", "tokens_slots", "trie_child_ptr", "trie_labels", "dropped", "idf",
                     "grams_data", "grams_offsets", "grams_slots", "ngrams_max", "char_ngrams_min", "char_ngrams_max",
                     "nfkc", "casefold", "sublinear_tf"});
    vocabulary.def_prop_ro("n_features", &TfidfVocabulary::n_features);
    define(vocabulary, "feature_name", &TfidfVocabulary::feature_name, {"column"}, "The n-gram of a column.");
    define(vocabulary, "knows", &TfidfVocabulary::knows, {"other"},
           "For each column of another vocabulary whether this one has its n-gram, even if it was dropped.");
    define(m, "tfidf_rows", &tfidf_rows, {"vocabularies", "weights", "data", "offsets", "is_normalized", "n_threads"},
           "One row per text, the vocabularies' columns one after the other: row starts, columns, values. "
           "With a weight below 0 the values of a vocabulary stay counts times idf.");
    define(m, "tfidf_row", &tfidf_row, {"vocabularies", "weights", "texts", "is_normalized"},
           "Columns and values of the row of one text per vocabulary.");
}

}  // namespace deixis
