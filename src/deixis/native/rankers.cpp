// One-vs-all linear rankers for the children of every parent in one level of a label tree (XMRED, Eq. 3-5, 7).
//
// A parent's problem is cut down to the features its own instances have, and all its children are solved together by
// dual coordinate descent (Hsieh et al. 2008, as in LIBLINEAR): `weights[feature][child]` is one dense block, so each
// instance is read once per round for all children.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "packed_weights.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {
namespace {

struct SolverParams {
    bool is_squared_hinge;
    float cost, epsilon, bias, min_weight;
    std::int32_t max_rounds;
    std::uint64_t seed;
};

/// The packed weights of one parent.
struct Packed {
    std::vector<std::uint32_t> bucket_starts;
    std::vector<std::uint16_t> keys, weights;
    std::vector<std::uint8_t> children;
    std::vector<float> biases;
};

struct Problem {
    const CsrView& docs;
    const std::int64_t* positive_indptr;   // doc -> its children of this level, ascending
    const std::int32_t* positive_indices;
    const std::int32_t* instances;
    std::int32_t n_instances;
    std::int32_t first_child, n_children;
};

constexpr int kLanes = 8;

/// Solves one parent. Made anew for each, but its big map of features belongs to the worker.
class SiblingSolver {
public:
    SiblingSolver(const Problem& problem, const SolverParams& params, std::vector<std::int32_t>& feature_numbers)
        : problem_(problem), params_(params), n_lanes_((problem.n_children + kLanes - 1) / kLanes * kLanes) {
        copy_instances(feature_numbers);
        mark_positives();
    }

    Packed solve(std::uint64_t stream, int n_bits) {
        weights_.assign(static_cast<std::size_t>(features_.size()) * n_lanes_, 0.0f);
        biases_.assign(n_lanes_, 0.0f);
        alphas_.assign(static_cast<std::size_t>(problem_.n_instances) * n_lanes_, 0.0f);
        descend(stream);
        return pack(n_bits);
    }

private:
    void copy_instances(std::vector<std::int32_t>& feature_numbers) {
        indptr_.reserve(problem_.n_instances + 1);
        indptr_.push_back(0);
        for (std::int32_t i = 0; i < problem_.n_instances; ++i) {
            const std::int32_t doc = problem_.instances[i];
            float norm = 0.0f;
            for (std::int64_t p = problem_.docs.indptr[doc]; p < problem_.docs.indptr[doc + 1]; ++p) {
                std::int32_t& number = feature_numbers[problem_.docs.indices[p]];
                if (number < 0) {
                    number = static_cast<std::int32_t>(features_.size());
                    features_.push_back(problem_.docs.indices[p]);
                }
                indices_.push_back(number);
                data_.push_back(problem_.docs.data[p]);
                norm += problem_.docs.data[p] * problem_.docs.data[p];
            }
            indptr_.push_back(static_cast<std::int64_t>(indices_.size()));
            norms_.push_back(norm + params_.bias * params_.bias);
        }
        for (std::int32_t f : features_) feature_numbers[f] = -1;
    }

    void mark_positives() {
        positive_starts_.push_back(0);
        for (std::int32_t i = 0; i < problem_.n_instances; ++i) {
            const std::int32_t doc = problem_.instances[i];
            const std::int32_t* begin = problem_.positive_indices + problem_.positive_indptr[doc];
            const std::int32_t* end = problem_.positive_indices + problem_.positive_indptr[doc + 1];
            for (const std::int32_t* c = std::lower_bound(begin, end, problem_.first_child);
                 c != end && *c < problem_.first_child + problem_.n_children; ++c)
                positives_.push_back(*c - problem_.first_child);
            positive_starts_.push_back(static_cast<std::int32_t>(positives_.size()));
        }
    }

    void descend(std::uint64_t stream) {
        Random random(params_.seed, stream);
        std::vector<std::int32_t> order(problem_.n_instances);
        for (std::int32_t i = 0; i < problem_.n_instances; ++i) order[i] = i;
        std::vector<float> signs(n_lanes_, -1.0f), scores(n_lanes_), steps(n_lanes_), highest(n_lanes_), lowest(n_lanes_);
        for (std::int32_t round = 0; round < params_.max_rounds; ++round) {
            random.shuffle(order.data(), static_cast<std::uint32_t>(order.size()));
            std::fill(highest.begin(), highest.end(), -INFINITY);
            std::fill(lowest.begin(), lowest.end(), INFINITY);
            std::uint32_t n_done = 0;
            for (std::int32_t i : order) {
                if ((++n_done & 1023u) == 0 && stop_requested()) return;
                for (std::int32_t p = positive_starts_[i]; p < positive_starts_[i + 1]; ++p) signs[positives_[p]] = 1.0f;
                score(i, scores.data());
                const bool is_moved = step(i, signs.data(), scores.data(), steps.data(), highest.data(), lowest.data());
                if (is_moved) move(i, steps.data());
                for (std::int32_t p = positive_starts_[i]; p < positive_starts_[i + 1]; ++p) signs[positives_[p]] = -1.0f;
            }
            float widest = 0.0f;
            for (std::int32_t k = 0; k < problem_.n_children; ++k) widest = std::max(widest, highest[k] - lowest[k]);
            if (widest <= params_.epsilon) break;
        }
    }

    void score(std::int32_t i, float* __restrict scores) const {
        const std::int32_t n = n_lanes_;
        for (std::int32_t k = 0; k < n; ++k) scores[k] = params_.bias * biases_[k];
        for (std::int64_t p = indptr_[i]; p < indptr_[i + 1]; ++p) {
            const float* __restrict row = weights_.data() + static_cast<std::int64_t>(indices_[p]) * n;
            const float x = data_[p];
            for (std::int32_t k = 0; k < n; ++k) scores[k] += x * row[k];
        }
    }

    /// One projected Newton step of every dual variable of instance i; returns whether any moved.
    bool step(std::int32_t i, const float* __restrict signs, const float* __restrict scores, float* __restrict steps,
              float* __restrict highest, float* __restrict lowest) {
        const float diagonal = params_.is_squared_hinge ? 0.5f / params_.cost : 0.0f;
        const float upper = params_.is_squared_hinge ? INFINITY : params_.cost;
        const float inverse = 1.0f / (norms_[i] + diagonal);
        float* __restrict alpha = alphas_.data() + static_cast<std::int64_t>(i) * n_lanes_;
        float moved = 0.0f;
        for (std::int32_t k = 0; k < n_lanes_; ++k) {
            const float gradient = signs[k] * scores[k] - 1.0f + diagonal * alpha[k];
            float next = alpha[k] - gradient * inverse;
            next = next < 0.0f ? 0.0f : next;
            next = next > upper ? upper : next;
            // At a bound only the part of the gradient that points inside counts.
            const float projected = (alpha[k] <= 0.0f && gradient > 0.0f) || (alpha[k] >= upper && gradient < 0.0f) ? 0.0f : gradient;
            highest[k] = projected > highest[k] ? projected : highest[k];
            lowest[k] = projected < lowest[k] ? projected : lowest[k];
            steps[k] = (next - alpha[k]) * signs[k];
            moved += std::fabs(steps[k]);
            alpha[k] = next;
        }
        return moved > 0.0f;
    }

    void move(std::int32_t i, const float* __restrict steps) {
        const std::int32_t n = n_lanes_;
        for (std::int32_t k = 0; k < n; ++k) biases_[k] += params_.bias * steps[k];
        for (std::int64_t p = indptr_[i]; p < indptr_[i + 1]; ++p) {
            float* __restrict row = weights_.data() + static_cast<std::int64_t>(indices_[p]) * n;
            const float x = data_[p];
            for (std::int32_t k = 0; k < n; ++k) row[k] += x * steps[k];
        }
    }

    Packed pack(int n_bits) const {
        std::vector<std::pair<std::uint32_t, std::int32_t>> kept;  // hashed feature, local feature
        std::size_t n_entries = 0;
        for (std::size_t f = 0; f < features_.size(); ++f) {
            const std::size_t n = count_kept(f);
            if (n > 0) kept.push_back({hash_feature(static_cast<std::uint32_t>(features_[f]), n_bits), static_cast<std::int32_t>(f)});
            n_entries += n;
        }
        std::sort(kept.begin(), kept.end());
        int bucket_bits = std::max(0, n_bits - kMaxKeyBits);
        while ((std::size_t{2} << bucket_bits) < kept.size() && bucket_bits < n_bits) ++bucket_bits;
        const int key_bits = n_bits - bucket_bits;
        Packed packed;
        packed.bucket_starts.assign((std::size_t{1} << bucket_bits) + 1, 0);
        packed.keys.reserve(n_entries);
        packed.weights.reserve(n_entries);
        packed.children.reserve(n_entries);
        for (const auto& [hash, f] : kept) {
            for (std::int32_t k = 0; k < problem_.n_children; ++k) {
                const float w = weights_[static_cast<std::size_t>(f) * n_lanes_ + k];
                if (std::fabs(w) < params_.min_weight || w == 0.0f) continue;
                packed.keys.push_back(static_cast<std::uint16_t>(hash & ((1u << key_bits) - 1)));
                packed.weights.push_back(to_bfloat16(w));
                packed.children.push_back(static_cast<std::uint8_t>(k));
            }
            packed.bucket_starts[(hash >> key_bits) + 1] = static_cast<std::uint32_t>(packed.keys.size());
        }
        for (std::size_t b = 1; b < packed.bucket_starts.size(); ++b)
            packed.bucket_starts[b] = std::max(packed.bucket_starts[b], packed.bucket_starts[b - 1]);
        for (std::int32_t k = 0; k < problem_.n_children; ++k) packed.biases.push_back(params_.bias * biases_[k]);
        return packed;
    }

    std::size_t count_kept(std::size_t f) const {
        std::size_t n = 0;
        for (std::int32_t k = 0; k < problem_.n_children; ++k) {
            const float w = weights_[f * n_lanes_ + k];
            n += std::fabs(w) >= params_.min_weight && w != 0.0f;
        }
        return n;
    }

    const Problem& problem_;
    const SolverParams& params_;
    std::int32_t n_lanes_;  // children, padded so that loops over them vectorise
    std::vector<std::int64_t> indptr_;
    std::vector<std::int32_t> indices_, features_, positives_, positive_starts_;
    std::vector<float> data_, norms_, weights_, biases_, alphas_;
};

template <typename T>
void append(std::vector<T>& all, std::vector<T>& part) {
    all.insert(all.end(), part.begin(), part.end());
    std::vector<T>().swap(part);
}

nb::dict train_level(ArrayIn<std::int64_t> indptr, ArrayIn<std::int32_t> indices, ArrayIn<float> data, std::int64_t n_features,
                     ArrayIn<std::int64_t> positive_indptr, ArrayIn<std::int32_t> positive_indices,
                     ArrayIn<std::int64_t> instance_indptr, ArrayIn<std::int32_t> instances, ArrayIn<std::int64_t> child_starts,
                     bool is_squared_hinge, float cost, float epsilon, float bias, float min_weight, std::int32_t max_rounds,
                     std::uint64_t seed, std::int32_t n_threads) {
    const CsrView docs(indptr, indices, data);
    const SolverParams params{is_squared_hinge, cost, epsilon, bias, min_weight, max_rounds, seed};
    const auto n_parents = static_cast<std::int64_t>(child_starts.shape(0)) - 1;
    const int n_bits = bits_for(n_features);
    std::vector<Packed> parents(n_parents);
    std::vector<std::vector<std::int32_t>> feature_numbers(worker_count(n_parents, n_threads));
    parallel_for(n_parents, n_threads, [&](std::int64_t v, int worker) {
        auto& numbers = feature_numbers[worker];
        if (numbers.empty()) numbers.assign(n_features, -1);
        const std::int64_t first = instance_indptr.data()[v];
        const Problem problem{docs,
                              positive_indptr.data(),
                              positive_indices.data(),
                              instances.data() + first,
                              static_cast<std::int32_t>(instance_indptr.data()[v + 1] - first),
                              static_cast<std::int32_t>(child_starts.data()[v]),
                              static_cast<std::int32_t>(child_starts.data()[v + 1] - child_starts.data()[v])};
        parents[v] = SiblingSolver(problem, params, numbers).solve(static_cast<std::uint64_t>(v), n_bits);
    });
    Packed all;
    std::vector<std::int64_t> entry_starts{0}, bucket_offsets{0};
    for (Packed& parent : parents) {
        append(all.bucket_starts, parent.bucket_starts);
        append(all.keys, parent.keys);
        append(all.weights, parent.weights);
        append(all.children, parent.children);
        append(all.biases, parent.biases);
        entry_starts.push_back(static_cast<std::int64_t>(all.keys.size()));
        bucket_offsets.push_back(static_cast<std::int64_t>(all.bucket_starts.size()));
    }
    nb::dict out;
    out["bucket_starts"] = to_numpy(std::move(all.bucket_starts));
    out["bucket_offsets"] = to_numpy(std::move(bucket_offsets));
    out["entry_starts"] = to_numpy(std::move(entry_starts));
    out["keys"] = to_numpy(std::move(all.keys));
    out["children"] = to_numpy(std::move(all.children));
    out["weights"] = to_numpy(std::move(all.weights));
    out["biases"] = to_numpy(std::move(all.biases));
    return out;
}

}  // namespace

void bind_rankers(nb::module_& m) {
    m.def("train_level", &train_level, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("n_features"),
          nb::arg("positive_indptr"), nb::arg("positive_indices"), nb::arg("instance_indptr"), nb::arg("instances"),
          nb::arg("child_starts"), nb::arg("is_squared_hinge"), nb::arg("cost"), nb::arg("epsilon"), nb::arg("bias"),
          nb::arg("min_weight"), nb::arg("max_rounds"), nb::arg("seed"), nb::arg("n_threads"));
}

}  // namespace deixis
