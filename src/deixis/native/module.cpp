// The compiled core's Python module: every part registers what it offers.
#include <nanobind/nanobind.h>

// clang-format off
#define DEIXIS_PARTS(part) \
    part(border) part(clustering) part(free_clustering) part(sparse_text) part(row_dots) part(word_sums) part(entity_names) part(ranking) part(on_list) part(row_merging) part(key_table) part(log_odds) part(block_build) \
    part(block_search) part(indel_build) part(indel_search) part(learned_search) part(rankers) \
    part(label_walks) part(packed_levels) part(beam_search) part(tokenizer) part(name_keys) part(name_spelling) part(tfidf_fit) part(tfidf) part(context_words) part(entity_words) \
    part(dictionary_build) part(dictionary) part(names_build) part(name_spans) part(span_features)
// clang-format on

namespace deixis {
#define DECLARE(part) void bind_##part(nanobind::module_& m);
DEIXIS_PARTS(DECLARE)
}  // namespace deixis

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of Deixis.";
#ifdef NDEBUG
    // An index that a cache or a frame holds until the interpreter exits is freed with the process; a debug build
    // reports it, for who looks for a missing decrement.
    nanobind::set_leak_warnings(false);
#endif
#define BIND(part) deixis::bind_##part(m);
    DEIXIS_PARTS(BIND)
}
