// Labels that random walks reach from each label, over the graph that joins documents and their labels.
//
// A step goes from a label to one of its documents and from there to one of the document's labels, all equally likely.
// Before each step the walk returns to its first label with a given probability. Every label draws its own random
// numbers, so one thread and many give the same bytes. What is kept of a label is bounded: the labels visited most.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {
namespace {

constexpr size_t kLabelsPerTask = 256;
constexpr int64_t kMaxWalk = 10'000'000;  // its visits are held at once, 40 MB a thread; between two looks for Ctrl-C

struct Links {
    const int64_t* starts;
    const int32_t* ends;

    uint32_t count(int32_t node) const { return static_cast<uint32_t>(starts[node + 1] - starts[node]); }
    int32_t any(int32_t node, Random& random) const { return ends[starts[node] + random.below(count(node))]; }
};

struct Visits {
    int32_t label;
    int32_t count;
};

struct WalkSettings {
    int64_t length;
    uint64_t restart_below;  // of the 2^32 numbers that can be drawn
    size_t max_neighbours;
    uint64_t seed;
};

// The labels of one walk, the first included, in the order of the visits.
void walk(const Links& documents_of, const Links& labels_of, int32_t first, const WalkSettings& settings,
          std::vector<int32_t>& visited) {
    visited.assign(1, first);
    if (documents_of.count(first) == 0) return;
    Random random(settings.seed, static_cast<uint64_t>(first));
    int32_t label = first;
    for (int64_t step = 0; step < settings.length; ++step) {
        if ((random.next() >> 32) < settings.restart_below) label = first;
        label = labels_of.any(documents_of.any(label, random), random);
        visited.push_back(label);
    }
}

// How often each label stands in `visited`: the first label and those visited most, by number.
void count_visits(std::vector<int32_t>& visited, int32_t first, size_t max_neighbours, std::vector<Visits>& counted) {
    std::sort(visited.begin(), visited.end());
    counted.clear();
    for (const auto label : visited) {
        if (counted.empty() || counted.back().label != label) counted.push_back({label, 0});
        ++counted.back().count;
    }
    if (counted.size() <= max_neighbours + 1) return;
    const auto is_before = [first](const Visits& a, const Visits& b) {
        if ((a.label == first) != (b.label == first)) return a.label == first;
        return a.count != b.count ? a.count > b.count : a.label < b.label;
    };
    const auto end_of_kept = counted.begin() + static_cast<ptrdiff_t>(max_neighbours + 1);
    std::nth_element(counted.begin(), end_of_kept, counted.end(), is_before);
    counted.erase(end_of_kept, counted.end());
    std::sort(counted.begin(), counted.end(), [](const Visits& a, const Visits& b) { return a.label < b.label; });
}

// labels_by_labels visits: the label itself and at most `max_neighbours` others in each row, columns ascending.
auto label_walks(ArrayIn<int64_t> doc_indptr, ArrayIn<int32_t> doc_labels, ArrayIn<int64_t> label_indptr,
                 ArrayIn<int32_t> label_docs, int64_t walk_length, double restart, int64_t max_neighbours,
                 uint64_t seed, int n_threads) {
    check_within("walk_length", static_cast<double>(walk_length), 1, kMaxWalk);
    check_within("restart", restart, 0, 1);
    check_at_least("max_neighbours", max_neighbours, 0);
    const size_t n_docs = n_rows_of("doc_indptr", doc_indptr), n_labels = n_rows_of("label_indptr", label_indptr);
    check_starts("doc_indptr", doc_indptr, n_docs, doc_labels.shape(0));
    check_starts("label_indptr", label_indptr, n_labels, label_docs.shape(0));
    check_numbers("doc_labels", doc_labels, static_cast<int64_t>(n_labels));
    check_numbers("label_docs", label_docs, static_cast<int64_t>(n_docs));
    const Links labels_of{doc_indptr.data(), doc_labels.data()}, documents_of{label_indptr.data(), label_docs.data()};
    const WalkSettings settings{walk_length, static_cast<uint64_t>(std::ldexp(restart, 32)),
                                static_cast<size_t>(max_neighbours), seed};
    std::vector<std::vector<Visits>> found(run_count(n_labels, kLabelsPerTask));
    std::vector<int64_t> indptr(n_labels + 1, 0);
    parallel_for_runs(n_labels, kLabelsPerTask, n_threads, [&](size_t task, size_t begin, size_t end) {
        std::vector<int32_t> visited;
        std::vector<Visits> counted;
        for (size_t label = begin; label < end; ++label) {
            if (stop_requested()) return;
            walk(documents_of, labels_of, static_cast<int32_t>(label), settings, visited);
            count_visits(visited, static_cast<int32_t>(label), settings.max_neighbours, counted);
            found[task].insert(found[task].end(), counted.begin(), counted.end());
            indptr[label + 1] = static_cast<int64_t>(counted.size());
        }
        found[task].shrink_to_fit();
    });
    accumulate(indptr);
    std::vector<int32_t> neighbours, counts;
    neighbours.reserve(static_cast<size_t>(indptr.back()));
    counts.reserve(static_cast<size_t>(indptr.back()));
    for (auto& part : found) {
        for (const auto& visits : part) {
            neighbours.push_back(visits.label);
            counts.push_back(visits.count);
        }
        std::vector<Visits>().swap(part);  // given back at once: the whole is never held twice
    }
    return std::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(neighbours)), to_numpy(std::move(counts)));
}

}  // namespace

void bind_label_walks(nb::module_& m) {
    m.attr("MAX_WALK") = kMaxWalk;
    define(m, "label_walks", &label_walks,
           {"doc_indptr", "doc_labels", "label_indptr", "label_docs", "walk_length", "restart", "max_neighbours",
            "seed", "n_threads"},
           "labels_by_labels visits of random walks: row starts, labels, counts.");
}

}  // namespace deixis
