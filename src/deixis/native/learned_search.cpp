// Search through a learned index (ELIAS, Eq. 2-6): the best clusters of a document, all paths from them to labels, the
// best path of each label, the best labels; and the dot products of the shortlisted labels' classifiers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

struct Path {
    float score;
    int32_t label;
    int64_t edge;
    bool operator<(const Path& other) const { return score != other.score ? score > other.score : label < other.label; }
};

// What one worker needs; `slots` has a place for each label, all -1 between documents.
struct Scratch {
    std::vector<int32_t> clusters;
    std::vector<int32_t> slots;  // of a label in `paths`, or -1
    std::vector<Path> paths;
};

// Clusters and their edges to labels, by rows.
struct Graph {
    const int64_t* starts;
    const int32_t* labels;
    const float* scores;
    int64_t n_clusters, n_labels;
};

// Clusters and labels that a document must reach, whatever their scores (training only).
struct Forced {
    const int64_t *cluster_starts, *label_starts;
    const int32_t *clusters, *labels;
};

void choose_clusters(const float* scores, const Graph& graph, int64_t beam, const Forced& forced, size_t row,
                     std::vector<int32_t>& chosen) {
    chosen.resize(static_cast<size_t>(graph.n_clusters));
    for (int32_t c = 0; c < graph.n_clusters; ++c) chosen[c] = c;
    const auto n = std::min(beam, graph.n_clusters);
    const auto better = [&](int32_t a, int32_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; };
    std::nth_element(chosen.begin(), chosen.begin() + std::max<int64_t>(n - 1, 0), chosen.end(), better);
    chosen.resize(static_cast<size_t>(n));
    for (auto i = forced.cluster_starts[row]; i < forced.cluster_starts[row + 1]; ++i)
        chosen.push_back(forced.clusters[i]);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
}

// The best path to each label within reach; among equals that of the first cluster.
void walk(const float* cluster_scores, const Graph& graph, Scratch& scratch) {
    scratch.paths.clear();
    for (const auto cluster : scratch.clusters)
        for (auto edge = graph.starts[cluster]; edge < graph.starts[cluster + 1]; ++edge) {
            const float score = cluster_scores[cluster] * graph.scores[edge];
            const auto label = graph.labels[edge];
            auto& slot = scratch.slots[label];
            if (slot < 0) {
                slot = static_cast<int32_t>(scratch.paths.size());
                scratch.paths.push_back({score, label, edge});
            } else if (score > scratch.paths[slot].score) {
                scratch.paths[slot] = {score, label, edge};
            }
        }
}

// Only the best k, best first; labels that are forced stay, in place of the last ones that are not.
void keep_best(size_t k, const Forced& forced, size_t row, Scratch& scratch) {
    auto& paths = scratch.paths;
    size_t n_forced = 0;
    for (auto i = forced.label_starts[row]; i < forced.label_starts[row + 1]; ++i) {
        const auto slot = scratch.slots[forced.labels[i]];
        if (slot < 0) continue;
        scratch.slots[forced.labels[i]] = -1;
        scratch.slots[paths[n_forced].label] = slot;  // the two change places
        std::swap(paths[n_forced++], paths[slot]);
    }
    for (const auto& path : paths) scratch.slots[path.label] = -1;
    if (paths.size() > k) {
        const auto n = std::max(k, n_forced);
        std::nth_element(paths.begin() + static_cast<ptrdiff_t>(n_forced),
                         paths.begin() + static_cast<ptrdiff_t>(n) - (n > n_forced), paths.end());
        paths.resize(n);
    }
    std::sort(paths.begin(), paths.end());
}

auto learned_shortlist(MatrixIn cluster_scores, ArrayIn<int64_t> forced_cluster_starts,
                       ArrayIn<int32_t> forced_clusters, ArrayIn<int64_t> forced_label_starts,
                       ArrayIn<int32_t> forced_labels, ArrayIn<int64_t> edge_starts, ArrayIn<int32_t> edge_labels,
                       ArrayIn<float> edge_scores, int64_t n_labels, int64_t beam, int64_t k, int n_threads) {
    const auto n_rows = cluster_scores.shape(0);
    check_at_least("beam", beam, 1);
    check_at_least("k", k, 1);
    const size_t n_clusters = n_rows_of("edge_starts", edge_starts);
    if (cluster_scores.shape(1) != n_clusters)
        refuse("cluster_scores has ", cluster_scores.shape(1), " columns; it needs ", n_clusters,
               ", one for each cluster.");
    check_ends("edge_starts", edge_starts, n_clusters, edge_labels.shape(0));
    check_size("edge_scores", edge_scores, edge_labels.shape(0), "one for each of edge_labels");
    check_starts("forced_cluster_starts", forced_cluster_starts, n_rows, forced_clusters.shape(0));
    check_starts("forced_label_starts", forced_label_starts, n_rows, forced_labels.shape(0));
    check_numbers("forced_clusters", forced_clusters, static_cast<int64_t>(n_clusters));
    check_numbers("forced_labels", forced_labels, n_labels);
    const Graph graph{edge_starts.data(), edge_labels.data(), edge_scores.data(), static_cast<int64_t>(n_clusters),
                      n_labels};
    const Forced forced{forced_cluster_starts.data(), forced_label_starts.data(), forced_clusters.data(),
                        forced_labels.data()};
    std::vector<std::vector<Path>> found(n_rows);
    std::vector<Scratch> scratches(static_cast<size_t>(worker_count(n_rows, n_threads)));
    parallel_for(n_rows, n_threads, [&](size_t row, int worker) {
        Scratch& scratch = scratches[static_cast<size_t>(worker)];
        if (scratch.slots.empty()) scratch.slots.assign(static_cast<size_t>(n_labels), -1);
        const float* scores = cluster_scores.data() + row * cluster_scores.shape(1);
        choose_clusters(scores, graph, beam, forced, row, scratch.clusters);
        walk(scores, graph, scratch);
        keep_best(static_cast<size_t>(k), forced, row, scratch);
        found[row] = scratch.paths;
    });
    return joined_rows(
        found, [](const Path& path) { return path.label; }, [](const Path& path) { return path.score; },
        [](const Path& path) { return path.edge; });
}

// Eight sums side by side, in a fixed order: quick on any machine and the same bytes on each.
float dot(const float* a, const float* b, size_t n) {
    float sums[8] = {};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
    float rest = 0.0f;
    for (; i < n; ++i) rest += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

ArrayOut<float> shortlist_dots(MatrixIn vectors, MatrixIn classifiers, ArrayIn<int64_t> indptr, ArrayIn<int32_t> labels,
                               int n_threads) {
    const auto n_rows = vectors.shape(0), n_dims = vectors.shape(1);
    if (classifiers.shape(1) != n_dims)
        refuse("classifiers has ", classifiers.shape(1), " columns; it needs ", n_dims, ", as many as vectors.");
    check_starts("indptr", indptr, n_rows, labels.shape(0));
    check_numbers("labels", labels, static_cast<int64_t>(classifiers.shape(0)));
    std::vector<float> dots(labels.shape(0));
    parallel_for(n_rows, n_threads, [&](size_t row) {
        for (auto i = indptr.data()[row]; i < indptr.data()[row + 1]; ++i)
            dots[i] = dot(vectors.data() + row * n_dims,
                          classifiers.data() + static_cast<size_t>(labels.data()[i]) * n_dims, n_dims);
    });
    return to_numpy(std::move(dots));
}

// The order of each row's items, best score first, the earlier item among equals, at most k of them.
auto best_of_rows(ArrayIn<int64_t> indptr, ArrayIn<float> scores, int64_t k, int n_threads) {
    check_at_least("k", k, 1);
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, scores.shape(0));
    std::vector<int64_t> starts(n_rows + 1, 0);
    for (size_t row = 0; row < n_rows; ++row)
        starts[row + 1] = starts[row] + std::min(k, indptr.data()[row + 1] - indptr.data()[row]);
    std::vector<int64_t> order(static_cast<size_t>(starts.back()));
    parallel_for(n_rows, n_threads, [&](size_t row) {
        std::vector<int64_t> items;
        for (auto i = indptr.data()[row]; i < indptr.data()[row + 1]; ++i) items.push_back(i);
        const auto n = starts[row + 1] - starts[row];
        const auto* values = scores.data();
        std::partial_sort(items.begin(), items.begin() + n, items.end(), [values](int64_t a, int64_t b) {
            return values[a] != values[b] ? values[a] > values[b] : a < b;
        });
        std::copy(items.begin(), items.begin() + n, order.begin() + starts[row]);
    });
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(order)));
}

}  // namespace

void bind_learned_search(nb::module_& m) {
    define(m, "learned_shortlist", &learned_shortlist,
           {"cluster_scores", "forced_cluster_starts", "forced_clusters", "forced_label_starts", "forced_labels",
            "edge_starts", "edge_labels", "edge_scores", "n_labels", "beam", "k", "n_threads"},
           "The best k labels of each row: row starts, labels, scores, and the edge of each.");
    define(m, "shortlist_dots", &shortlist_dots, {"vectors", "classifiers", "indptr", "labels", "n_threads"},
           "The dot product of each row's vector with the classifier of each of its labels.");
    define(m, "best_of_rows", &best_of_rows, {"indptr", "scores", "k", "n_threads"},
           "The order of each row's items, best first, at most k of them: row starts, items.");
}

}  // namespace deixis
