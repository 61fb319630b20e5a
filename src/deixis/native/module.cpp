// The compiled core's Python module: each kernel registers itself here.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace deixis {
void bind_clustering(nb::module_& m);
void bind_free_clustering(nb::module_& m);
void bind_sparse_rows(nb::module_& m);
void bind_sparse_text(nb::module_& m);
void bind_row_dots(nb::module_& m);
void bind_block_build(nb::module_& m);
void bind_block_search(nb::module_& m);
void bind_blending(nb::module_& m);
void bind_indel_build(nb::module_& m);
void bind_indel_search(nb::module_& m);
void bind_learned_search(nb::module_& m);
void bind_rankers(nb::module_& m);
void bind_label_walks(nb::module_& m);
void bind_beam_search(nb::module_& m);
void bind_tokenizer(nb::module_& m);
void bind_name_keys(nb::module_& m);
void bind_tfidf_fit(nb::module_& m);
void bind_tfidf(nb::module_& m);
void bind_dictionary_build(nb::module_& m);
void bind_dictionary(nb::module_& m);
}  // namespace deixis

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels of Deixis.";
    deixis::bind_clustering(m);
    deixis::bind_free_clustering(m);
    deixis::bind_sparse_rows(m);
    deixis::bind_sparse_text(m);
    deixis::bind_row_dots(m);
    deixis::bind_block_build(m);
    deixis::bind_block_search(m);
    deixis::bind_blending(m);
    deixis::bind_indel_build(m);
    deixis::bind_indel_search(m);
    deixis::bind_learned_search(m);
    deixis::bind_rankers(m);
    deixis::bind_label_walks(m);
    deixis::bind_beam_search(m);
    deixis::bind_tokenizer(m);
    deixis::bind_name_keys(m);
    deixis::bind_tfidf_fit(m);
    deixis::bind_tfidf(m);
    deixis::bind_dictionary_build(m);
    deixis::bind_dictionary(m);
}
