// Two rankings of the same labels made one: weighted sums of their scores, row by row.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

struct Ranked {
    float score;
    std::int32_t label;
    bool operator<(const Ranked& other) const {
        return score != other.score ? score > other.score : label < other.label;
    }
};

void append(const CsrView& rows, std::size_t row, float share, std::vector<Ranked>& found) {
    for (auto i = rows.indptr[row]; i < rows.indptr[row + 1]; ++i)
        found.push_back({share * rows.data[i], rows.indices[i]});
}

// The best k of a row; a label that one side did not find has 0 there.
void blend_row(std::vector<Ranked>& found, std::size_t k) {
    std::sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) { return a.label < b.label; });
    std::size_t n = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (n > 0 && found[n - 1].label == found[i].label)
            found[n - 1].score += found[i].score;
        else
            found[n++] = found[i];
    }
    found.resize(n);
    const auto n_kept = std::min(k, n);
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n_kept), found.end());
    found.resize(n_kept);
}

auto blend_rankings(ArrayIn<std::int64_t> first_indptr, ArrayIn<std::int32_t> first_labels, ArrayIn<float> first_scores,
                    ArrayIn<std::int64_t> second_indptr, ArrayIn<std::int32_t> second_labels,
                    ArrayIn<float> second_scores, ArrayIn<float> first_shares, std::int64_t k, int n_threads) {
    const CsrView first(first_indptr, first_labels, first_scores), second(second_indptr, second_labels, second_scores);
    const auto n_rows = static_cast<std::size_t>(first.n_rows);
    if (first.n_rows != second.n_rows || first_shares.shape(0) != n_rows)
        throw std::invalid_argument("The rankings must have as many rows.");
    std::vector<std::vector<Ranked>> rows(n_rows);
    parallel_for(n_rows, n_threads, [&](std::size_t row) {
        const float share = first_shares.data()[row];
        rows[row].reserve(static_cast<std::size_t>(first.nnz(row) + second.nnz(row)));
        append(first, row, share, rows[row]);
        append(second, row, 1.0f - share, rows[row]);
        blend_row(rows[row], static_cast<std::size_t>(k));
    });
    std::vector<std::int64_t> indptr(n_rows + 1, 0);
    for (std::size_t row = 0; row < n_rows; ++row)
        indptr[row + 1] = indptr[row] + static_cast<std::int64_t>(rows[row].size());
    std::vector<std::int32_t> labels;
    std::vector<float> scores;
    labels.reserve(indptr.back());
    scores.reserve(indptr.back());
    for (const auto& row : rows)
        for (const auto& ranked : row) {
            labels.push_back(ranked.label);
            scores.push_back(ranked.score);
        }
    return std::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(labels)), to_numpy(std::move(scores)));
}

}  // namespace

void bind_blending(nb::module_& m) {
    m.def("blend_rankings", &blend_rankings, nb::arg("first_indptr"), nb::arg("first_labels"), nb::arg("first_scores"),
          nb::arg("second_indptr"), nb::arg("second_labels"), nb::arg("second_scores"), nb::arg("first_shares"),
          nb::arg("k"), nb::arg("n_threads"));
}

}  // namespace deixis
