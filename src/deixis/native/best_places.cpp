// The best candidates of each mention.
#include <algorithm>
#include <numeric>

#include "border.hpp"
#include "parallel.hpp"

namespace deixis {
namespace {

// The places of the best `k` of each mention, best first, the smaller row first among equals; and where each
// mention's begin.
auto best_places(ArrayIn<int64_t> starts, ArrayIn<int64_t> rows, ArrayIn<double> scores, int64_t k, int n_threads) {
    const size_t n_mentions = n_rows_of("starts", starts);
    check_starts("starts", starts, n_mentions, rows.shape(0));
    check_size("scores", scores, rows.shape(0), "one for each row");
    check_at_least("k", k, 0);
    std::vector<int64_t> firsts(n_mentions + 1, 0);
    for (size_t i = 0; i < n_mentions; ++i)
        firsts[i + 1] = firsts[i] + std::min(k, starts.data()[i + 1] - starts.data()[i]);
    std::vector<int64_t> places(static_cast<size_t>(firsts.back()));
    std::vector<std::vector<int64_t>> orders(worker_count(n_mentions, n_threads));
    parallel_for(n_mentions, n_threads, [&](size_t i, int worker) {
        std::vector<int64_t>& order = orders[worker];
        order.resize(static_cast<size_t>(starts.data()[i + 1] - starts.data()[i]));
        std::iota(order.begin(), order.end(), starts.data()[i]);
        const auto last = order.begin() + (firsts[i + 1] - firsts[i]);
        const auto is_before = [&](int64_t a, int64_t b) {
            const double first = scores.data()[a], second = scores.data()[b];
            return first != second ? first > second : rows.data()[a] < rows.data()[b];
        };
        if (last != order.end()) std::nth_element(order.begin(), last, order.end(), is_before);
        std::sort(order.begin(), last, is_before);
        std::copy(order.begin(), last, places.begin() + firsts[i]);
    });
    return std::make_tuple(to_numpy(std::move(firsts)), to_numpy(std::move(places)));
}

}  // namespace

void bind_best_places(nb::module_& m) {
    define(m, "best_places", &best_places, {"starts", "rows", "scores", "k", "n_threads"},
           "Where the best of each mention begin, and their places, best first; of equals the smaller row.");
}

}  // namespace deixis
