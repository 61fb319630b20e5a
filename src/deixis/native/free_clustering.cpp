// Hierarchical k-means whose clusters have the sizes they have (after Bonsai, Khandagale et al. 2020: shallow and
// unbalanced trees), by repeated bisection.
//
// A node of n rows becomes a given number of clusters: it is cut in two where two centres are equally near, each side
// gets clusters in proportion to its rows, and so on. A side is moved only where a cluster would be empty or beyond the
// limit.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bisection.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {
namespace {

// A run of the order, the clusters it is to become, and the rows that each of them may have.
struct Run {
    std::int64_t begin, n, n_clusters, limit;
};

class FreeTree {
public:
    FreeTree(const CsrView& rows, std::int64_t n_features, std::int64_t max_sample, std::int32_t max_rounds,
             std::uint64_t seed)
        : rows_(rows),
          n_features_(n_features),
          max_sample_(max_sample),
          max_rounds_(max_rounds),
          seed_(seed),
          order_(rows.n_rows) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    // Cuts every run of one level; gives the sizes of each one's clusters.
    std::vector<std::vector<std::int64_t>> cut(const std::vector<Run>& runs, int n_threads) {
        std::vector<std::vector<std::int64_t>> sizes(runs.size());
        std::vector<std::unique_ptr<Scratch>> scratches(worker_count(runs.size(), n_threads));
        parallel_for(static_cast<std::int64_t>(runs.size()), n_threads, [&](std::int64_t i, int worker) {
            if (!scratches[worker]) scratches[worker] = std::make_unique<Scratch>(n_features_);
            divide_large(runs[i], *scratches[worker], sizes[i]);
        });
        return sizes;
    }

    std::vector<std::int32_t> take_order() { return std::move(order_); }

private:
    // How many clusters the first side gets, of a run whose first `n_left` rows are on it.
    static std::int64_t clusters_left(const Run& run, std::int64_t n_left) {
        const double share = static_cast<double>(n_left) / static_cast<double>(run.n);
        const auto wanted = static_cast<std::int64_t>(std::floor(share * static_cast<double>(run.n_clusters) + 0.5));
        return std::clamp<std::int64_t>(wanted, 1, run.n_clusters - 1);
    }

    // Where to cut: where the centres are equally near, or as near to it as leaves no cluster empty or beyond the
    // limit.
    static std::int64_t cut_at(const Run& run, std::int64_t n_nearer) {
        const std::int64_t left = clusters_left(run, n_nearer), right = run.n_clusters - left;
        const std::int64_t least = std::max(left, run.n - right * run.limit),
                           most = std::min(left * run.limit, run.n - right);
        return std::clamp(n_nearer, least, most);
    }

    static std::pair<Run, Run> halves(const Run& run, std::int64_t n_left) {
        const std::int64_t left = clusters_left(run, n_left);
        return {{run.begin, n_left, left, run.limit},
                {run.begin + n_left, run.n - n_left, run.n_clusters - left, run.limit}};
    }

    Random random_for(const Run& run) const {
        return Random(
            seed_, static_cast<std::uint64_t>(run.begin) * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(run.n));
    }

    void divide_large(const Run& run, Scratch& memory, std::vector<std::int64_t>& sizes) {
        std::int32_t* members = order_.data() + run.begin;
        if (run.n_clusters > 1 && run.n > max_sample_) {
            Random random = random_for(run);
            const std::int64_t n_left = cut_all_by_sample(
                rows_, members, run.n, max_sample_, max_rounds_, random, memory,
                [&](std::int64_t n, std::int64_t n_nearer) {
                    return n == run.n ? cut_at(run, n_nearer) : std::clamp<std::int64_t>(n_nearer, 1, n - 1);
                });
            const auto [left, right] = halves(run, n_left);
            divide_large(left, memory, sizes);
            divide_large(right, memory, sizes);
            return;
        }
        const LocalRows local = copy_rows(rows_, members, run.n, memory);
        std::vector<std::int32_t> numbers(run.n), ordered(run.n);
        std::iota(numbers.begin(), numbers.end(), 0);
        divide(local, numbers.data(), run, memory, sizes);
        for (std::int64_t i = 0; i < run.n; ++i) ordered[i] = members[numbers[i]];
        std::copy(ordered.begin(), ordered.end(), members);
    }

    void divide(const LocalRows& local, std::int32_t* numbers, const Run& run, Scratch& memory,
                std::vector<std::int64_t>& sizes) {
        if (run.n_clusters < 2 || stop_requested()) {
            sizes.push_back(run.n);
            return;
        }
        if (run.n * 8 <=
            static_cast<std::int64_t>(local.indptr.size()) - 1) {  // much smaller than its copy: copy again
            std::vector<std::int32_t> chosen(numbers, numbers + run.n), inner(run.n);
            const LocalRows smaller = copy_rows(local.view(), chosen.data(), run.n, memory);
            std::iota(inner.begin(), inner.end(), 0);
            divide(smaller, inner.data(), run, memory, sizes);
            for (std::int64_t i = 0; i < run.n; ++i) numbers[i] = chosen[inner[i]];
            return;
        }
        Random random = random_for(run);
        const std::int64_t n_left =
            Bisection(local, max_rounds_).run(numbers, run.n, random, [&](std::int64_t, std::int64_t n_nearer) {
                return cut_at(run, n_nearer);
            });
        std::sort(numbers, numbers + n_left);
        std::sort(numbers + n_left, numbers + run.n);
        const auto [left, right] = halves(run, n_left);
        divide(local, numbers, left, memory, sizes);
        divide(local, numbers + n_left, right, memory, sizes);
    }

    CsrView rows_;
    std::int64_t n_features_, max_sample_;
    std::int32_t max_rounds_;
    std::uint64_t seed_;
    std::vector<std::int32_t> order_;
};

// The clusters that a node of n rows becomes, with `n_levels` levels of cuts from here to the leaves.
Run plan(std::int64_t begin, std::int64_t n, std::int64_t branching, std::int64_t max_leaf_size,
         std::int64_t n_levels) {
    std::int64_t limit = max_leaf_size;  // of the rows below one child
    for (std::int64_t level = 1; level < n_levels; ++level) limit = std::min(limit * branching, n);
    const double n_leaves = std::ceil(2.0 * static_cast<double>(n) / static_cast<double>(max_leaf_size));  // half full
    const auto wanted =
        static_cast<std::int64_t>(std::ceil(std::pow(n_leaves, 1.0 / static_cast<double>(n_levels)) - 1e-9));
    const std::int64_t needed = (n + limit - 1) / limit;
    return {begin, n, std::clamp<std::int64_t>(wanted, needed, std::min(branching, n)), limit};
}

nb::tuple free_tree(ArrayIn<std::int64_t> indptr, ArrayIn<std::int32_t> indices, ArrayIn<float> data,
                    std::int64_t n_features, std::int64_t branching, std::int64_t max_leaf_size, std::int64_t n_levels,
                    std::int64_t max_sample, std::int32_t max_rounds, std::uint64_t seed, int n_threads) {
    const CsrView rows(indptr, indices, data);
    FreeTree tree(rows, n_features, max_sample, max_rounds, seed);
    std::vector<std::int64_t> row_starts{0, rows.n_rows};  // of the level's nodes
    std::vector<ArrayOut<std::int64_t>> child_starts;
    for (std::int64_t level = n_levels; level > 0; --level) {
        std::vector<Run> runs;
        for (std::size_t v = 0; v + 1 < row_starts.size(); ++v)
            runs.push_back(plan(row_starts[v], row_starts[v + 1] - row_starts[v], branching, max_leaf_size, level));
        std::vector<std::int64_t> starts{0}, next{0};
        for (const auto& sizes : tree.cut(runs, n_threads)) {
            for (const std::int64_t size : sizes) next.push_back(next.back() + size);
            starts.push_back(starts.back() + static_cast<std::int64_t>(sizes.size()));
        }
        child_starts.push_back(to_numpy(std::move(starts)));
        row_starts = std::move(next);
    }
    child_starts.push_back(to_numpy(std::move(row_starts)));
    return nb::make_tuple(to_numpy(tree.take_order()), child_starts);
}

}  // namespace

void bind_free_clustering(nb::module_& m) {
    m.def("free_tree", &free_tree, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("n_features"),
          nb::arg("branching"), nb::arg("max_leaf_size"), nb::arg("n_levels"), nb::arg("max_sample"),
          nb::arg("max_rounds"), nb::arg("seed"), nb::arg("n_threads"));
}

}  // namespace deixis
