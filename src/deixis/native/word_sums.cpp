// What candidates have of the words of a query, by the weights of the words. Candidates lie all over memory, so those
// that come next are prefetched.
#include <cstdint>
#include <vector>

#include "border.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "word_numbers.hpp"

namespace deixis {
namespace {

constexpr int64_t kAhead = 6;  // candidates whose words are asked for before they are read

// Mention `i` is held against the entities `entities[starts[i]:starts[i + 1]]`; its words are row `i` of the queries.
ArrayOut<float> word_sums(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data,
                          ArrayIn<int64_t> starts, ArrayIn<int64_t> entity_indptr, ArrayIn<int32_t> entity_words,
                          ArrayIn<int64_t> entities, int n_threads) {
    const size_t n_mentions = n_rows_of("starts", starts);
    const CsrView queries = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_size("indptr", indptr, n_mentions + 1, "one for each mention and one more");
    check_starts("starts", starts, n_mentions, entities.shape(0));
    check_ends("entity_indptr", entity_indptr, n_rows_of("entity_indptr", entity_indptr), entity_words.shape(0));
    check_numbers("entities", entities, static_cast<int64_t>(entity_indptr.shape(0)) - 1);
    const int64_t *begins = entity_indptr.data(), *partners = entities.data();
    const int32_t* words = entity_words.data();
    std::vector<float> sums(entities.shape(0));
    parallel_for(n_mentions, n_threads, [&](size_t mention) {
        const int64_t first = starts.data()[mention], last = starts.data()[mention + 1];
        if (first == last) return;
        const int64_t begin = queries.indptr[mention], n_words = queries.nnz(static_cast<int64_t>(mention));
        WordNumbers numbers(static_cast<size_t>(n_words));
        for (int64_t i = 0; i < n_words; ++i) numbers.add(queries.indices[begin + i], static_cast<size_t>(i));
        const float* weights = queries.data + begin;
        for (auto pair = first; pair < last; ++pair) {
            if (pair + 2 * kAhead < last) prefetch(begins + partners[pair + 2 * kAhead]);
            if (pair + kAhead < last) {
                const int32_t* next = words + begins[partners[pair + kAhead]];
                prefetch(next);
                prefetch(next + 16);
                prefetch(next + 32);
            }
            double sum = 0.0;
            for (auto at = begins[partners[pair]]; at < begins[partners[pair] + 1]; ++at) {
                if (!numbers.may_have(words[at])) continue;
                if (const int32_t number = numbers.find(words[at]); number >= 0) sum += weights[number];
            }
            sums[static_cast<size_t>(pair)] = static_cast<float>(sum);
        }
    });
    return to_numpy(std::move(sums));
}

}  // namespace

void bind_word_sums(nb::module_& m) {
    define(m, "word_sums", &word_sums,
           {"indptr", "indices", "data", "starts", "entity_indptr", "entity_words", "entities", "n_threads"},
           "The sum of the weights of each mention's words that each of its candidates has.");
}

}  // namespace deixis
