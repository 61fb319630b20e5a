// What candidates have of the words of a query, by the weights of the words. Candidates lie all over memory, so those
// that come next are prefetched.
#include <cstdint>
#include <vector>

#include "border.hpp"
#include "entity_words.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "word_numbers.hpp"

namespace deixis {
namespace {

constexpr int64_t kAhead = 6;  // candidates whose words are asked for before they are read

// Mention `i` is held against the entities `entities[starts[i]:starts[i + 1]]`; its words are row `i` of the queries.
// An entity has `n_kinds` rows of words one after the other, of which the one of this kind counts.
ArrayOut<float> word_sums(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data,
                          ArrayIn<int64_t> starts, ArrayIn<uint32_t> row_starts, ArrayIn<uint16_t> row_words,
                          size_t n_kinds, size_t kind, ArrayIn<int64_t> entities, int n_threads) {
    const size_t n_mentions = n_rows_of("starts", starts), n_rows = n_rows_of("row_starts", row_starts);
    const CsrView queries = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_size("indptr", indptr, n_mentions + 1, "one for each mention and one more");
    check_starts("starts", starts, n_mentions, entities.shape(0));
    check_ends("row_starts", row_starts, n_rows, row_words.shape(0));
    if (kind >= n_kinds || n_rows % n_kinds != 0) refuse(n_rows, " rows of ", n_kinds, " kinds have none of ", kind);
    check_numbers("entities", entities, static_cast<int64_t>(n_rows / n_kinds));
    const int64_t* partners = entities.data();
    const uint16_t* words = row_words.data();
    const auto row_of = [&](int64_t pair) {
        return row_starts.data() + static_cast<size_t>(partners[pair]) * n_kinds + kind;
    };
    std::vector<float> sums(entities.shape(0));
    parallel_for(n_mentions, n_threads, [&](size_t mention) {
        const int64_t first = starts.data()[mention], last = starts.data()[mention + 1];
        if (first == last) return;
        const int64_t begin = queries.indptr[mention], n_words = queries.nnz(static_cast<int64_t>(mention));
        WordNumbers numbers(static_cast<size_t>(n_words));
        for (int64_t i = 0; i < n_words; ++i) numbers.add(queries.indices[begin + i], static_cast<size_t>(i));
        const float* weights = queries.data + begin;
        for (auto pair = first; pair < last; ++pair) {
            if (pair + 2 * kAhead < last) prefetch(row_of(pair + 2 * kAhead));
            if (pair + kAhead < last) {
                const uint16_t* next = words + *row_of(pair + kAhead);
                prefetch(next);
                prefetch(next + 32);
            }
            double sum = 0.0;
            const uint32_t* row = row_of(pair);
            for_each_number(numbers, words + row[0], words + row[1], [&](int32_t number) { sum += weights[number]; });
            sums[static_cast<size_t>(pair)] = static_cast<float>(sum);
        }
    });
    return to_numpy(std::move(sums));
}

}  // namespace

void bind_word_sums(nb::module_& m) {
    define(
        m, "word_sums", &word_sums,
        {"indptr", "indices", "data", "starts", "row_starts", "row_words", "n_kinds", "kind", "entities", "n_threads"},
        "The sum of the weights of each mention's words that each of its candidates has.");
}

}  // namespace deixis
