// Two rankings of the same labels made one: weighted sums of their scores, row by row.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

struct Ranked {
    float score;
    int32_t label;
    bool operator<(const Ranked& other) const {
        return score != other.score ? score > other.score : label < other.label;
    }
};

void append(const CsrView& rows, size_t row, float share, std::vector<Ranked>& found) {
    for (auto i = rows.indptr[row]; i < rows.indptr[row + 1]; ++i)
        found.push_back({share * rows.data[i], rows.indices[i]});
}

// The best k of a row; a label that one side did not find has 0 there.
void blend_row(std::vector<Ranked>& found, size_t k) {
    std::sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) { return a.label < b.label; });
    size_t n = 0;
    for (size_t i = 0; i < found.size(); ++i) {
        if (n > 0 && found[n - 1].label == found[i].label)
            found[n - 1].score += found[i].score;
        else
            found[n++] = found[i];
    }
    found.resize(n);
    const auto n_kept = std::min(k, n);
    std::partial_sort(found.begin(), found.begin() + static_cast<ptrdiff_t>(n_kept), found.end());
    found.resize(n_kept);
}

auto blend_rankings(ArrayIn<int64_t> first_indptr, ArrayIn<int32_t> first_labels, ArrayIn<float> first_scores,
                    ArrayIn<int64_t> second_indptr, ArrayIn<int32_t> second_labels, ArrayIn<float> second_scores,
                    ArrayIn<float> first_shares, int64_t k, int n_threads) {
    const CsrView first =
        csr_view({"first_indptr", "first_labels", "first_scores"}, first_indptr, first_labels, first_scores);
    const CsrView second =
        csr_view({"second_indptr", "second_labels", "second_scores"}, second_indptr, second_labels, second_scores);
    const auto n_rows = static_cast<size_t>(first.n_rows);
    check_size("second_indptr", second_indptr, n_rows + 1, "as many as first_indptr");
    check_size("first_shares", first_shares, n_rows, "one for each row");
    std::vector<std::vector<Ranked>> rows(n_rows);
    parallel_for(n_rows, n_threads, [&](size_t row) {
        const float share = first_shares.data()[row];
        rows[row].reserve(static_cast<size_t>(first.nnz(row) + second.nnz(row)));
        append(first, row, share, rows[row]);
        append(second, row, 1.0f - share, rows[row]);
        blend_row(rows[row], static_cast<size_t>(k));
    });
    return joined_rows(
        rows, [](const Ranked& each) { return each.label; }, [](const Ranked& each) { return each.score; });
}

}  // namespace

void bind_blending(nb::module_& m) {
    define(m, "blend_rankings", &blend_rankings,
           {"first_indptr", "first_labels", "first_scores", "second_indptr", "second_labels", "second_scores",
            "first_shares", "k", "n_threads"},
           "The best k of each row by weighted sums of two rankings: row starts, labels, scores.");
}

}  // namespace deixis
