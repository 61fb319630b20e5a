// Weighted sums of features, the probabilities they make, and the best candidates of each mention; keys of names.
#include <algorithm>
#include <cmath>
#include <limits>

#include "border.hpp"
#include "parallel.hpp"
#include "string_hash.hpp"
#include "texts.hpp"

namespace deixis {
namespace {

constexpr size_t kRun = 4096;  // sums that stay in the nearest cache while the columns are added

// The sum of columns times their weights, a column after the other.
ArrayOut<double> weighted_sums(const std::vector<ArrayIn<float>>& columns, ArrayIn<double> weights, int64_t n) {
    check_at_least("n", n, 0);
    check_size("weights", weights, columns.size(), "one for each column");
    for (const auto& column : columns) check_size("columns", column, static_cast<size_t>(n), "one for each candidate");
    const auto n_items = static_cast<size_t>(n);
    std::vector<double> sums(n_items, 0.0);
    for (size_t begin = 0; begin < n_items; begin += kRun) {
        const size_t end = std::min(n_items, begin + kRun);
        for (size_t c = 0; c < columns.size(); ++c) {
            const float* values = columns[c].data();
            const double weight = weights.data()[c];
            for (size_t i = begin; i < end; ++i) sums[i] += values[i] * weight;
        }
    }
    return to_numpy(std::move(sums));
}

struct Place {
    double score;
    int64_t row, at;
};

// Puts the best `k` first, best first; the smaller row first among equals.
void best_first(std::vector<Place>& places, size_t k) {
    const auto is_before = [](const Place& a, const Place& b) {
        return a.score != b.score ? a.score > b.score : a.row < b.row;
    };
    const auto last = places.begin() + static_cast<ptrdiff_t>(std::min(k, places.size()));
    if (last != places.end()) std::nth_element(places.begin(), last, places.end(), is_before);
    std::sort(places.begin(), last, is_before);
}

std::vector<int64_t> firsts_of(const ArrayIn<int64_t>& starts, int64_t k) {
    std::vector<int64_t> firsts(starts.shape(0), 0);
    for (size_t i = 0; i + 1 < firsts.size(); ++i)
        firsts[i + 1] = firsts[i] + std::min(k, starts.data()[i + 1] - starts.data()[i]);
    return firsts;
}

// The places of the best `k` of each mention, best first, the smaller row first among equals; and where each
// mention's begin.
auto best_places(ArrayIn<int64_t> starts, ArrayIn<int64_t> rows, ArrayIn<double> scores, int64_t k, int n_threads) {
    const size_t n_mentions = n_rows_of("starts", starts);
    check_starts("starts", starts, n_mentions, rows.shape(0));
    check_size("scores", scores, rows.shape(0), "one for each row");
    check_at_least("k", k, 0);
    std::vector<int64_t> firsts = firsts_of(starts, k);
    std::vector<int64_t> places(static_cast<size_t>(firsts.back()));
    std::vector<std::vector<Place>> orders(static_cast<size_t>(worker_count(n_mentions, n_threads)));
    parallel_for(n_mentions, n_threads, [&](size_t i, int worker) {
        std::vector<Place>& order = orders[static_cast<size_t>(worker)];
        order.clear();
        for (auto at = starts.data()[i]; at < starts.data()[i + 1]; ++at)
            order.push_back({scores.data()[at], rows.data()[at], at});
        best_first(order, static_cast<size_t>(k));
        for (auto at = firsts[i]; at < firsts[i + 1]; ++at)
            places[static_cast<size_t>(at)] = order[static_cast<size_t>(at - firsts[i])].at;
    });
    return std::make_tuple(to_numpy(std::move(firsts)), to_numpy(std::move(places)));
}

// The places of a mention's candidates with their probabilities, a softmax of its totals, as floats: candidates that
// differ less are equal.
void softmax(const double* totals, const int64_t* rows, int64_t first, int64_t last, std::vector<Place>& places) {
    const double most = *std::max_element(totals + first, totals + last);
    double sum = 0.0;
    places.clear();
    for (auto at = first; at < last; ++at) {
        // What is further away is nothing as a float.
        const double part = totals[at] - most < -120.0 ? 0.0 : std::exp(totals[at] - most);
        places.push_back({part, rows[at], at});
        sum += part;
    }
    for (Place& place : places) place.score = static_cast<float>(place.score / sum);
}

// By how much the best total is ahead of all others, infinite where there is no other.
double lead_of(const double* totals, int64_t first, int64_t last, int64_t best) {
    double second = -std::numeric_limits<double>::infinity();
    for (auto at = first; at < last; ++at)
        if (at != best) second = std::max(second, totals[at]);
    return totals[best] - second;
}

// The best `k` of each mention: where they begin, their rows, scores and places; and the lead of each mention's best.
auto ranked_candidates(ArrayIn<int64_t> starts, ArrayIn<int64_t> rows, ArrayIn<double> totals, int64_t k,
                       int n_threads) {
    const size_t n_mentions = n_rows_of("starts", starts);
    check_starts("starts", starts, n_mentions, rows.shape(0));
    check_size("totals", totals, rows.shape(0), "one for each row");
    check_at_least("k", k, 1);
    std::vector<int64_t> firsts = firsts_of(starts, k);
    const auto n_kept = static_cast<size_t>(firsts.back());
    std::vector<int64_t> kept_rows(n_kept), kept_places(n_kept);
    std::vector<float> scores(n_kept);
    std::vector<double> leads(n_mentions, 0.0);
    std::vector<std::vector<Place>> orders(static_cast<size_t>(worker_count(n_mentions, n_threads)));
    parallel_for(n_mentions, n_threads, [&](size_t i, int worker) {
        const int64_t first = starts.data()[i], last = starts.data()[i + 1];
        if (first == last) return;
        std::vector<Place>& order = orders[static_cast<size_t>(worker)];
        softmax(totals.data(), rows.data(), first, last, order);
        best_first(order, static_cast<size_t>(k));
        for (auto at = firsts[i]; at < firsts[i + 1]; ++at) {
            const Place& place = order[static_cast<size_t>(at - firsts[i])];
            kept_rows[static_cast<size_t>(at)] = place.row;
            kept_places[static_cast<size_t>(at)] = place.at;
            scores[static_cast<size_t>(at)] = static_cast<float>(place.score);
        }
        leads[i] = lead_of(totals.data(), first, last, order[0].at);
    });
    return std::make_tuple(to_numpy(std::move(firsts)), to_numpy(std::move(kept_rows)), to_numpy(std::move(scores)),
                           to_numpy(std::move(kept_places)), to_numpy(std::move(leads)));
}

// The hash of each string, as `deixis.store.string_hashes` has it.
ArrayOut<uint64_t> string_hashes(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets) {
    const Texts strings(data, offsets);
    std::vector<uint64_t> hashes(strings.size());
    for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = string_hash(strings.text(i), strings.length(i));
    return to_numpy(std::move(hashes));
}

}  // namespace

void bind_ranking(nb::module_& m) {
    define(m, "string_hashes", &string_hashes, {"data", "offsets"}, "The hash of every string.");
    define(m, "weighted_sums", &weighted_sums, {"columns", "weights", "n"},
           "The weighted sum of the columns for each of n candidates.");
    define(m, "best_places", &best_places, {"starts", "rows", "scores", "k", "n_threads"},
           "Where the best of each mention begin, and their places, best first; of equals the smaller row.");
    define(
        m, "ranked_candidates", &ranked_candidates, {"starts", "rows", "totals", "k", "n_threads"},
        "Where the best of each mention begin, their rows, probabilities and places, best first; and by how much each "
        "mention's best is ahead.");
}

}  // namespace deixis
