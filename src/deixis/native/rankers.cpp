// One-vs-all linear rankers for the children of every parent in one level of a label tree (XMRED, Eq. 3-5, 7).
//
// A parent's problem is cut down to the features its own instances have, and all its children are solved together by
// dual coordinate descent (Hsieh et al. 2008, as in LIBLINEAR): `weights[feature][child]` is one dense block, so each
// instance is read once per round for all children.
//
// A positive may have a weight: it costs `weight * C`, as if the instance stood there so many times for that child.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "border.hpp"
#include "packed_build.hpp"
#include "packed_weights.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "random.hpp"

namespace deixis {
namespace {

struct SolverParams {
    bool is_squared_hinge;
    float cost, epsilon, bias, min_weight;
    int32_t max_rounds;
    uint64_t seed;
};

// What one parent has learned.
struct Learned {
    PackedParent weights;
    std::vector<float> biases;
};

struct Problem {
    const CsrView& docs;
    const int64_t* positive_indptr;  // doc -> its children of this level, ascending
    const int32_t* positive_indices;
    const float* positive_weights;  // one for each of positive_indices; null if all weigh 1
    const int32_t* instances;
    int32_t n_instances;
    int32_t first_child, n_children;
};

constexpr int kManyLanes = 8;
constexpr float kRestShare = 0.25f;  // of epsilon: an instance with smaller gradients rests

// target += scale * source, over n lanes: a multiple of kLanes. The inner loop's fixed length is what makes compilers
// vectorise it, wherever this is inlined.
template <int kLanes>
inline void add_scaled(float* __restrict target, const float* __restrict source, float scale, int32_t n) {
    for (int32_t first = 0; first < n; first += kLanes)
        for (int32_t lane = 0; lane < kLanes; ++lane) target[first + lane] += scale * source[first + lane];
}

// What the dual variables of one instance have in common.
struct Duals {
    bool is_squared_hinge;
    float cost, norm;
    float own_norm;  // of the features it alone has: times a dual variable, what they add to its score times its sign
    int32_t n_lanes;
};

// One projected Newton step of every dual variable of an instance; returns the largest projected gradient. Not
// inlined: only as parameters of a function do the pointers tell compilers that nothing overlaps.
template <int kLanes, bool kIsWeighted>
[[gnu::noinline]] float newton_steps(const Duals& duals, const float* __restrict signs, const float* __restrict scores,
                                     [[maybe_unused]] const float* __restrict costs, float* __restrict steps,
                                     float* __restrict highest, float* __restrict lowest, float* __restrict alpha) {
    const bool is_squared = duals.is_squared_hinge;
    const float norm = duals.norm, own_norm = duals.own_norm;
    const float all_diagonal = is_squared ? 0.5f / duals.cost : 0.0f;
    const float all_upper = is_squared ? INFINITY : duals.cost;
    const float all_inverse = 1.0f / (norm + all_diagonal);
    float violations[kLanes] = {};  // one per lane: a single maximum would keep the loop from vectorising
    for (int32_t first = 0; first < duals.n_lanes; first += kLanes) {
        for (int32_t lane = 0; lane < kLanes; ++lane) {
            const int32_t k = first + lane;
            float diagonal = all_diagonal, upper = all_upper, inverse = all_inverse;
            if constexpr (kIsWeighted) {
                diagonal = is_squared ? 0.5f / costs[k] : 0.0f;
                upper = is_squared ? INFINITY : costs[k];
                inverse = 1.0f / (norm + diagonal);
            }
            const float before = alpha[k];
            const float gradient = signs[k] * scores[k] - 1.0f + (diagonal + own_norm) * before;
            const float next = std::min(std::max(before - gradient * inverse, 0.0f), upper);
            // At a bound only the part of the gradient that points inside counts.
            float projected = before > 0.0f ? gradient : std::min(gradient, 0.0f);
            projected = before < upper ? projected : std::max(projected, 0.0f);
            highest[k] = std::max(highest[k], projected);
            lowest[k] = std::min(lowest[k], projected);
            violations[lane] = std::max(violations[lane], std::fabs(projected));
            steps[k] = (next - before) * signs[k];
            alpha[k] = next;
        }
    }
    return *std::max_element(violations, violations + kLanes);
}

// Numbers that begin at a line of the caches, all 0: a row of 16 is one line then, not parts of two.
class AlignedFloats {
public:
    void assign_zeros(size_t n) {
        memory_.assign(n + kLine, 0.0f);
        const size_t beyond = reinterpret_cast<uintptr_t>(memory_.data()) % (kLine * sizeof(float)) / sizeof(float);
        data_ = memory_.data() + (kLine - beyond) % kLine;
    }
    float* data() { return data_; }
    const float* data() const { return data_; }

private:
    static constexpr size_t kLine = 16;
    std::vector<float> memory_;
    float* data_ = nullptr;
};

// Where an instance's values and positives are, and what its steps need: one line of the caches for all.
struct alignas(32) Instance {
    int64_t begin = 0, end = 0;                     // of its values
    int32_t first_positive = 0, last_positive = 0;  // the one after the last
    float norm = 0.0f;
    float own_norm = 0.0f;  // of the features it alone has
};

// Solves one parent. Made anew for each, but its big map of features belongs to the worker. Children are padded to a
// multiple of kLanes, so that loops over them vectorise; with one lane there is one child.
template <int kLanes, bool kIsWeighted>
class SiblingSolver {
public:
    SiblingSolver(const Problem& problem, const SolverParams& params, std::vector<int32_t>& feature_counts)
        : problem_(problem), params_(params), n_padded_((problem.n_children + kLanes - 1) / kLanes * kLanes) {
        copy_instances(feature_counts);
        mark_positives();
    }

    Learned solve(uint64_t stream, int n_bits) {
        weights_.assign_zeros(static_cast<size_t>(features_.size()) * n_lanes());
        biases_.assign(n_lanes(), 0.0f);
        alphas_.assign_zeros(static_cast<size_t>(problem_.n_instances) * n_lanes());
        if (params_.bias > 0.0f) lean_negative();
        descend(stream);
        return pack(n_bits);
    }

private:
    int32_t n_lanes() const {
        if constexpr (kLanes == 1) return 1;
        return n_padded_;
    }

    // Copies the instances with features renumbered. A feature that only one instance has needs no row of weights
    // while learning: its weights are its value times that instance's own dual variables, so only its square is kept
    // here.
    void copy_instances(std::vector<int32_t>& feature_counts) {
        for_each_value([&](int32_t, int32_t feature, float) { ++feature_counts[feature]; });
        std::vector<int32_t> numbered;
        instances_.resize(problem_.n_instances);
        for (Instance& instance : instances_) instance.norm = params_.bias * params_.bias;
        for_each_value([&](int32_t i, int32_t feature, float value) {
            instances_[i].norm += value * value;
            int32_t& count = feature_counts[feature];
            if (count == 1) {
                own_.push_back({feature, i, value});
                instances_[i].own_norm += value * value;
                count = 0;
                return;
            }
            if (count > 0) {  // from here on the map holds -1 - number
                numbered.push_back(feature);
                count = -static_cast<int32_t>(numbered.size());
            }
            values_.push_back({-1 - count, value});
            instances_[i].end = static_cast<int64_t>(values_.size());
        });
        int64_t begin = 0;
        for (Instance& instance : instances_) {
            instance.begin = begin;
            instance.end = begin = std::max(instance.end, begin);
        }
        for (int32_t f : numbered) feature_counts[f] = 0;
        features_ = std::move(numbered);
    }

    template <typename Visit>
    void for_each_value(Visit visit) const {
        for (int32_t i = 0; i < problem_.n_instances; ++i) {
            const int32_t doc = problem_.instances[i];
            for (int64_t p = problem_.docs.indptr[doc]; p < problem_.docs.indptr[doc + 1]; ++p)
                visit(i, problem_.docs.indices[p], problem_.docs.data[p]);
        }
    }

    void mark_positives() {
        for (int32_t i = 0; i < problem_.n_instances; ++i) {
            const int32_t doc = problem_.instances[i];
            const int32_t* begin = problem_.positive_indices + problem_.positive_indptr[doc];
            const int32_t* end = problem_.positive_indices + problem_.positive_indptr[doc + 1];
            instances_[i].first_positive = static_cast<int32_t>(positives_.size());
            for (const int32_t* c = std::lower_bound(begin, end, problem_.first_child);
                 c != end && *c < problem_.first_child + problem_.n_children; ++c) {
                positives_.push_back(*c - problem_.first_child);
                if constexpr (kIsWeighted)
                    positive_costs_.push_back(params_.cost * problem_.positive_weights[c - problem_.positive_indices]);
            }
            instances_[i].last_positive = static_cast<int32_t>(positives_.size());
        }
    }

    // Starts where most negatives end up: with margins just below -1, held there by a little dual weight each. From
    // zero it takes many rounds of to and fro until the bias has found that place.
    void lean_negative() {
        const float n = static_cast<float>(problem_.n_instances) * params_.bias * params_.bias;
        const float share = std::min(params_.cost, 1.0f / (n + 0.5f / params_.cost));
        std::vector<float> steps(n_lanes());
        for (int32_t i = 0; i < problem_.n_instances; ++i) {
            std::fill(steps.begin(), steps.end(), -share);
            for (int32_t p = instances_[i].first_positive; p < instances_[i].last_positive; ++p)
                steps[positives_[p]] = 0.0f;
            float* alpha = alphas_.data() + static_cast<int64_t>(i) * n_lanes();
            for (int32_t k = 0; k < n_lanes(); ++k) alpha[k] = -steps[k];
            move(i, steps.data());
        }
    }

    // Rounds over the instances until no dual gradient is wider than epsilon. An instance that hardly violates
    // anything rests until the others are done; a last round over all of them decides.
    void descend(uint64_t stream) {
        Random random(params_.seed, stream);
        std::vector<int32_t> order(problem_.n_instances), restless;
        std::iota(order.begin(), order.end(), 0);
        Round round(n_lanes(), params_.cost);
        for (int32_t n_rounds = 0; n_rounds < params_.max_rounds; ++n_rounds) {
            const bool is_full = static_cast<int32_t>(order.size()) == problem_.n_instances;
            random.shuffle(order.data(), static_cast<uint32_t>(order.size()));
            round.begin();
            restless.clear();
            for (size_t place = 0; place < order.size(); ++place) {
                if ((place & 1023u) == 1023u && stop_requested()) return;
                if (place + 8 < order.size()) prefetch(instances_.data() + order[place + 8]);
                if (place + 4 < order.size()) ask_for_instance(order[place + 4]);
                if (place + 2 < order.size()) ask_for_weights(order[place + 2]);
                if (visit(order[place], round) > kRestShare * params_.epsilon) restless.push_back(order[place]);
            }
            if (round.widest(problem_.n_children) > params_.epsilon && !restless.empty()) {
                std::swap(order, restless);
            } else if (is_full) {
                return;
            } else {
                order.resize(problem_.n_instances);
                std::iota(order.begin(), order.end(), 0);
            }
        }
    }

    // What one round needs for each child.
    struct Round {
        std::vector<float> signs, scores, steps, highest, lowest, costs;

        Round(int32_t n, float cost)
            : signs(n, -1.0f), scores(n), steps(n), highest(n), lowest(n), costs(kIsWeighted ? n : 0, cost) {}

        void begin() {
            std::fill(highest.begin(), highest.end(), -INFINITY);
            std::fill(lowest.begin(), lowest.end(), INFINITY);
        }

        float widest(int32_t n_children) const {
            float widest = 0.0f;
            for (int32_t k = 0; k < n_children; ++k) widest = std::max(widest, highest[k] - lowest[k]);
            return widest;
        }
    };

    // Solves instance i for all children; returns the largest of its projected gradients.
    float visit(int32_t i, Round& round) {
        for (int32_t p = instances_[i].first_positive; p < instances_[i].last_positive; ++p) {
            round.signs[positives_[p]] = 1.0f;
            if constexpr (kIsWeighted) round.costs[positives_[p]] = positive_costs_[p];
        }
        score(i, round.scores.data());
        const float violation = step(i, round);
        if (violation > 0.0f) move(i, round.steps.data());
        for (int32_t p = instances_[i].first_positive; p < instances_[i].last_positive; ++p) {
            round.signs[positives_[p]] = -1.0f;
            if constexpr (kIsWeighted) round.costs[positives_[p]] = params_.cost;
        }
        return violation;
    }

    // Instances come in random order: what the next ones need is on its way from memory while this one is solved.
    void ask_for_instance(int32_t i) const {
        prefetch(values_.data() + instances_[i].begin);
        prefetch(positives_.data() + instances_[i].first_positive);
        const float* alpha = alphas_.data() + static_cast<int64_t>(i) * n_lanes();
        for (int32_t k = 0; k < n_lanes(); k += 16) prefetch_to_write(alpha + k);
    }

    void ask_for_weights(int32_t i) const {
        if (n_lanes() > 32) return;  // the blocks of leaves are small enough for the caches
        for (int64_t p = instances_[i].begin; p < instances_[i].end; ++p) {
            const float* row = weights_.data() + static_cast<int64_t>(values_[p].feature) * n_lanes();
            for (int32_t k = 0; k < n_lanes(); k += 16) prefetch_to_write(row + k);
        }
    }

    void score(int32_t i, float* __restrict scores) const {
        const int32_t n = n_lanes();
        for (int32_t k = 0; k < n; ++k) scores[k] = params_.bias * biases_[k];
        for (int64_t p = instances_[i].begin; p < instances_[i].end; ++p) {
            const float* row = weights_.data() + static_cast<int64_t>(values_[p].feature) * n;
            add_scaled<kLanes>(scores, row, values_[p].value, n);
        }
    }

    // One projected Newton step of every dual variable of instance i; returns the largest projected gradient.
    float step(int32_t i, Round& round) {
        return newton_steps<kLanes, kIsWeighted>(
            {params_.is_squared_hinge, params_.cost, instances_[i].norm, instances_[i].own_norm, n_lanes()},
            round.signs.data(), round.scores.data(), round.costs.data(), round.steps.data(), round.highest.data(),
            round.lowest.data(), alphas_.data() + static_cast<int64_t>(i) * n_lanes());
    }

    void move(int32_t i, const float* __restrict steps) {
        const int32_t n = n_lanes();
        add_scaled<kLanes>(biases_.data(), steps, params_.bias, n);
        for (int64_t p = instances_[i].begin; p < instances_[i].end; ++p) {
            float* row = weights_.data() + static_cast<int64_t>(values_[p].feature) * n;
            add_scaled<kLanes>(row, steps, values_[p].value, n);
        }
    }

    // The weights of all children for feature f: a row of the block, or what an instance's own feature makes of its
    // duals, which is then written to `memory`.
    const float* weights_of(size_t f, std::vector<float>& memory) const {
        if (f < features_.size()) return weights_.data() + f * n_lanes();
        const OwnFeature& own = own_[f - features_.size()];
        std::fill(memory.begin(), memory.end(), 0.0f);
        const float* alpha = alphas_.data() + static_cast<size_t>(own.instance) * n_lanes();
        add_scaled<kLanes>(memory.data(), alpha, -own.value, n_lanes());
        for (int32_t p = instances_[own.instance].first_positive; p < instances_[own.instance].last_positive; ++p)
            memory[positives_[p]] = own.value * alpha[positives_[p]];
        return memory.data();
    }

    // The weights that are far enough from zero, feature by feature.
    GroupedWeights kept_weights(int n_bits) const {
        std::vector<std::pair<uint32_t, size_t>> order;  // hashed feature, its group in `unsorted`
        GroupedWeights unsorted, sorted;
        std::vector<float> memory(n_lanes());
        const float least = std::max(params_.min_weight, std::numeric_limits<float>::denorm_min());  // zeros never stay
        for (size_t f = 0; f < features_.size() + own_.size(); ++f) {
            const float* weights = weights_of(f, memory);
            for (int32_t k = 0; k < problem_.n_children; ++k) {
                if (!(std::fabs(weights[k]) >= least)) continue;
                unsorted.children.push_back(static_cast<uint8_t>(k));
                unsorted.weights.push_back(to_bfloat16(weights[k]));
            }
            if (unsorted.children.size() == unsorted.starts.back()) continue;
            const int32_t feature = f < features_.size() ? features_[f] : own_[f - features_.size()].feature;
            order.push_back({hash_feature(static_cast<uint32_t>(feature), n_bits), order.size()});
            unsorted.starts.push_back(unsorted.children.size());
        }
        std::sort(order.begin(), order.end());
        sorted.hashes.reserve(order.size());
        sorted.starts.reserve(order.size() + 1);
        sorted.children.reserve(unsorted.children.size());
        sorted.weights.reserve(unsorted.children.size());
        for (const auto& [hash, group] : order) {
            for (size_t e = unsorted.starts[group]; e < unsorted.starts[group + 1]; ++e) {
                sorted.children.push_back(unsorted.children[e]);
                sorted.weights.push_back(unsorted.weights[e]);
            }
            sorted.hashes.push_back(hash);
            sorted.starts.push_back(sorted.children.size());
        }
        return sorted;
    }

    Learned pack(int n_bits) const {
        Learned learned{ParentPacker(kept_weights(n_bits), problem_.n_children, n_bits).packed(), {}};
        for (int32_t k = 0; k < problem_.n_children; ++k) learned.biases.push_back(params_.bias * biases_[k]);
        return learned;
    }

    struct Value {
        int32_t feature;  // its number among `features_`
        float value;
    };

    struct OwnFeature {
        int32_t feature, instance;
        float value;
    };

    const Problem& problem_;
    const SolverParams& params_;
    int32_t n_padded_;
    std::vector<Instance> instances_;
    std::vector<Value> values_;  // of the features that several instances have
    std::vector<int32_t> features_, positives_;
    std::vector<OwnFeature> own_;  // features of a single instance
    std::vector<float> biases_, positive_costs_;
    AlignedFloats weights_, alphas_;
};

Learned solve(const Problem& problem, const SolverParams& params, std::vector<int32_t>& counts, uint64_t stream,
              int n_bits) {
    const bool is_weighted = problem.positive_weights != nullptr;
    if (problem.n_children == 1)
        return is_weighted ? SiblingSolver<1, true>(problem, params, counts).solve(stream, n_bits)
                           : SiblingSolver<1, false>(problem, params, counts).solve(stream, n_bits);
    return is_weighted ? SiblingSolver<kManyLanes, true>(problem, params, counts).solve(stream, n_bits)
                       : SiblingSolver<kManyLanes, false>(problem, params, counts).solve(stream, n_bits);
}

ArraysByName train_level(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int64_t n_features,
                         ArrayIn<int64_t> positive_indptr, ArrayIn<int32_t> positive_indices,
                         ArrayIn<float> positive_weights, ArrayIn<int64_t> instance_indptr, ArrayIn<int32_t> instances,
                         ArrayIn<int64_t> child_starts, bool is_squared_hinge, float cost, float epsilon, float bias,
                         float min_weight, int32_t max_rounds, uint64_t seed, int64_t first_parent, int n_threads) {
    const CsrView docs = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
    check_ends("positive_indptr", positive_indptr, static_cast<size_t>(docs.n_rows), positive_indices.shape(0));
    if (positive_weights.shape(0) > 0)
        check_size("positive_weights", positive_weights, positive_indices.shape(0), "one for each of positive_indices");
    check_starts("instance_indptr", instance_indptr, n_rows_of("child_starts", child_starts), instances.shape(0));
    check_numbers("instances", instances, docs.n_rows);
    for (size_t v = 0; v + 1 < child_starts.shape(0); ++v)
        check_within("The number of a parent's children",
                     static_cast<double>(child_starts.data()[v + 1] - child_starts.data()[v]), 0, kMaxChildren);
    const SolverParams params{is_squared_hinge, cost, epsilon, bias, min_weight, max_rounds, seed};
    const auto n_parents = static_cast<int64_t>(child_starts.shape(0)) - 1;
    const int n_bits = bits_for(n_features);
    std::vector<PackedParent> parents(n_parents);
    std::vector<std::vector<float>> biases(n_parents);
    std::vector<std::vector<int32_t>> feature_counts(worker_count(n_parents, n_threads));
    parallel_for(n_parents, n_threads, [&](int64_t v, int worker) {
        auto& counts = feature_counts[worker];
        if (counts.empty()) counts.assign(n_features, 0);
        const int64_t first = instance_indptr.data()[v];
        const Problem problem{docs,
                              positive_indptr.data(),
                              positive_indices.data(),
                              positive_weights.shape(0) > 0 ? positive_weights.data() : nullptr,
                              instances.data() + first,
                              static_cast<int32_t>(instance_indptr.data()[v + 1] - first),
                              static_cast<int32_t>(child_starts.data()[v]),
                              static_cast<int32_t>(child_starts.data()[v + 1] - child_starts.data()[v])};
        Learned learned = solve(problem, params, counts, static_cast<uint64_t>(first_parent + v), n_bits);
        parents[v] = std::move(learned.weights);
        biases[v] = std::move(learned.biases);
    });
    std::vector<float> all_biases;
    for (std::vector<float>& own : biases) move_to_end(all_biases, own);
    ArraysByName out = packed_arrays(parents);
    out["biases"] = to_numpy(std::move(all_biases));
    return out;
}

}  // namespace

void bind_rankers(nb::module_& m) {
    m.attr("MAX_CHILDREN") = kMaxChildren;
    define(m, "train_level", &train_level,
           {"indptr", "indices", "data", "n_features", "positive_indptr", "positive_indices", "positive_weights",
            "instance_indptr", "instances", "child_starts", "is_squared_hinge", "cost", "epsilon", "bias", "min_weight",
            "max_rounds", "seed", "first_parent", "n_threads"},
           "The packed weights of all children of one level, or of a run of its parents, the first of this number.");
}

}  // namespace deixis
