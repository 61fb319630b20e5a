// Balanced hierarchical k-means on sparse unit rows, by repeated bisection (XMRED, Algorithm 1).
//
// The rows end up in an order in which every cluster of every level is one contiguous run. How many leaves a node has is
// decided beforehand by the caller, so all leaves have the same size, give or take one row. A node is cut in two by
// 2-means: rows are sorted by how much nearer they are to the one centre than to the other, and cut at the wanted size.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "random.hpp"

#include <nanobind/stl/vector.h>

namespace deixis {
namespace {

/// Rows copied out of the big matrix, with their features renumbered; features of a single row are left out, since
/// they cannot bring two rows together.
struct LocalRows {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
    std::vector<float> data;
    std::vector<std::int32_t> features;  // local feature -> feature of the big matrix
    std::int32_t n_features = 0;

    CsrView view() const { return {indptr.data(), indices.data(), data.data(), static_cast<std::int64_t>(indptr.size()) - 1}; }
};

/// Memory of one worker, as long as the features of the big matrix; always left all zero.
struct Scratch {
    std::vector<std::int32_t> seen;
    std::vector<float> direction;
    explicit Scratch(std::int64_t n_features) : seen(n_features, 0), direction(n_features, 0.0f) {}
};

LocalRows copy_rows(const CsrView& rows, const std::int32_t* chosen, std::int64_t n, Scratch& scratch) {
    // `scratch.seen` counts the rows of each feature, then holds its local number.
    LocalRows local;
    std::vector<std::int32_t> touched;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t p = rows.indptr[chosen[i]]; p < rows.indptr[chosen[i] + 1]; ++p)
            if (scratch.seen[rows.indices[p]]++ == 0) touched.push_back(rows.indices[p]);
    std::int64_t n_kept = 0;
    for (std::int32_t f : touched) {
        if (scratch.seen[f] > 1) {
            n_kept += scratch.seen[f];
            local.features.push_back(f);
            scratch.seen[f] = ++local.n_features;  // local number + 1; 0 means left out
        } else {
            scratch.seen[f] = 0;
        }
    }
    local.indptr.reserve(n + 1);
    local.indices.reserve(n_kept);
    local.data.reserve(n_kept);
    local.indptr.push_back(0);
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t p = rows.indptr[chosen[i]]; p < rows.indptr[chosen[i] + 1]; ++p) {
            const std::int32_t number = scratch.seen[rows.indices[p]];
            if (number > 0) {
                local.indices.push_back(number - 1);
                local.data.push_back(rows.data[p]);
            }
        }
        local.indptr.push_back(static_cast<std::int64_t>(local.indices.size()));
    }
    for (std::int32_t f : local.features) scratch.seen[f] = 0;
    return local;
}

/// 2-means on `members` of `local`; leaves in `direction` the difference of the two unit centres, and in `members`
/// an order in which the first `n_left` are nearer to the first centre.
class Bisection {
public:
    Bisection(const LocalRows& local, std::int32_t max_rounds)
        : local_(local), max_rounds_(max_rounds), direction_(local.n_features, 0.0f), centres_(2 * local.n_features, 0.0f) {}

    const std::vector<float>& direction() const { return direction_; }

    void run(std::int32_t* members, std::int64_t n, std::int64_t n_left, Random& random) {
        if (n_left <= 0 || n_left >= n) return;
        side_.assign(n, 0);
        seed_sides(n, random);
        for (std::int32_t round = 0; round < max_rounds_; ++round) {
            find_direction(members, n);
            score(members, n);
            const std::int64_t n_moved = cut(members, n, n_left);
            // The first round's sides are only two seeds, so every row has moved then.
            if ((round > 0 && n_moved * 200 <= n) || stop_requested()) break;
        }
        std::vector<std::int32_t> ordered(n);
        for (std::int64_t i = 0; i < n; ++i) ordered[i] = members[rank_[i]];
        std::copy(ordered.begin(), ordered.end(), members);
    }

private:
    void seed_sides(std::int64_t n, Random& random) {
        const std::int64_t first = random.below(static_cast<std::uint32_t>(n));
        const std::int64_t second = (first + 1 + random.below(static_cast<std::uint32_t>(n - 1))) % n;
        side_[first] = 1;
        side_[second] = 2;
    }

    void find_direction(const std::int32_t* members, std::int64_t n) {
        std::fill(centres_.begin(), centres_.end(), 0.0f);
        for (std::int64_t i = 0; i < n; ++i) {
            if (side_[i] == 0) continue;
            float* centre = centres_.data() + (side_[i] - 1);
            for (std::int64_t p = local_.indptr[members[i]]; p < local_.indptr[members[i] + 1]; ++p)
                centre[2 * static_cast<std::int64_t>(local_.indices[p])] += local_.data[p];
        }
        double norms[2] = {0.0, 0.0};
        for (std::int32_t f = 0; f < local_.n_features; ++f)
            for (int s = 0; s < 2; ++s) norms[s] += static_cast<double>(centres_[2 * f + s]) * centres_[2 * f + s];
        const float left = norms[0] > 0 ? static_cast<float>(1.0 / std::sqrt(norms[0])) : 0.0f;
        const float right = norms[1] > 0 ? static_cast<float>(1.0 / std::sqrt(norms[1])) : 0.0f;
        for (std::int32_t f = 0; f < local_.n_features; ++f)
            direction_[f] = centres_[2 * f] * left - centres_[2 * f + 1] * right;
    }

    void score(const std::int32_t* members, std::int64_t n) {
        scores_.resize(n);
        for (std::int64_t i = 0; i < n; ++i) {
            float sum = 0.0f;
            for (std::int64_t p = local_.indptr[members[i]]; p < local_.indptr[members[i] + 1]; ++p)
                sum += local_.data[p] * direction_[local_.indices[p]];
            scores_[i] = sum;
        }
    }

    std::int64_t cut(const std::int32_t* members, std::int64_t n, std::int64_t n_left) {
        rank_.resize(n);
        std::iota(rank_.begin(), rank_.end(), 0);
        std::nth_element(rank_.begin(), rank_.begin() + n_left, rank_.end(), [&](std::int32_t a, std::int32_t b) {
            return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : members[a] < members[b];
        });
        std::int64_t n_moved = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int8_t side = i < n_left ? 1 : 2;
            n_moved += side_[rank_[i]] != side;
            side_[rank_[i]] = side;
        }
        return n_moved;
    }

    const LocalRows& local_;
    std::int32_t max_rounds_;
    std::vector<float> direction_, centres_, scores_;
    std::vector<std::int8_t> side_;
    std::vector<std::int32_t> rank_;
};

/// Nodes [first, last) of one level, whose rows are one run of the order.
struct Job {
    std::size_t level;
    std::int64_t first, last;
};

class BalancedTree {
public:
    /// `row_starts[t][v]` is where the rows of node v of level t begin; `child_starts[t][v]` is its first child in level t + 1.
    BalancedTree(const CsrView& rows, std::int64_t n_features, std::vector<const std::int64_t*> row_starts,
                 std::vector<const std::int64_t*> child_starts, std::int64_t max_sample, std::int32_t max_rounds,
                 std::uint64_t seed)
        : rows_(rows), n_features_(n_features), row_starts_(std::move(row_starts)), child_starts_(std::move(child_starts)),
          max_sample_(max_sample), max_rounds_(max_rounds), seed_(seed), order_(rows.n_rows) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    void run(std::int64_t n_top_nodes, std::int32_t n_threads) {
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

    /// A single node stands for its children; a single node of the last level is a leaf and stays.
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
        return Random(seed_, static_cast<std::uint64_t>(begin(job)) * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(size(job)));
    }

    Scratch& scratch_of(int worker) {
        if (!scratches_[worker]) scratches_[worker] = std::make_unique<Scratch>(n_features_);
        return *scratches_[worker];
    }

    /// Finds the centres on a sample of the rows, then cuts all of them.
    void cut_by_sample(const Job& job, Scratch& memory) {
        const std::int64_t n = size(job), wanted = n_left(job);
        if (job.last - job.first < 2 || wanted <= 0 || wanted >= n) return;
        std::int32_t* members = order_.data() + begin(job);
        Random random = random_for(job);
        std::vector<std::int32_t> sample(max_sample_);
        for (std::int64_t i = 0; i < max_sample_; ++i)  // one row of each of max_sample equal stretches
            sample[i] = members[i * n / max_sample_ + random.below(static_cast<std::uint32_t>(n / max_sample_))];
        const LocalRows local = copy_rows(rows_, sample.data(), max_sample_, memory);
        std::vector<std::int32_t> numbers(max_sample_);
        std::iota(numbers.begin(), numbers.end(), 0);
        Bisection bisection(local, max_rounds_);
        bisection.run(numbers.data(), max_sample_, std::clamp<std::int64_t>(wanted * max_sample_ / n, 1, max_sample_ - 1), random);
        for (std::int32_t f = 0; f < local.n_features; ++f) memory.direction[local.features[f]] = bisection.direction()[f];
        std::vector<std::pair<float, std::int32_t>> scored(n);
        for (std::int64_t i = 0; i < n; ++i) {
            float sum = 0.0f;
            for (std::int64_t p = rows_.indptr[members[i]]; p < rows_.indptr[members[i] + 1]; ++p)
                sum += rows_.data[p] * memory.direction[rows_.indices[p]];
            scored[i] = {-sum, members[i]};
        }
        for (std::int32_t f : local.features) memory.direction[f] = 0.0f;
        std::nth_element(scored.begin(), scored.begin() + wanted, scored.end());
        for (std::int64_t i = 0; i < n; ++i) members[i] = scored[i].second;
        std::sort(members, members + wanted);  // nth_element's order is the library's choice; ours must not depend on it
        std::sort(members + wanted, members + n);
    }

    /// Orders all rows of a job down to its leaves, on a copy small enough for the caches.
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
        Bisection(local, max_rounds_).run(numbers, n, n_left(job), random);
        std::sort(numbers, numbers + n_left(job));
        std::sort(numbers + n_left(job), numbers + n);
        settle_local(local, numbers, {job.level, job.first, middle(job)}, memory);
        settle_local(local, numbers + n_left(job), {job.level, middle(job), job.last}, memory);
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
                                      std::int32_t max_rounds, std::uint64_t seed, std::int32_t n_threads) {
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
    m.def("balanced_order", &balanced_order, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("n_features"),
          nb::arg("row_starts"), nb::arg("child_starts"), nb::arg("max_sample"), nb::arg("max_rounds"), nb::arg("seed"),
          nb::arg("n_threads"));
}

}  // namespace deixis
