// A cluster of sparse unit rows cut in two by 2-means: what balanced and free label trees have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {

// Rows copied out of the big matrix, with their features renumbered; features of a single row are left out, since
// they cannot bring two rows together.
struct LocalRows {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    std::vector<float> data;
    std::vector<int32_t> features;  // local feature -> feature of the big matrix
    int32_t n_features = 0;

    CsrView view() const {
        return {indptr.data(), indices.data(), data.data(), static_cast<int64_t>(indptr.size()) - 1};
    }
};

// Memory of one worker, as long as the features of the big matrix; always left all zero.
struct Scratch {
    std::vector<int32_t> seen;
    std::vector<float> direction;
    explicit Scratch(int64_t n_features) : seen(n_features, 0), direction(n_features, 0.0f) {}
};

inline LocalRows copy_rows(const CsrView& rows, const int32_t* chosen, int64_t n, Scratch& scratch) {
    // `scratch.seen` counts the rows of each feature, then holds its local number.
    LocalRows local;
    std::vector<int32_t> touched;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t p = rows.indptr[chosen[i]]; p < rows.indptr[chosen[i] + 1]; ++p)
            if (scratch.seen[rows.indices[p]]++ == 0) touched.push_back(rows.indices[p]);
    int64_t n_kept = 0;
    for (int32_t f : touched) {
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
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t p = rows.indptr[chosen[i]]; p < rows.indptr[chosen[i] + 1]; ++p) {
            const int32_t number = scratch.seen[rows.indices[p]];
            if (number > 0) {
                local.indices.push_back(number - 1);
                local.data.push_back(rows.data[p]);
            }
        }
        local.indptr.push_back(static_cast<int64_t>(local.indices.size()));
    }
    for (int32_t f : local.features) scratch.seen[f] = 0;
    return local;
}

// Orders a run of rows on a copy that is small enough for the caches: fn(copy, numbers) orders the numbers of its rows.
template <typename Fn>
void on_copy(const CsrView& rows, int32_t* members, int64_t n, Scratch& scratch, Fn&& fn) {
    const LocalRows local = copy_rows(rows, members, n, scratch);
    std::vector<int32_t> numbers(n), ordered(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    fn(local, numbers.data());
    for (int64_t i = 0; i < n; ++i) ordered[i] = members[numbers[i]];
    std::copy(ordered.begin(), ordered.end(), members);
}

// Whether n rows are so much fewer than their copy that another one, with fewer features, pays.
inline bool is_small_part(const LocalRows& local, int64_t n) {
    return n * 8 <= static_cast<int64_t>(local.indptr.size()) - 1;
}

// The random numbers of one run of the order: they depend on the run alone, not on the worker.
inline Random random_for_run(uint64_t seed, int64_t begin, int64_t n) {
    return Random(seed, static_cast<uint64_t>(begin) * kGolden64 + static_cast<uint64_t>(n));
}

// 2-means on `members` of `local`; leaves in `direction` the difference of the two unit centres.
class Bisection {
public:
    Bisection(const LocalRows& local, int32_t max_rounds)
        : local_(local),
          max_rounds_(max_rounds),
          direction_(local.n_features, 0.0f),
          centres_(2 * local.n_features, 0.0f) {}

    const std::vector<float>& direction() const { return direction_; }

    // Orders `members` so that those of the first centre come first, and gives their number: `n_left_of(n, n_nearer)`,
    // in 1..n - 1, where `n_nearer` are nearer to the first centre than to the second. Wants two rows at least.
    template <typename Choose>
    int64_t run(int32_t* members, int64_t n, Random& random, Choose n_left_of) {
        int64_t n_left = 0;
        side_.assign(n, 0);
        seed_sides(n, random);
        for (int32_t round = 0; round < max_rounds_; ++round) {
            find_direction(members, n);
            score(members, n);
            n_left = n_left_of(n, n_nearer(n));
            const int64_t n_moved = cut(members, n, n_left);
            // The first round's sides are only two seeds, so every row has moved then.
            if ((round > 0 && n_moved * 200 <= n) || stop_requested()) break;
        }
        std::vector<int32_t> ordered(n);
        for (int64_t i = 0; i < n; ++i) ordered[i] = members[rank_[i]];
        std::copy(ordered.begin(), ordered.end(), members);
        return n_left;
    }

private:
    void seed_sides(int64_t n, Random& random) {
        const int64_t first = random.below(static_cast<uint32_t>(n));
        const int64_t second = (first + 1 + random.below(static_cast<uint32_t>(n - 1))) % n;
        side_[first] = 1;
        side_[second] = 2;
    }

    void find_direction(const int32_t* members, int64_t n) {
        std::fill(centres_.begin(), centres_.end(), 0.0f);
        for (int64_t i = 0; i < n; ++i) {
            if (side_[i] == 0) continue;
            float* centre = centres_.data() + (side_[i] - 1);
            for (int64_t p = local_.indptr[members[i]]; p < local_.indptr[members[i] + 1]; ++p)
                centre[2 * static_cast<int64_t>(local_.indices[p])] += local_.data[p];
        }
        double norms[2] = {0.0, 0.0};
        for (int32_t f = 0; f < local_.n_features; ++f)
            for (int s = 0; s < 2; ++s) norms[s] += static_cast<double>(centres_[2 * f + s]) * centres_[2 * f + s];
        const float left = norms[0] > 0 ? static_cast<float>(1.0 / std::sqrt(norms[0])) : 0.0f;
        const float right = norms[1] > 0 ? static_cast<float>(1.0 / std::sqrt(norms[1])) : 0.0f;
        for (int32_t f = 0; f < local_.n_features; ++f)
            direction_[f] = centres_[2 * f] * left - centres_[2 * f + 1] * right;
    }

    void score(const int32_t* members, int64_t n) {
        scores_.resize(n);
        for (int64_t i = 0; i < n; ++i) {
            float sum = 0.0f;
            for (int64_t p = local_.indptr[members[i]]; p < local_.indptr[members[i] + 1]; ++p)
                sum += local_.data[p] * direction_[local_.indices[p]];
            scores_[i] = sum;
        }
    }

    int64_t n_nearer(int64_t n) const {
        return std::count_if(scores_.begin(), scores_.begin() + n, [](float score) { return score > 0.0f; });
    }

    int64_t cut(const int32_t* members, int64_t n, int64_t n_left) {
        rank_.resize(n);
        std::iota(rank_.begin(), rank_.end(), 0);
        std::nth_element(rank_.begin(), rank_.begin() + n_left, rank_.end(), [&](int32_t a, int32_t b) {
            return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : members[a] < members[b];
        });
        int64_t n_moved = 0;
        for (int64_t i = 0; i < n; ++i) {
            const int8_t side = i < n_left ? 1 : 2;
            n_moved += side_[rank_[i]] != side;
            side_[rank_[i]] = side;
        }
        return n_moved;
    }

    const LocalRows& local_;
    int32_t max_rounds_;
    std::vector<float> direction_, centres_, scores_;
    std::vector<int8_t> side_;
    std::vector<int32_t> rank_;
};

// Finds two centres on a sample of the rows, then cuts all of them; orders `members` and gives the number of the first
// side, as `Bisection::run` does.
template <typename Choose>
int64_t cut_all_by_sample(const CsrView& rows, int32_t* members, int64_t n, int64_t n_sample, int32_t max_rounds,
                          Random& random, Scratch& memory, Choose n_left_of) {
    std::vector<int32_t> sample(n_sample), numbers(n_sample);
    for (int64_t i = 0; i < n_sample; ++i)  // one row of each of n_sample equal stretches
        sample[i] = members[i * n / n_sample + random.below(static_cast<uint32_t>(n / n_sample))];
    const LocalRows local = copy_rows(rows, sample.data(), n_sample, memory);
    std::iota(numbers.begin(), numbers.end(), 0);
    Bisection bisection(local, max_rounds);
    bisection.run(numbers.data(), n_sample, random, n_left_of);
    for (int32_t f = 0; f < local.n_features; ++f) memory.direction[local.features[f]] = bisection.direction()[f];
    std::vector<std::pair<float, int32_t>> scored(n);
    int64_t n_nearer = 0;
    for (int64_t i = 0; i < n; ++i) {
        float sum = 0.0f;
        for (int64_t p = rows.indptr[members[i]]; p < rows.indptr[members[i] + 1]; ++p)
            sum += rows.data[p] * memory.direction[rows.indices[p]];
        scored[i] = {-sum, members[i]};
        n_nearer += sum > 0.0f;
    }
    for (int32_t f : local.features) memory.direction[f] = 0.0f;
    const int64_t n_left = n_left_of(n, n_nearer);
    std::nth_element(scored.begin(), scored.begin() + n_left, scored.end());
    for (int64_t i = 0; i < n; ++i) members[i] = scored[i].second;
    std::sort(members, members + n_left);  // nth_element's order is the library's choice; ours must not depend on it
    std::sort(members + n_left, members + n);
    return n_left;
}

}  // namespace deixis
