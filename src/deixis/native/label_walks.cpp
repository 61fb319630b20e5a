// Labels that random walks reach from each label, over the graph that joins documents and their labels.
//
// A step goes from a label to one of its documents and from there to one of the document's labels, all equally likely.
// Before each step the walk returns to its first label with a given probability. Every label draws its own random
// numbers, so one thread and many give the same bytes. What is kept of a label is bounded: the labels visited most.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "parallel.hpp"
#include "random.hpp"

namespace deixis {
namespace {

constexpr std::size_t kLabelsPerTask = 256;
constexpr std::int64_t kMaxWalk =
    10'000'000;  // its visits are held at once, 40 MB a thread; between two looks for Ctrl-C

struct Links {
    const std::int64_t* starts;
    const std::int32_t* ends;

    std::uint32_t count(std::int32_t node) const { return static_cast<std::uint32_t>(starts[node + 1] - starts[node]); }
    std::int32_t any(std::int32_t node, Random& random) const { return ends[starts[node] + random.below(count(node))]; }
};

struct Visits {
    std::int32_t label;
    std::int32_t count;
};

struct WalkSettings {
    std::int64_t length;
    std::uint64_t restart_below;  // of the 2^32 numbers that can be drawn
    std::size_t max_neighbours;
    std::uint64_t seed;
};

// The labels of one walk, the first included, in the order of the visits.
void walk(const Links& documents_of, const Links& labels_of, std::int32_t first, const WalkSettings& settings,
          std::vector<std::int32_t>& visited) {
    visited.assign(1, first);
    if (documents_of.count(first) == 0) return;
    Random random(settings.seed, static_cast<std::uint64_t>(first));
    std::int32_t label = first;
    for (std::int64_t step = 0; step < settings.length; ++step) {
        if ((random.next() >> 32) < settings.restart_below) label = first;
        label = labels_of.any(documents_of.any(label, random), random);
        visited.push_back(label);
    }
}

// How often each label stands in `visited`: the first label and those visited most, by number.
void count_visits(std::vector<std::int32_t>& visited, std::int32_t first, std::size_t max_neighbours,
                  std::vector<Visits>& counted) {
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
    const auto end_of_kept = counted.begin() + static_cast<std::ptrdiff_t>(max_neighbours + 1);
    std::nth_element(counted.begin(), end_of_kept, counted.end(), is_before);
    counted.erase(end_of_kept, counted.end());
    std::sort(counted.begin(), counted.end(), [](const Visits& a, const Visits& b) { return a.label < b.label; });
}

// labels_by_labels visits: the label itself and at most `max_neighbours` others in each row, columns ascending.
auto label_walks(ArrayIn<std::int64_t> doc_indptr, ArrayIn<std::int32_t> doc_labels, ArrayIn<std::int64_t> label_indptr,
                 ArrayIn<std::int32_t> label_docs, std::int64_t walk_length, double restart,
                 std::int64_t max_neighbours, std::uint64_t seed, int n_threads) {
    if (walk_length < 1 || walk_length > kMaxWalk || max_neighbours < 0 || !(restart >= 0.0 && restart <= 1.0))
        throw std::invalid_argument(
            "A walk needs a length in 1..10,000,000, a restart probability in 0..1 and no fewer than 0 neighbours.");
    const Links labels_of{doc_indptr.data(), doc_labels.data()}, documents_of{label_indptr.data(), label_docs.data()};
    const auto n_labels = static_cast<std::size_t>(label_indptr.shape(0)) - 1;
    const WalkSettings settings{walk_length, static_cast<std::uint64_t>(std::ldexp(restart, 32)),
                                static_cast<std::size_t>(max_neighbours), seed};
    const auto n_tasks = (n_labels + kLabelsPerTask - 1) / kLabelsPerTask;
    std::vector<std::vector<Visits>> found(n_tasks);
    std::vector<std::int64_t> indptr(n_labels + 1, 0);
    parallel_for(n_tasks, n_threads, [&](std::size_t task) {
        std::vector<std::int32_t> visited;
        std::vector<Visits> counted;
        const auto end = std::min(n_labels, (task + 1) * kLabelsPerTask);
        for (auto label = task * kLabelsPerTask; label < end; ++label) {
            if (stop_requested()) return;
            walk(documents_of, labels_of, static_cast<std::int32_t>(label), settings, visited);
            count_visits(visited, static_cast<std::int32_t>(label), settings.max_neighbours, counted);
            found[task].insert(found[task].end(), counted.begin(), counted.end());
            indptr[label + 1] = static_cast<std::int64_t>(counted.size());
        }
        found[task].shrink_to_fit();
    });
    for (std::size_t label = 0; label < n_labels; ++label) indptr[label + 1] += indptr[label];
    std::vector<std::int32_t> neighbours, counts;
    neighbours.reserve(static_cast<std::size_t>(indptr.back()));
    counts.reserve(static_cast<std::size_t>(indptr.back()));
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
    m.def("label_walks", &label_walks, nb::arg("doc_indptr"), nb::arg("doc_labels"), nb::arg("label_indptr"),
          nb::arg("label_docs"), nb::arg("walk_length"), nb::arg("restart"), nb::arg("max_neighbours"), nb::arg("seed"),
          nb::arg("n_threads"));
}

}  // namespace deixis
