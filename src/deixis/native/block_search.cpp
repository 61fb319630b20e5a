// The rows of a sparse matrix with the largest dot products with a query, found block by block.
//
// Rows stand in blocks. For every column a block has, the index keeps the largest weight in the block (the idea of Ding
// & Suel, 2011, "Faster Top-k Document Retrieval Using Block-Max Indexes"), so that one pass over short lists tells what
// each block can offer at most. The blocks that offer most are opened, and all their rows are scored. Columns that
// nearly all blocks have and that weigh little are left out of the first pass, as in the MaxScore rule of Turtle & Flood
// (1995): they could only raise all bounds alike.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"

#include <nanobind/stl/tuple.h>

namespace deixis {
namespace {

constexpr std::size_t kMaxBlockSize = 256;  // a row's place in its block has one byte
constexpr float kLightShare = 0.25f;        // of all that a query can score, what the longest lists may weigh together
constexpr std::int64_t kScanFactor = 12;    // a list this many times longer than the blocks asked for is searched, not read

struct Hit {
    float score;
    std::int32_t row;
    bool operator<(const Hit& other) const { return score != other.score ? score > other.score : row < other.row; }
};

/// A column of the query: its weight, and the run of its blocks.
struct Term {
    float weight;
    std::int64_t begin, end;
    std::int64_t length() const { return end - begin; }
};

constexpr std::size_t kStripes = 16;

/// A length that has room for n values and can be cut into stripes.
constexpr std::size_t padded(std::size_t n) { return (n + kStripes - 1) / kStripes * kStripes; }

/// A value that at least n of the values reach, and not many more; 0 if fewer are above 0. Values stand in lanes, as many
/// as a stripe is long: n lanes whose largest values reach something are n values that do. Keeps those largest values.
float reached_by(const std::vector<float>& values, std::size_t n, std::vector<float>& lanes) {
    const auto n_lanes = values.size() / kStripes;
    lanes.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n_lanes));
    for (std::size_t stripe = 1; stripe < kStripes; ++stripe) {
        const float* of_stripe = values.data() + stripe * n_lanes;
        for (std::size_t lane = 0; lane < n_lanes; ++lane) lanes[lane] = of_stripe[lane] > lanes[lane] ? of_stripe[lane] : lanes[lane];
    }
    if (n >= n_lanes) return 0;
    auto largest = lanes;
    std::nth_element(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(n - 1), largest.end(), std::greater<>());
    return largest[n - 1];
}

/// Calls fn for the place of every value above 0 that reaches `least`; `lanes` are what `reached_by` kept.
template <typename Fn>
void for_each_reaching(float least, const std::vector<float>& values, const std::vector<float>& lanes, Fn&& fn) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        if (!(lanes[lane] >= least && lanes[lane] > 0)) continue;
        for (auto place = lane; place < values.size(); place += lanes.size())
            if (values[place] >= least && values[place] > 0) fn(place);
    }
}

class BlockSearch {
public:
    BlockSearch(ArrayIn<std::int64_t> column_starts, ArrayIn<std::int32_t> blocks, ArrayIn<std::uint8_t> maxima,
                ArrayIn<std::uint32_t> entry_starts, ArrayIn<std::uint8_t> places, ArrayIn<std::uint8_t> codes,
                ArrayIn<float> scales, ArrayIn<std::int32_t> groups, std::int64_t n_groups, std::int64_t block_size)
        : column_starts_(column_starts), blocks_(blocks), maxima_(maxima), entry_starts_(entry_starts), places_(places),
          codes_(codes), scales_(scales), groups_(groups), n_groups_(n_groups), block_size_(block_size) {
        const auto n_rows = static_cast<std::int64_t>(groups.shape(0));
        if (block_size < 1 || block_size > static_cast<std::int64_t>(kMaxBlockSize)) throw std::invalid_argument("Blocks hold 1 to 256 rows.");
        if (column_starts.shape(0) != scales.shape(0) + 1 || maxima.shape(0) != blocks.shape(0) ||
            entry_starts.shape(0) != blocks.shape(0) + 1 || codes.shape(0) != places.shape(0))
            throw std::invalid_argument("The arrays of the index do not fit each other.");
        n_blocks_ = (n_rows + block_size - 1) / block_size;
    }

    auto search(ArrayIn<std::int64_t> indptr, ArrayIn<std::int32_t> indices, ArrayIn<float> data, std::int64_t k,
                std::int64_t max_blocks, int n_threads) const {
        const CsrView queries(indptr, indices, data);
        if (k < 1 || max_blocks < 1) throw std::invalid_argument("k and max_blocks must be at least 1.");
        k = std::min(k, std::max<std::int64_t>(n_groups_, 1));
        const auto n_queries = static_cast<std::size_t>(queries.n_rows);
        std::vector<std::vector<Hit>> found(n_queries);
        std::vector<Scratch> scratch(worker_count(n_queries, n_threads));
        parallel_for(n_queries, n_threads, [&](std::size_t query, int worker) {
            found[query] = find(queries, query, static_cast<std::size_t>(k), static_cast<std::size_t>(max_blocks), scratch[worker]);
        });
        std::vector<std::int64_t> starts(n_queries + 1, 0);
        for (std::size_t query = 0; query < n_queries; ++query)
            starts[query + 1] = starts[query] + static_cast<std::int64_t>(found[query].size());
        std::vector<std::int32_t> groups(starts.back());
        std::vector<float> scores(starts.back());
        for (std::size_t query = 0; query < n_queries; ++query)
            for (std::size_t i = 0; i < found[query].size(); ++i) {
                groups[starts[query] + i] = found[query][i].row;
                scores[starts[query] + i] = found[query][i].score;
            }
        return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(groups)), to_numpy(std::move(scores)));
    }

private:
    /// A run that is to be scored: the weights of one column in one opened block.
    struct Run {
        std::int64_t run;
        std::uint32_t slot;
        float weight;
    };

    struct Scratch {
        std::vector<Term> terms;            // shortest list first
        std::vector<float> bounds, scores;  // of blocks; of the rows of the opened blocks, one block after the other
        std::vector<float> lanes;
        std::vector<Hit> offers;           // blocks with their bounds
        std::vector<std::int32_t> opened;  // blocks, ascending
        std::vector<std::uint32_t> slots;  // of each block: its number among the opened ones, from 1
        std::vector<Run> runs;
        std::vector<Hit> best;  // rows that may be among the best, by their groups
        std::vector<std::uint32_t> seen;
        std::uint32_t n_seen = 0;
    };

    std::vector<Hit> find(const CsrView& queries, std::size_t query, std::size_t k, std::size_t max_blocks, Scratch& work) const {
        read_terms(queries, query, work.terms);
        if (work.terms.empty()) return {};
        choose_blocks(max_blocks, work);
        find_runs(work);
        score_runs(work);
        // A group may have many rows: more and more of the best rows are taken until they have enough groups.
        for (std::size_t n_rows = 2 * k + 16;; n_rows *= 4) {
            const float least = reached_by(work.scores, n_rows, work.lanes);
            take_rows(least, work);
            auto groups = groups_of(work, k);
            if (groups.size() == k || least == 0) return groups;
        }
    }

    void read_terms(const CsrView& queries, std::size_t query, std::vector<Term>& terms) const {
        terms.clear();
        for (auto i = queries.indptr[query]; i < queries.indptr[query + 1]; ++i) {
            const auto column = queries.indices[i];
            const auto begin = column_starts_.data()[column], end = column_starts_.data()[column + 1];
            const float scale = scales_.data()[column];
            if (begin < 0 || begin > end || end > static_cast<std::int64_t>(blocks_.shape(0)) || !(scale >= 0)) damaged();
            if (begin < end && queries.data[i] > 0) terms.push_back({queries.data[i] * scale, begin, end});
        }
        std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.length() < b.length(); });
    }

    /// How many of the terms, from the first on, say where to look; the others have long lists and little weight.
    static std::size_t n_heavy(const std::vector<Term>& terms) {
        float total = 0, light = 0;
        for (const auto& term : terms) total += term.weight;
        auto n = terms.size();
        while (n > 1 && light + terms[n - 1].weight <= kLightShare * total) light += terms[--n].weight;
        return n;
    }

    /// The blocks that offer most, in ascending order; all of them if no more than `max_blocks`.
    void choose_blocks(std::size_t max_blocks, Scratch& work) const {
        work.opened.clear();
        if (n_blocks_ <= static_cast<std::int64_t>(max_blocks)) {
            for (std::int32_t block = 0; block < static_cast<std::int32_t>(n_blocks_); ++block) work.opened.push_back(block);
            return;
        }
        work.bounds.assign(padded(static_cast<std::size_t>(n_blocks_)), 0.0f);
        float* bounds = work.bounds.data();
        const auto n = n_heavy(work.terms);
        for (std::size_t t = 0; t < n; ++t) {
            const auto& term = work.terms[t];
            for (auto i = term.begin; i < term.end; ++i) bounds[block_at(i)] += term.weight * static_cast<float>(maxima_.data()[i]);
        }
        work.offers.clear();
        const float least = reached_by(work.bounds, max_blocks, work.lanes);
        for_each_reaching(least, work.bounds, work.lanes, [&](std::size_t block) {
            work.offers.push_back({bounds[block], static_cast<std::int32_t>(block)});
        });
        if (work.offers.size() > max_blocks) {
            std::nth_element(work.offers.begin(), work.offers.begin() + static_cast<std::ptrdiff_t>(max_blocks), work.offers.end());
            work.offers.resize(max_blocks);
        }
        for (const auto& offer : work.offers) work.opened.push_back(offer.row);
        std::sort(work.opened.begin(), work.opened.end());
    }

    /// Where the opened blocks have the terms.
    void find_runs(Scratch& work) const {
        work.runs.clear();
        const auto n_opened = work.opened.size();
        work.slots.resize(n_blocks_, 0);
        for (std::size_t slot = 0; slot < n_opened; ++slot) work.slots[work.opened[slot]] = static_cast<std::uint32_t>(slot + 1);
        const auto found = [&](std::int64_t run, std::size_t slot, float weight) {
            prefetch(entry_starts_.data() + run);
            work.runs.push_back({run, static_cast<std::uint32_t>(slot), weight});
        };
        for (const auto& term : work.terms) {
            if (term.length() <= kScanFactor * static_cast<std::int64_t>(n_opened)) {
                for (auto i = term.begin; i < term.end; ++i)
                    if (const auto slot = work.slots[block_at(i)]) found(i, slot - 1, term.weight);
            } else {
                auto* at = blocks_.data() + term.begin;
                const auto* last = blocks_.data() + term.end;
                for (std::size_t slot = 0; slot < n_opened && at != last; ++slot) {
                    at = std::lower_bound(at, last, work.opened[slot]);
                    if (at != last && *at == work.opened[slot]) found(at - blocks_.data(), slot, term.weight);
                }
            }
        }
        for (const auto block : work.opened) work.slots[block] = 0;
    }

    /// The scores of all rows of the opened blocks.
    void score_runs(Scratch& work) const {
        constexpr std::size_t kAhead = 8;
        const auto block_size = static_cast<std::size_t>(block_size_);
        // A damaged place may lie in the block after its own, never outside.
        work.scores.assign(padded(work.opened.size() * block_size + kMaxBlockSize), 0.0f);
        for (std::size_t i = 0; i < work.runs.size(); ++i) {
            if (i + kAhead < work.runs.size()) {
                const auto next = entry_starts_.data()[work.runs[i + kAhead].run];
                prefetch(places_.data() + next);
                prefetch(codes_.data() + next);
            }
            add(work.runs[i].run, work.runs[i].weight, work.scores.data() + work.runs[i].slot * block_size);
        }
    }

    std::uint32_t block_at(std::int64_t run) const {
        const auto block = static_cast<std::uint32_t>(blocks_.data()[run]);
        if (block >= static_cast<std::uint32_t>(n_blocks_)) damaged();
        return block;
    }

    void add(std::int64_t run, float weight, float* scores) const {
        const auto begin = entry_starts_.data()[run], end = entry_starts_.data()[run + 1];
        if (begin > end || end > places_.shape(0)) damaged();
        for (auto i = begin; i < end; ++i) scores[places_.data()[i]] += weight * static_cast<float>(codes_.data()[i]);
    }

    /// The groups of the rows that reach a score.
    void take_rows(float least, Scratch& work) const {
        work.best.clear();
        const auto block_size = static_cast<std::size_t>(block_size_);
        for_each_reaching(least, work.scores, work.lanes, [&](std::size_t i) {
            const auto slot = i / block_size;
            if (slot >= work.opened.size()) damaged();
            const auto row = static_cast<std::size_t>(work.opened[slot]) * block_size + i % block_size;
            if (row >= groups_.shape(0)) damaged();
            const auto group = groups_.data()[row];
            if (group < 0 || group >= n_groups_) damaged();
            work.best.push_back({work.scores[i], group});
        });
    }

    /// The best k groups by their best rows; ties go to the smaller group.
    std::vector<Hit> groups_of(Scratch& work, std::size_t k) const {
        std::sort(work.best.begin(), work.best.end());
        if (work.seen.empty() || ++work.n_seen == 0) {
            work.seen.assign(n_groups_, 0);
            work.n_seen = 1;
        }
        std::vector<Hit> groups;
        groups.reserve(std::min(k, work.best.size()));
        for (const auto& hit : work.best) {
            if (groups.size() == k) break;
            if (work.seen[hit.row] == work.n_seen) continue;
            work.seen[hit.row] = work.n_seen;
            groups.push_back(hit);
        }
        return groups;
    }

    [[noreturn]] static void damaged() { throw std::invalid_argument("The block index is damaged; build the model again."); }

    ArrayIn<std::int64_t> column_starts_;
    ArrayIn<std::int32_t> blocks_;
    ArrayIn<std::uint8_t> maxima_;
    ArrayIn<std::uint32_t> entry_starts_;
    ArrayIn<std::uint8_t> places_, codes_;
    ArrayIn<float> scales_;
    ArrayIn<std::int32_t> groups_;
    std::int64_t n_groups_, block_size_, n_blocks_ = 0;
};

}  // namespace

void bind_block_search(nb::module_& m) {
    nb::class_<BlockSearch>(m, "BlockSearch")
        .def(nb::init<ArrayIn<std::int64_t>, ArrayIn<std::int32_t>, ArrayIn<std::uint8_t>, ArrayIn<std::uint32_t>,
                      ArrayIn<std::uint8_t>, ArrayIn<std::uint8_t>, ArrayIn<float>, ArrayIn<std::int32_t>, std::int64_t,
                      std::int64_t>())
        .def("search", &BlockSearch::search, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("k"),
             nb::arg("max_blocks"), nb::arg("n_threads"));
}

}  // namespace deixis
