// The evidence that mentions mean anything on the list, put together of what is known of each and its best candidate.
#include <algorithm>
#include <cmath>

#include "border.hpp"

namespace deixis {
namespace {

constexpr double kSame = 0.995;  // names at least as similar are the same
constexpr double kMaxWords = 6, kMaxLead = 6;
constexpr size_t kColumns = 17;

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A row for each mention, in the order of `EVIDENCE` of deixis.decision.on_list; all 0 where there is no candidate.
// `spelled` has the similarity, the shared words, whether it is a part of a name and whether initials of one; `counts`
// the words, the different ones, those of them that are no fillers, whether there is a digit, and whether a capital
// comes first.
ArrayOut<float> on_list_evidence(Rows spelled, Rows counts, ArrayIn<int64_t> rows, ArrayIn<float> aliases,
                                 ArrayIn<float> titles, ArrayIn<float> label_tree, ArrayIn<double> leads,
                                 ArrayIn<float> described, ArrayIn<double> known, ArrayIn<int64_t> n_known,
                                 double max_idf, double size, bool is_described) {
    const size_t n = rows.shape(0);
    if (spelled.shape(0) != n || spelled.shape(1) != 4) refuse("spelled must have ", n, " rows of 4 numbers.");
    if (counts.shape(0) != n || counts.shape(1) != 5) refuse("counts must have ", n, " rows of 5 numbers.");
    check_size("aliases", aliases, n, "one for each mention");
    check_size("titles", titles, n, "one for each mention");
    check_size("label_tree", label_tree, n, "one for each mention");
    check_size("leads", leads, n, "one for each mention");
    check_size("described", described, n, "one for each mention");
    check_size("known", known, n, "one for each mention");
    check_size("n_known", n_known, n, "one for each mention");
    std::vector<float> evidence(n * kColumns, 0.0f);
    for (size_t i = 0; i < n; ++i) {
        if (rows.data()[i] < 0) continue;
        const double* spelling = spelled.data() + 4 * i;
        const double* words = counts.data() + 5 * i;
        const double similarity = spelling[0], acronym = similarity < 0.9 ? spelling[3] : 0.0;
        const bool is_known_name = aliases.data()[i] > 0 && acronym == 0;
        const double exact = is_known_name || similarity >= kSame ? 1.0 : 0.0, other = 1.0 - exact;
        // Words that no entity of the list has weigh as much as the rarest.
        const double n_unknown = std::max(std::min(words[1] - static_cast<double>(n_known.data()[i]), words[2]), 0.0);
        const double covered = described.data()[i] / (known.data()[i] + n_unknown * max_idf + 1e-9);
        const double columns[kColumns] = {
            exact,
            acronym,
            similarity * other,
            4 * std::max(0.0, similarity - 0.75) * other,
            spelling[1] * other,
            covered * other,
            (covered > 0.99) * other,
            size * exact,
            size * spelling[2] * other,
            std::min(words[0], kMaxWords),
            words[3] * other,
            label_tree.data()[i],
            words[4] * exact,
            std::clamp(leads.data()[i], 0.0, kMaxLead) * exact,
            is_described * other,
            titles.data()[i] * exact,
            1.0,
        };
        std::transform(columns, columns + kColumns, evidence.begin() + static_cast<ptrdiff_t>(i * kColumns),
                       [](double each) { return static_cast<float>(each); });
    }
    return to_numpy(std::move(evidence));
}

}  // namespace

void bind_on_list(nb::module_& m) {
    define(m, "on_list_evidence", &on_list_evidence,
           {"spelled", "counts", "rows", "aliases", "titles", "label_tree", "leads", "described", "known", "n_known",
            "max_idf", "size", "is_described"},
           "The evidence of each mention, one row after the other.");
}

}  // namespace deixis
