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

#include "arrays.hpp"
#include "bisection.hpp"
#include "border.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {
namespace {

// Nodes [first, last) of one level, whose rows are one run of the order.
struct Job {
    size_t level;
    int64_t first, last;
};

class BalancedTree {
public:
    // `row_starts[t][v]` is where the rows of node v of level t begin; `child_starts[t][v]` is its first child in
    // level t + 1.
    BalancedTree(const CsrView& rows, int64_t n_features, std::vector<const int64_t*> row_starts,
                 std::vector<const int64_t*> child_starts, int64_t max_sample, int32_t max_rounds, uint64_t seed)
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

    void run(int64_t n_top_nodes, int n_threads) {
        scratches_.resize(worker_count(rows_.n_rows, n_threads));  // no loop below has more tasks than there are rows
        std::vector<Job> big{{0, 0, n_top_nodes}}, small;
        while (!big.empty()) {
            std::vector<Job> rest;
            for (const Job& job : big) (size(job) > max_sample_ ? rest : small).push_back(job);
            parallel_for(static_cast<int64_t>(rest.size()), n_threads,
                         [&](int64_t i, int worker) { cut_by_sample(narrowed(rest[i]), scratch_of(worker)); });
            big.clear();
            for (const Job& job : rest) push_halves(narrowed(job), big);
        }
        parallel_for(static_cast<int64_t>(small.size()), n_threads,
                     [&](int64_t i, int worker) { settle(small[i], scratch_of(worker)); });
    }

    std::vector<int32_t> take_order() { return std::move(order_); }

private:
    int64_t begin(const Job& job) const { return row_starts_[job.level][job.first]; }
    int64_t size(const Job& job) const { return row_starts_[job.level][job.last] - begin(job); }

    // A single node stands for its children; a single node of the last level is a leaf and stays.
    Job narrowed(Job job) const {
        while (job.last - job.first == 1 && job.level + 1 < row_starts_.size()) {
            const int64_t* children = child_starts_[job.level];
            job = {job.level + 1, children[job.first], children[job.first + 1]};
        }
        return job;
    }

    static int64_t middle(const Job& job) { return job.first + (job.last - job.first) / 2; }

    static void push_halves(const Job& job, std::vector<Job>& jobs) {
        if (job.last - job.first < 2) return;
        jobs.push_back({job.level, job.first, middle(job)});
        jobs.push_back({job.level, middle(job), job.last});
    }

    int64_t n_left(const Job& job) const { return row_starts_[job.level][middle(job)] - begin(job); }

    Random random_for(const Job& job) const { return random_for_run(seed_, begin(job), size(job)); }

    Scratch& scratch_of(int worker) {
        if (!scratches_[worker]) scratches_[worker] = std::make_unique<Scratch>(n_features_);
        return *scratches_[worker];
    }

    // Finds the centres on a sample of the rows, then cuts all of them.
    void cut_by_sample(const Job& job, Scratch& memory) {
        const int64_t n = size(job), wanted = n_left(job);
        if (job.last - job.first < 2 || wanted <= 0 || wanted >= n) return;
        Random random = random_for(job);
        cut_all_by_sample(rows_, order_.data() + begin(job), n, max_sample_, max_rounds_, random, memory,
                          [&](int64_t n_all, int64_t) {
                              return n_all == n ? wanted : std::clamp<int64_t>(wanted * n_all / n, 1, n_all - 1);
                          });
    }

    // Orders all rows of a job down to its leaves, on a copy small enough for the caches.
    void settle(const Job& job, Scratch& memory) {
        on_copy(rows_, order_.data() + begin(job), size(job), memory,
                [&](const LocalRows& local, int32_t* numbers) { settle_local(local, numbers, job, memory); });
    }

    void settle_local(const LocalRows& local, int32_t* numbers, const Job& wide, Scratch& memory) {
        const Job job = narrowed(wide);
        const int64_t n = size(job);
        if (job.last - job.first < 2 || n < 2 || stop_requested()) return;
        if (is_small_part(local, n))
            return on_copy(local.view(), numbers, n, memory, [&](const LocalRows& smaller, int32_t* inner) {
                settle_local(smaller, inner, job, memory);
            });
        Random random = random_for(job);
        const int64_t wanted = n_left(job);
        if (wanted > 0 && wanted < n)
            Bisection(local, max_rounds_).run(numbers, n, random, [&](int64_t, int64_t) { return wanted; });
        std::sort(numbers, numbers + wanted);
        std::sort(numbers + wanted, numbers + n);
        settle_local(local, numbers, {job.level, job.first, middle(job)}, memory);
        settle_local(local, numbers + wanted, {job.level, middle(job), job.last}, memory);
    }

    CsrView rows_;
    int64_t n_features_;
    std::vector<const int64_t*> row_starts_, child_starts_;
    int64_t max_sample_;
    int32_t max_rounds_;
    uint64_t seed_;
    std::vector<int32_t> order_;
    std::vector<std::unique_ptr<Scratch>> scratches_;
};

ArrayOut<int32_t> balanced_order(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data,
                                 int64_t n_features, std::vector<ArrayIn<int64_t>> row_starts,
                                 std::vector<ArrayIn<int64_t>> child_starts, int64_t max_sample, int32_t max_rounds,
                                 uint64_t seed, int n_threads) {
    const CsrView matrix = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_at_least("max_sample", max_sample, 2);
    if (row_starts.empty()) refuse("row_starts is empty; it needs an array for each level.");
    if (child_starts.size() != row_starts.size())
        refuse("child_starts has ", child_starts.size(), " arrays; it needs ", row_starts.size(),
               ", one for each level.");
    std::vector<const int64_t*> rows, children;
    for (size_t t = 0; t < row_starts.size(); ++t) {
        const size_t n_nodes = n_rows_of("row_starts", row_starts[t]);
        check_starts("row_starts", row_starts[t], n_nodes, static_cast<size_t>(matrix.n_rows));
        const size_t n_below =
            t + 1 < row_starts.size() ? n_rows_of("row_starts", row_starts[t + 1]) : indptr.shape(0) - 1;
        check_starts("child_starts", child_starts[t], n_nodes, n_below);
        rows.push_back(row_starts[t].data());
        children.push_back(child_starts[t].data());
    }
    const auto n_top_nodes = static_cast<int64_t>(row_starts[0].shape(0)) - 1;
    BalancedTree tree(matrix, n_features, rows, children, max_sample, max_rounds, seed);
    tree.run(n_top_nodes, n_threads);
    return to_numpy(tree.take_order());
}

}  // namespace

void bind_clustering(nb::module_& m) {
    define(m, "balanced_order", &balanced_order,
           {"indptr", "indices", "data", "n_features", "row_starts", "child_starts", "max_sample", "max_rounds", "seed",
            "n_threads"},
           "The rows in an order in which every cluster of every level is one run.");
}

}  // namespace deixis
