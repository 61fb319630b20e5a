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

#include "arrays.hpp"
#include "bisection.hpp"
#include "border.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {
namespace {

// A run of the order, the clusters it is to become, and the rows that each of them may have.
struct Run {
    int64_t begin, n, n_clusters, limit;
};

class FreeTree {
public:
    FreeTree(const CsrView& rows, int64_t n_features, int64_t max_sample, int32_t max_rounds, uint64_t seed)
        : rows_(rows),
          n_features_(n_features),
          max_sample_(max_sample),
          max_rounds_(max_rounds),
          seed_(seed),
          order_(rows.n_rows) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    // Cuts every run of one level; gives the sizes of each one's clusters.
    std::vector<std::vector<int64_t>> cut(const std::vector<Run>& runs, int n_threads) {
        std::vector<std::vector<int64_t>> sizes(runs.size());
        std::vector<std::unique_ptr<Scratch>> scratches(worker_count(runs.size(), n_threads));
        parallel_for(static_cast<int64_t>(runs.size()), n_threads, [&](int64_t i, int worker) {
            if (!scratches[worker]) scratches[worker] = std::make_unique<Scratch>(n_features_);
            divide_large(runs[i], *scratches[worker], sizes[i]);
        });
        return sizes;
    }

    std::vector<int32_t> take_order() { return std::move(order_); }

private:
    // How many clusters the first side gets, of a run whose first `n_left` rows are on it.
    static int64_t clusters_left(const Run& run, int64_t n_left) {
        const double share = static_cast<double>(n_left) / static_cast<double>(run.n);
        const auto wanted = static_cast<int64_t>(std::floor(share * static_cast<double>(run.n_clusters) + 0.5));
        return std::clamp<int64_t>(wanted, 1, run.n_clusters - 1);
    }

    // Where to cut: where the centres are equally near, or as near to it as leaves no cluster empty or beyond the
    // limit.
    static int64_t cut_at(const Run& run, int64_t n_nearer) {
        const int64_t left = clusters_left(run, n_nearer), right = run.n_clusters - left;
        const int64_t least = std::max(left, run.n - right * run.limit),
                      most = std::min(left * run.limit, run.n - right);
        return std::clamp(n_nearer, least, most);
    }

    static std::pair<Run, Run> halves(const Run& run, int64_t n_left) {
        const int64_t left = clusters_left(run, n_left);
        return {{run.begin, n_left, left, run.limit},
                {run.begin + n_left, run.n - n_left, run.n_clusters - left, run.limit}};
    }

    Random random_for(const Run& run) const { return random_for_run(seed_, run.begin, run.n); }

    void divide_large(const Run& run, Scratch& memory, std::vector<int64_t>& sizes) {
        int32_t* members = order_.data() + run.begin;
        if (run.n_clusters > 1 && run.n > max_sample_) {
            Random random = random_for(run);
            const int64_t n_left = cut_all_by_sample(
                rows_, members, run.n, max_sample_, max_rounds_, random, memory, [&](int64_t n, int64_t n_nearer) {
                    return n == run.n ? cut_at(run, n_nearer) : std::clamp<int64_t>(n_nearer, 1, n - 1);
                });
            const auto [left, right] = halves(run, n_left);
            divide_large(left, memory, sizes);
            divide_large(right, memory, sizes);
            return;
        }
        on_copy(rows_, members, run.n, memory,
                [&](const LocalRows& local, int32_t* numbers) { divide(local, numbers, run, memory, sizes); });
    }

    void divide(const LocalRows& local, int32_t* numbers, const Run& run, Scratch& memory,
                std::vector<int64_t>& sizes) {
        if (run.n_clusters < 2 || stop_requested()) {
            sizes.push_back(run.n);
            return;
        }
        if (is_small_part(local, run.n))
            return on_copy(local.view(), numbers, run.n, memory, [&](const LocalRows& smaller, int32_t* inner) {
                divide(smaller, inner, run, memory, sizes);
            });
        Random random = random_for(run);
        const int64_t n_left =
            Bisection(local, max_rounds_).run(numbers, run.n, random, [&](int64_t, int64_t n_nearer) {
                return cut_at(run, n_nearer);
            });
        std::sort(numbers, numbers + n_left);
        std::sort(numbers + n_left, numbers + run.n);
        const auto [left, right] = halves(run, n_left);
        divide(local, numbers, left, memory, sizes);
        divide(local, numbers + n_left, right, memory, sizes);
    }

    CsrView rows_;
    int64_t n_features_, max_sample_;
    int32_t max_rounds_;
    uint64_t seed_;
    std::vector<int32_t> order_;
};

// The clusters that a node of n rows becomes, with `n_levels` levels of cuts from here to the leaves.
Run plan(int64_t begin, int64_t n, int64_t branching, int64_t max_leaf_size, int64_t n_levels) {
    int64_t limit = max_leaf_size;  // of the rows below one child
    for (int64_t level = 1; level < n_levels; ++level) limit = std::min(limit * branching, n);
    const double n_leaves = std::ceil(2.0 * static_cast<double>(n) / static_cast<double>(max_leaf_size));  // half full
    const auto wanted = static_cast<int64_t>(std::ceil(std::pow(n_leaves, 1.0 / static_cast<double>(n_levels)) - 1e-9));
    const int64_t needed = (n + limit - 1) / limit;
    return {begin, n, std::clamp<int64_t>(wanted, needed, std::min(branching, n)), limit};
}

auto free_tree(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int64_t n_features,
               int64_t branching, int64_t max_leaf_size, int64_t n_levels, int64_t max_sample, int32_t max_rounds,
               uint64_t seed, int n_threads) {
    const CsrView rows = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_at_least("branching", branching, 2);
    check_at_least("max_leaf_size", max_leaf_size, 1);
    check_at_least("max_sample", max_sample, 2);
    FreeTree tree(rows, n_features, max_sample, max_rounds, seed);
    std::vector<int64_t> row_starts{0, rows.n_rows};  // of the level's nodes
    std::vector<ArrayOut<int64_t>> child_starts;
    for (int64_t level = n_levels; level > 0; --level) {
        std::vector<Run> runs;
        for (size_t v = 0; v + 1 < row_starts.size(); ++v)
            runs.push_back(plan(row_starts[v], row_starts[v + 1] - row_starts[v], branching, max_leaf_size, level));
        std::vector<int64_t> starts{0}, next{0};
        for (const auto& sizes : tree.cut(runs, n_threads)) {
            for (const int64_t size : sizes) next.push_back(next.back() + size);
            starts.push_back(starts.back() + static_cast<int64_t>(sizes.size()));
        }
        child_starts.push_back(to_numpy(std::move(starts)));
        row_starts = std::move(next);
    }
    child_starts.push_back(to_numpy(std::move(row_starts)));
    return std::make_tuple(to_numpy(tree.take_order()), child_starts);
}

}  // namespace

void bind_free_clustering(nb::module_& m) {
    define(m, "free_tree", &free_tree,
           {"indptr", "indices", "data", "n_features", "branching", "max_leaf_size", "n_levels", "max_sample",
            "max_rounds", "seed", "n_threads"},
           "The rows in an order in which every cluster is one run, and the child starts of every level.");
}

}  // namespace deixis
