// Balanced hierarchical k-means on sparse unit rows, by repeated bisection (XMRED, Algorithm 1).
//
// The rows end up in an order in which every cluster of every level is one contiguous run. How many leaves a node has
// is decided beforehand by the caller, so all leaves have the same size, give or take one row. A node is cut in two by
// 2-means: rows are sorted by how much nearer they are to the one centre than to the other, and cut at the wanted size.
#include <algorithm>
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

// Nodes [first, last) of one level, whose rows are one run of the order.
struct Job {
    std::size_t level;
    std::int64_t first, last;
};

class BalancedTree {
public:
    // `row_starts[t][v]` is where the rows of node v of level t begin; `child_starts[t][v]` is its first child in
    // level t + 1.
    BalancedTree(const CsrView& rows, std::int64_t n_features, std::vector<const std::int64_t*> row_starts,
                 std::vector<const std::int64_t*> child_starts, std::int64_t max_sample, std::int32_t max_rounds,
                 std::uint64_t seed)
        : rows_(rows),
          n_features_(n_features),
          row_starts_(std::move(row_starts)),
          child_starts_(std::move(child_starts)),
          max_sample_(max_sample),
          max_rounds_(max_rounds),
          seed_(seed),
          order_(rows.n_rows) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    void run(std::int64_t n_top_nodes, int n_threads) {
        scratches_.resize(worker_count(rows_.n_rows, n_threads));  // no loop below has more tasks than there are rows
        std::vector<Job> big{{0, 0, n_top_nodes}}, small;
        while (!big.empty()) {
            std::vector<Job> rest;
            for (const Job& job : big) (size(job) > max_sample_ ? rest : small).push_back(job);
            parallel_for(static_cast<std::int64_t>(rest.size()), n_threads,
                         [&](std::int64_t i, int worker) { cut_by_sample(narrowed(rest[i]), scratch_of(worker)); });
            big.clear();
            for (const Job& job : rest) push_halves(narrowed(job), big);
        }
        parallel_for(static_cast<std::int64_t>(small.size()), n_threads,
                     [&](std::int64_t i, int worker) { settle(small[i], scratch_of(worker)); });
    }

    std::vector<std::int32_t> take_order() { return std::move(order_); }

private:
    std::int64_t begin(const Job& job) const { return row_starts_[job.level][job.first]; }
    std::int64_t size(const Job& job) const { return row_starts_[job.level][job.last] - begin(job); }

    // A single node stands for its children; a single node of the last level is a leaf and stays.
    Job narrowed(Job job) const {
        while (job.last - job.first == 1 && job.level + 1 < row_starts_.size()) {
            const std::int64_t* children = child_starts_[job.level];
            job = {job.level + 1, children[job.first], children[job.first + 1]};
        }
        return job;
    }

    static std::int64_t middle(const Job& job) { return job.first + (job.last - job.first) / 2; }

    static void push_halves(const Job& job, std::vector<Job>& jobs) {
        if (job.last - job.first < 2) return;
        jobs.push_back({job.level, job.first, middle(job)});
        jobs.push_back({job.level, middle(job), job.last});
    }

    std::int64_t n_left(const Job& job) const { return row_starts_[job.level][middle(job)] - begin(job); }

    Random random_for(const Job& job) const {
        return Random(seed_, static_cast<std::uint64_t>(begin(job)) * 0x9e3779b97f4a7c15ull +
                                 static_cast<std::uint64_t>(size(job)));
    }

    Scratch& scratch_of(int worker) {
        if (!scratches_[worker]) scratches_[worker] = std::make_unique<Scratch>(n_features_);
        return *scratches_[worker];
    }

    // Finds the centres on a sample of the rows, then cuts all of them.
    void cut_by_sample(const Job& job, Scratch& memory) {
        const std::int64_t n = size(job), wanted = n_left(job);
        if (job.last - job.first < 2 || wanted <= 0 || wanted >= n) return;
        Random random = random_for(job);
        cut_all_by_sample(rows_, order_.data() + begin(job), n, max_sample_, max_rounds_, random, memory,
                          [&](std::int64_t n_all, std::int64_t) {
                              return n_all == n ? wanted : std::clamp<std::int64_t>(wanted * n_all / n, 1, n_all - 1);
                          });
    }

    // Orders all rows of a job down to its leaves, on a copy small enough for the caches.
    void settle(const Job& job, Scratch& memory) {
        const std::int64_t n = size(job);
        std::int32_t* members = order_.data() + begin(job);
        const LocalRows local = copy_rows(rows_, members, n, memory);
        std::vector<std::int32_t> numbers(n);
        std::iota(numbers.begin(), numbers.end(), 0);
        settle_local(local, numbers.data(), job, memory);
        std::vector<std::int32_t> ordered(n);
        for (std::int64_t i = 0; i < n; ++i) ordered[i] = members[numbers[i]];
        std::copy(ordered.begin(), ordered.end(), members);
    }

    void settle_local(const LocalRows& local, std::int32_t* numbers, const Job& wide, Scratch& memory) {
        const Job job = narrowed(wide);
        const std::int64_t n = size(job);
        if (job.last - job.first < 2 || n < 2 || stop_requested()) return;
        const std::int64_t n_all = static_cast<std::int64_t>(local.indptr.size()) - 1;
        if (n * 8 <= n_all) {  // much smaller than its copy: copy again, with fewer features
            std::vector<std::int32_t> chosen(numbers, numbers + n), inner(n);
            const LocalRows smaller = copy_rows(local.view(), chosen.data(), n, memory);
            std::iota(inner.begin(), inner.end(), 0);
            settle_local(smaller, inner.data(), job, memory);
            for (std::int64_t i = 0; i < n; ++i) numbers[i] = chosen[inner[i]];
            return;
        }
        Random random = random_for(job);
        const std::int64_t wanted = n_left(job);
        if (wanted > 0 && wanted < n)
            Bisection(local, max_rounds_).run(numbers, n, random, [&](std::int64_t, std::int64_t) { return wanted; });
        std::sort(numbers, numbers + wanted);
        std::sort(numbers + wanted, numbers + n);
        settle_local(local, numbers, {job.level, job.first, middle(job)}, memory);
        settle_local(local, numbers + wanted, {job.level, middle(job), job.last}, memory);
    }

    CsrView rows_;
    std::int64_t n_features_;
    std::vector<const std::int64_t*> row_starts_, child_starts_;
    std::int64_t max_sample_;
    std::int32_t max_rounds_;
    std::uint64_t seed_;
    std::vector<std::int32_t> order_;
    std::vector<std::unique_ptr<Scratch>> scratches_;
};

ArrayOut<std::int32_t> balanced_order(ArrayIn<std::int64_t> indptr, ArrayIn<std::int32_t> indices, ArrayIn<float> data,
                                      std::int64_t n_features, std::vector<ArrayIn<std::int64_t>> row_starts,
                                      std::vector<ArrayIn<std::int64_t>> child_starts, std::int64_t max_sample,
                                      std::int32_t max_rounds, std::uint64_t seed, int n_threads) {
    std::vector<const std::int64_t*> rows, children;
    for (const auto& starts : row_starts) rows.push_back(starts.data());
    for (const auto& starts : child_starts) children.push_back(starts.data());
    const auto n_top_nodes = static_cast<std::int64_t>(row_starts.at(0).shape(0)) - 1;
    BalancedTree tree(CsrView(indptr, indices, data), n_features, rows, children, max_sample, max_rounds, seed);
    tree.run(n_top_nodes, n_threads);
    return to_numpy(tree.take_order());
}

}  // namespace

void bind_clustering(nb::module_& m) {
    m.def("balanced_order", &balanced_order, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
          nb::arg("n_features"), nb::arg("row_starts"), nb::arg("child_starts"), nb::arg("max_sample"),
          nb::arg("max_rounds"), nb::arg("seed"), nb::arg("n_threads"));
}

}  // namespace deixis
