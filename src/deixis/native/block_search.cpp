// The rows of a sparse matrix with the largest dot products with a query, found block by block.
//
// Rows stand in blocks. For every column a block has, the index keeps the largest weight in the block (the idea of Ding
// & Suel, 2011, "Faster Top-k Document Retrieval Using Block-Max Indexes"), so that one pass over short lists tells
// what each block can offer at most. The blocks that offer most are opened, and all their rows are scored. Columns that
// nearly all blocks have and that weigh little are left out of the first pass, as in the MaxScore rule of Turtle &
// Flood (1995): they could only raise all bounds alike. With a filter, blocks without an allowed row are not opened; as
// many allowed rows are looked at as rows without one, and more until enough is found or nothing is left that shares a
// column with the query.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "blocks.hpp"
#include "border.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"

namespace deixis {
namespace {

constexpr float kLightShare = 0.25f;  // of all that a query can score, what the longest lists may weigh together
constexpr int64_t kScanFactor = 8;    // a list this many times longer than the blocks asked for is searched, not read

struct Hit {
    float score;
    int32_t row;
    bool operator<(const Hit& other) const { return score != other.score ? score > other.score : row < other.row; }
};

// A column of the query: its weight, and its runs.
struct Term {
    float weight;
    int32_t column;
    bool is_flat;
    int64_t begin, end;
    int64_t length() const { return end - begin; }
};

// Which rows and blocks may be found; all of them if there is no filter.
struct Filter {
    const uint8_t* is_allowed_row = nullptr;
    const int32_t* n_allowed_in_block = nullptr;
    size_t n_blocks = 0, n_rows = 0;  // allowed ones
};

constexpr size_t kRanks = 256;      // by which scores are told apart roughly
constexpr uint32_t kRankBits = 51;  // of a rating that a rank leaves out: 16 ranks halve a score

constexpr size_t kMaxStripes = 16;
constexpr size_t kWidening = 4;  // more blocks are opened each time that a filter leaves too little

// A length that has room for n values and can be cut into stripes.
constexpr size_t padded(size_t n) { return (n + kMaxStripes - 1) / kMaxStripes * kMaxStripes; }

// The largest values of lanes, and room to sort them.
struct Lanes {
    std::vector<float> largest, sorted;
};

// A value that at least n of the values reach, and not many more; 0 if fewer are above 0. The values are cut into
// stripes, and a lane is what stands in the same place of each: n lanes whose largest values reach something are n
// values that do.
float reached_by(const std::vector<float>& values, size_t n, Lanes& lanes) {
    auto n_stripes = kMaxStripes;
    while (n_stripes > 1 && values.size() / n_stripes < 2 * n) n_stripes /= 2;
    const auto n_lanes = values.size() / n_stripes;
    lanes.largest.assign(values.begin(), values.begin() + static_cast<ptrdiff_t>(n_lanes));
    float* largest = lanes.largest.data();
    for (size_t stripe = 1; stripe < n_stripes; ++stripe) {
        const float* of_stripe = values.data() + stripe * n_lanes;
        for (size_t lane = 0; lane < n_lanes; ++lane)
            largest[lane] = of_stripe[lane] > largest[lane] ? of_stripe[lane] : largest[lane];
    }
    if (n >= n_lanes) return 0;
    lanes.sorted = lanes.largest;
    const auto nth = lanes.sorted.begin() + static_cast<ptrdiff_t>(n - 1);
    std::nth_element(lanes.sorted.begin(), nth, lanes.sorted.end(), std::greater<>());
    return *nth;
}

// Calls fn for the place of every value above 0 that reaches `least`; `lanes` are what `reached_by` kept.
template <typename Fn>
void for_each_reaching(float least, const std::vector<float>& values, const Lanes& lanes, Fn&& fn) {
    const auto n_lanes = lanes.largest.size();
    for (size_t lane = 0; lane < n_lanes; ++lane) {
        if (!(lanes.largest[lane] >= least && lanes.largest[lane] > 0)) continue;
        for (auto place = lane; place < values.size(); place += n_lanes)
            if (values[place] >= least && values[place] > 0) fn(place);
    }
}

class BlockSearch {
public:
    BlockSearch(ArrayIn<uint32_t> column_starts, ArrayIn<uint16_t> blocks, ArrayIn<uint8_t> maxima,
                ArrayIn<uint16_t> entry_starts, ArrayIn<int64_t> entry_marks, ArrayIn<uint8_t> places,
                ArrayIn<uint8_t> codes, ArrayIn<float> scales, ArrayIn<int32_t> groups, int64_t n_groups,
                int64_t block_size)
        : column_starts_(column_starts),
          blocks_(blocks),
          maxima_(maxima),
          entry_starts_(entry_starts),
          entry_marks_(entry_marks),
          places_(places),
          codes_(codes),
          scales_(scales),
          groups_(groups),
          n_groups_(n_groups),
          block_size_(block_size) {
        check_block_size(block_size);
        n_blocks_ = static_cast<int64_t>(run_count(groups.shape(0), static_cast<size_t>(block_size)));
        n_shards_ = n_shards_of(n_blocks_);
        const auto n_runs = blocks.shape(0);
        check_size("column_starts", column_starts, scales.shape(0) * static_cast<size_t>(n_shards_) + 1,
                   "one for each of scales in each shard and one more");
        check_size("entry_starts", entry_starts, n_runs + 1, "one for each of blocks and one more");
        check_size("entry_marks", entry_marks, n_runs / kMarkRuns + 1, "one for every 256 of entry_starts");
        if (maxima.shape(0) > n_runs || codes.shape(0) > places.shape(0)) damaged();
        n_flat_runs_ = static_cast<int64_t>(n_runs - maxima.shape(0));
        n_flat_entries_ = places.shape(0) - codes.shape(0);
        if (entry_start(n_flat_runs_) != n_flat_entries_ || entry_start(n_runs) != places.shape(0)) damaged();
    }

    // For each row whether its group is allowed, and for each block of rows how many are.
    auto allowed_rows(ArrayIn<uint8_t> is_allowed_group) const {
        check_size("is_allowed_group", is_allowed_group, static_cast<size_t>(n_groups_), "one for each group");
        std::vector<uint8_t> rows(groups_.shape(0));
        std::vector<int32_t> blocks(static_cast<size_t>(n_blocks_), 0);
        for (size_t row = 0; row < rows.size(); ++row) {
            const auto group = groups_.data()[row];
            if (group < 0 || group >= n_groups_) damaged();
            rows[row] = is_allowed_group.data()[group] != 0;
            blocks[row / static_cast<size_t>(block_size_)] += rows[row];
        }
        return std::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(blocks)));
    }

    // `is_allowed_row` and `n_allowed_in_block` are what `allowed_rows` gave, or empty.
    auto search(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int64_t k, int64_t max_blocks,
                int n_threads, ArrayIn<uint8_t> is_allowed_row, ArrayIn<int32_t> n_allowed_in_block) const {
        const CsrView queries = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
        const auto filter = filter_of(is_allowed_row, n_allowed_in_block);
        check_at_least("k", k, 1);
        check_at_least("max_blocks", max_blocks, 1);
        k = std::min(k, std::max<int64_t>(n_groups_, 1));
        if (filter.n_rows > 0)
            max_blocks =
                max_blocks * static_cast<int64_t>(filter.n_blocks) * block_size_ / static_cast<int64_t>(filter.n_rows);
        const auto n_queries = static_cast<size_t>(queries.n_rows);
        std::vector<std::vector<Hit>> found(n_queries);
        std::vector<Scratch> scratch(worker_count(n_queries, n_threads));
        parallel_for(n_queries, n_threads, [&](size_t query, int worker) {
            found[query] =
                find(queries, query, static_cast<size_t>(k), static_cast<size_t>(max_blocks), filter, scratch[worker]);
        });
        return joined_rows(found, [](const Hit& hit) { return hit.row; }, [](const Hit& hit) { return hit.score; });
    }

private:
    // A run that is to be scored: the weights of one column in one opened block.
    struct Run {
        int64_t run;
        uint32_t slot;
        float weight;
    };

    struct Scratch {
        std::vector<Term> terms;            // shortest list first
        std::vector<float> bounds, scores;  // of blocks; of the rows of the opened blocks, one block after the other
        Lanes lanes;
        std::vector<Hit> offers;      // blocks with their bounds
        std::vector<int32_t> opened;  // blocks, ascending
        std::vector<uint32_t> slots;  // of each block: its number among the opened ones, from 1
        std::vector<int64_t> at;      // of each opened block: where it stands in a list
        std::vector<Run> runs;        // the first n_runs of them
        size_t n_runs = 0;
        std::vector<uint64_t> ratings, best;  // of groups, and those of them that may be among the best
        std::vector<uint32_t> seen;
        uint32_t n_seen = 0;
    };

    Filter filter_of(const ArrayIn<uint8_t>& is_allowed_row, const ArrayIn<int32_t>& n_allowed_in_block) const {
        if (is_allowed_row.shape(0) == 0) return {};
        check_size("is_allowed_row", is_allowed_row, groups_.shape(0), "one for each row of the index");
        check_size("n_allowed_in_block", n_allowed_in_block, static_cast<size_t>(n_blocks_), "one for each block");
        Filter filter{is_allowed_row.data(), n_allowed_in_block.data()};
        for (size_t block = 0; block < n_allowed_in_block.shape(0); ++block) {
            filter.n_blocks += n_allowed_in_block.data()[block] > 0;
            filter.n_rows += static_cast<size_t>(n_allowed_in_block.data()[block]);
        }
        return filter;
    }

    std::vector<Hit> find(const CsrView& queries, size_t query, size_t k, size_t max_blocks, const Filter& filter,
                          Scratch& work) const {
        read_terms(queries, query, work.terms);
        if (work.terms.empty()) return {};
        auto n = n_heavy(work.terms);
        for (;; max_blocks *= kWidening, n = work.terms.size()) {
            const bool is_all = choose_blocks(max_blocks, n, filter, work);
            auto groups = best_groups(k, filter, work);
            if (filter.is_allowed_row == nullptr || groups.size() == k || is_all) return groups;
        }
    }

    // The best k groups of the opened blocks, by their best rows; ties go to the smaller group.
    std::vector<Hit> best_groups(size_t k, const Filter& filter, Scratch& work) const {
        find_runs(work);
        score_runs(work);
        if (filter.is_allowed_row != nullptr) drop_rows(filter, work);
        rate_groups(work);
        // A group whose rows are apart is rated several times: more and more of the best are taken until k differ.
        for (auto n = k;; n *= 4) {
            const bool is_all = take_best(n, work);
            auto groups = different_groups(k, work);
            if (groups.size() == k || is_all) return groups;
        }
    }

    void read_terms(const CsrView& queries, size_t query, std::vector<Term>& terms) const {
        terms.clear();
        for (auto i = queries.indptr[query]; i < queries.indptr[query + 1]; ++i) {
            const auto column = queries.indices[i];
            const auto* starts = column_starts_.data() + column * n_shards_;
            const int64_t begin = starts[0], end = starts[n_shards_];
            const float scale = scales_.data()[column];
            if (begin > end || end > static_cast<int64_t>(blocks_.shape(0)) || !(scale >= 0)) damaged();
            if (begin == end || !(queries.data[i] > 0)) continue;
            const bool is_flat = begin < n_flat_runs_;
            if (is_flat && end > n_flat_runs_) damaged();
            terms.push_back({queries.data[i] * scale, column, is_flat, begin, end});
        }
        std::stable_sort(terms.begin(), terms.end(),
                         [](const Term& a, const Term& b) { return a.length() < b.length(); });
    }

    // fn(its first block, begin, end) for every shard in which the term has runs.
    template <typename Fn>
    void for_each_shard(const Term& term, Fn&& fn) const {
        if (n_shards_ == 1) return fn(0, term.begin, term.end);
        const auto* starts = column_starts_.data() + term.column * n_shards_;
        for (int64_t shard = 0; shard < n_shards_; ++shard) {
            if (starts[shard] < term.begin || starts[shard] > starts[shard + 1] || starts[shard + 1] > term.end)
                damaged();
            if (starts[shard] < starts[shard + 1])
                fn(static_cast<uint32_t>(shard * static_cast<int64_t>(kShardBlocks)), starts[shard], starts[shard + 1]);
        }
    }

    // How many of the terms, from the first on, say where to look; the others have long lists and little weight.
    static size_t n_heavy(const std::vector<Term>& terms) {
        float total = 0, light = 0;
        for (const auto& term : terms) total += term.weight;
        auto n = terms.size();
        while (n > 1 && light + terms[n - 1].weight <= kLightShare * total) light += terms[--n].weight;
        return n;
    }

    // The blocks that offer most by the first `n` terms, in ascending order; all of them if no more than `max_blocks`.
    // Whether all that have one of the terms are among them, as far as is known.
    bool choose_blocks(size_t max_blocks, size_t n, const Filter& filter, Scratch& work) const {
        work.opened.clear();
        const bool is_filtered = filter.is_allowed_row != nullptr;
        if ((is_filtered ? filter.n_blocks : static_cast<size_t>(n_blocks_)) <= max_blocks) {
            for (int32_t block = 0; block < static_cast<int32_t>(n_blocks_); ++block)
                if (!is_filtered || filter.n_allowed_in_block[block] > 0) work.opened.push_back(block);
            return true;
        }
        work.bounds.assign(padded(static_cast<size_t>(n_blocks_)), 0.0f);
        float* bounds = work.bounds.data();
        for (size_t t = 0; t < n; ++t) add_bounds(work.terms[t], bounds);
        if (is_filtered)
            for (size_t block = 0; block < static_cast<size_t>(n_blocks_); ++block)
                bounds[block] = filter.n_allowed_in_block[block] > 0 ? bounds[block] : 0.0f;
        work.offers.clear();
        const float least = reached_by(work.bounds, max_blocks, work.lanes);
        for_each_reaching(least, work.bounds, work.lanes,
                          [&](size_t block) { work.offers.push_back({bounds[block], static_cast<int32_t>(block)}); });
        const bool is_all = n == work.terms.size() && work.offers.size() <= max_blocks && least == 0;
        if (work.offers.size() > max_blocks) {
            std::nth_element(work.offers.begin(), work.offers.begin() + static_cast<ptrdiff_t>(max_blocks),
                             work.offers.end());
            work.offers.resize(max_blocks);
        }
        for (const auto& offer : work.offers) work.opened.push_back(offer.row);
        std::sort(work.opened.begin(), work.opened.end());
        return is_all;
    }

    // Adds to each block what the term can give its rows at most.
    void add_bounds(const Term& term, float* bounds) const {
        for_each_shard(term, [&](uint32_t base, int64_t begin, int64_t end) {
            const float most = term.weight * kMaxCode;
            if (term.is_flat)
                for (auto i = begin; i < end; ++i) bounds[block_at(base, i)] += most;
            else
                for (auto i = begin; i < end; ++i)
                    bounds[block_at(base, i)] += term.weight * static_cast<float>(maxima_.data()[i - n_flat_runs_]);
        });
    }

    // Where the opened blocks have the terms. Every place looked at is written down, and kept if it was the right one:
    // a branch would be guessed wrong too often.
    void find_runs(Scratch& work) const {
        const auto n_opened = static_cast<int64_t>(work.opened.size());
        work.slots.resize(n_blocks_, 0);
        for (uint32_t slot = 0; slot < work.opened.size(); ++slot) work.slots[work.opened[slot]] = slot + 1;
        work.n_runs = 0;
        for (const auto& term : work.terms) {
            const bool is_read = term.length() <= kScanFactor * n_opened;
            const auto n_written = work.n_runs + static_cast<size_t>(is_read ? term.length() : n_opened);
            if (work.runs.size() < n_written) work.runs.resize(2 * n_written);
            auto* next = work.runs.data() + work.n_runs;
            work.n_runs += is_read ? read_list(term, work, next) : search_list(term, work, next);
        }
        for (const auto block : work.opened) work.slots[block] = 0;
    }

    size_t read_list(const Term& term, const Scratch& work, Run* runs) const {
        size_t n = 0;
        for_each_shard(term, [&](uint32_t base, int64_t begin, int64_t end) {
            for (auto i = begin; i < end; ++i) {
                const auto slot = work.slots[block_at(base, i)];
                runs[n] = {i, slot - 1, term.weight};
                n += slot != 0;
            }
        });
        return n;
    }

    // Binary searches for all opened blocks, step by step together: no search waits for the memory of another.
    size_t search_list(const Term& term, Scratch& work, Run* runs) const {
        size_t n = 0;
        for_each_shard(term, [&](uint32_t base, int64_t begin, int64_t end) {
            const auto low = static_cast<int32_t>(base);
            const auto first = std::lower_bound(work.opened.begin(), work.opened.end(), low);
            const auto last = std::lower_bound(first, work.opened.end(), low + static_cast<int32_t>(kShardBlocks));
            const auto first_slot = static_cast<size_t>(first - work.opened.begin());
            n += search_shard(low, begin, end - begin, {first, last}, first_slot, term.weight, work.at, runs + n);
        });
        return n;
    }

    size_t search_shard(int32_t base, int64_t begin, int64_t length, std::span<const int32_t> opened, size_t first_slot,
                        float weight, std::vector<int64_t>& places, Run* runs) const {
        const auto* blocks = blocks_.data() + begin;
        places.assign(opened.size(), 0);
        auto* at = places.data();
        for (auto n_left = length; n_left > 1;) {
            const auto half = n_left / 2;
            for (size_t i = 0; i < opened.size(); ++i) at[i] += half * (blocks[at[i] + half - 1] + base < opened[i]);
            n_left -= half;
        }
        size_t n = 0;
        for (size_t i = 0; i < opened.size(); ++i) {
            // The place after this one is the answer if this one is too small, unless the list ends here.
            at[i] += blocks[at[i]] + base < opened[i] && at[i] + 1 < length;
            runs[n] = {begin + at[i], static_cast<uint32_t>(first_slot + i), weight};
            n += blocks[at[i]] + base == opened[i];
        }
        return n;
    }

    // The scores of all rows of the opened blocks.
    void score_runs(Scratch& work) const {
        constexpr size_t kAhead = 16;
        const auto block_size = static_cast<size_t>(block_size_);
        // A damaged place may lie in the block after its own, never outside.
        work.scores.assign(padded(work.opened.size() * block_size + kMaxBlockSize), 0.0f);
        for (const auto block : work.opened) prefetch(groups_.data() + block * block_size_);
        const Run* runs = work.runs.data();
        const auto n_runs = work.n_runs;
        for (size_t i = 0; i < n_runs; ++i) {
            const auto after = runs[std::min(i + 2 * kAhead, n_runs - 1)].run;
            prefetch(entry_starts_.data() + after);
            prefetch(entry_marks_.data() + after / static_cast<int64_t>(kMarkRuns));
            const auto next = runs[std::min(i + kAhead, n_runs - 1)].run;
            const auto entry = entry_start(next);
            prefetch(places_.data() + entry);
            if (next >= n_flat_runs_) prefetch(codes_.data() + (entry - n_flat_entries_));
            add(runs[i].run, runs[i].weight, work.scores.data() + runs[i].slot * block_size);
        }
    }

    // Rows that are not allowed have nothing to offer.
    void drop_rows(const Filter& filter, Scratch& work) const {
        const auto block_size = static_cast<size_t>(block_size_);
        for (size_t slot = 0; slot < work.opened.size(); ++slot) {
            const auto first = static_cast<size_t>(work.opened[slot]) * block_size;
            const auto n_rows = std::min(block_size, groups_.shape(0) - first);
            float* scores = work.scores.data() + slot * block_size;
            const uint8_t* is_allowed = filter.is_allowed_row + first;
            for (size_t i = 0; i < n_rows; ++i) scores[i] = is_allowed[i] ? scores[i] : 0.0f;
        }
    }

    uint32_t block_at(uint32_t base, int64_t run) const {
        const auto block = base + blocks_.data()[run];
        if (block >= static_cast<uint32_t>(n_blocks_)) damaged();
        return block;
    }

    size_t entry_start(int64_t run) const {
        return static_cast<size_t>(entry_marks_.data()[run / static_cast<int64_t>(kMarkRuns)]) +
               entry_starts_.data()[run];
    }

    void add(int64_t run, float weight, float* scores) const {
        const auto begin = entry_start(run), end = entry_start(run + 1);
        if (begin > end || end > places_.shape(0)) damaged();
        const auto* places = places_.data();
        if (run < n_flat_runs_) {
            const float score = weight * kMaxCode;
            for (auto i = begin; i < end; ++i) scores[places[i]] += score;
        } else {
            if (begin < n_flat_entries_) damaged();
            const auto* codes = codes_.data() + (begin - n_flat_entries_);
            for (auto i = begin; i < end; ++i) scores[places[i]] += weight * static_cast<float>(codes[i - begin]);
        }
    }

    // The groups of the opened blocks with their best scores above 0: a rating is a number that is smaller the better
    // the score, and of equal scores the smaller the group. Most rows of a group stand together. Every row and every
    // rating is written down, and kept if it has a score or is the last of its group's: a branch would be guessed wrong
    // too often.
    void rate_groups(Scratch& work) const {
        constexpr auto kNoGroup = ~uint64_t{0};
        const auto block_size = static_cast<size_t>(block_size_);
        work.ratings.resize(work.opened.size() * block_size + 1);
        auto* rating = work.ratings.data();  // the first one is of no group
        std::array<uint8_t, kMaxBlockSize> scored;
        uint64_t group = kNoGroup;
        uint32_t best = 0;  // the bits of a score from 0 on are in the order of scores
        for (size_t slot = 0; slot < work.opened.size(); ++slot) {
            const auto first = static_cast<size_t>(work.opened[slot]) * block_size;
            const auto n_rows = std::min(block_size, groups_.shape(0) - first);
            const float* scores = work.scores.data() + slot * block_size;
            const int32_t* groups = groups_.data() + first;
            size_t n_scored = 0;
            for (size_t i = 0; i < n_rows; ++i) {
                scored[n_scored] = static_cast<uint8_t>(i);
                n_scored += scores[i] > 0;
            }
            for (size_t i = 0; i < n_scored; ++i) {
                const auto own = static_cast<uint32_t>(groups[scored[i]]);
                const bool is_same = own == group;
                rating += !is_same;
                best = std::max(is_same ? best : 0, std::bit_cast<uint32_t>(scores[scored[i]]));
                group = own;
                *rating = uint64_t{~best} << 32 | own;
            }
            check_no_scores(scores + n_rows, scores + block_size);
        }
        check_no_scores(work.scores.data() + work.opened.size() * block_size, work.scores.data() + work.scores.size());
        work.ratings.resize(static_cast<size_t>(rating - work.ratings.data()) + 1);
        work.ratings.erase(work.ratings.begin());
    }

    // Where there are no rows, only damaged places have written.
    static void check_no_scores(const float* begin, const float* end) {
        if (std::any_of(begin, end, [](float score) { return score > 0; })) damaged();
    }

    // Sorts the n best ratings, and those that are about as good as the last of them; whether these are all. Ratings
    // are counted by the first bits of the score, so that no others need be compared.
    static bool take_best(size_t n, Scratch& work) {
        const auto& ratings = work.ratings;
        work.best.clear();
        if (ratings.size() <= n) {
            work.best = ratings;
            std::sort(work.best.begin(), work.best.end());
            return true;
        }
        const auto least = *std::min_element(ratings.begin(), ratings.end());
        const auto rank = [&](uint64_t rating) {
            return std::min<uint64_t>((rating - least) >> kRankBits, kRanks - 1);
        };
        std::array<uint32_t, kRanks> counts{};
        for (const auto rating : ratings) ++counts[rank(rating)];
        size_t last = 0, n_taken = counts[0];
        while (n_taken < n) n_taken += counts[++last];
        work.best.resize(n_taken + 1);
        auto* best = work.best.data();
        for (const auto rating : ratings) {
            *best = rating;
            best += rank(rating) <= last;
        }
        work.best.resize(n_taken);
        std::sort(work.best.begin(), work.best.end());
        return n_taken == ratings.size();
    }

    // The first k groups of the best ratings, each once.
    std::vector<Hit> different_groups(size_t k, Scratch& work) const {
        work.seen.resize(static_cast<size_t>(n_groups_), 0);
        if (++work.n_seen == 0) {  // the counter has come round
            std::fill(work.seen.begin(), work.seen.end(), 0);
            work.n_seen = 1;
        }
        std::vector<Hit> groups;
        groups.reserve(std::min(k, work.best.size()));
        for (const auto rating : work.best) {
            if (groups.size() == k) break;
            const auto group = static_cast<uint32_t>(rating);
            if (group >= static_cast<uint64_t>(n_groups_)) damaged();
            if (std::exchange(work.seen[group], work.n_seen) != work.n_seen)
                groups.push_back(
                    {std::bit_cast<float>(~static_cast<uint32_t>(rating >> 32)), static_cast<int32_t>(group)});
        }
        return groups;
    }

    [[noreturn]] static void damaged() { refuse_damaged("block index"); }

    ArrayIn<uint32_t> column_starts_;
    ArrayIn<uint16_t> blocks_;
    ArrayIn<uint8_t> maxima_;
    ArrayIn<uint16_t> entry_starts_;
    ArrayIn<int64_t> entry_marks_;
    ArrayIn<uint8_t> places_, codes_;
    ArrayIn<float> scales_;
    ArrayIn<int32_t> groups_;
    int64_t n_groups_, block_size_, n_blocks_ = 0, n_shards_ = 1, n_flat_runs_ = 0;
    size_t n_flat_entries_ = 0;
};

}  // namespace

void bind_block_search(nb::module_& m) {
    nb::class_<BlockSearch> search(m, "BlockSearch",
                                   "Finds the groups whose rows have the largest dot products with a query.");
    define_init<ArrayIn<uint32_t>, ArrayIn<uint16_t>, ArrayIn<uint8_t>, ArrayIn<uint16_t>, ArrayIn<int64_t>,
                ArrayIn<uint8_t>, ArrayIn<uint8_t>, ArrayIn<float>, ArrayIn<int32_t>, int64_t, int64_t>(
        search, {"column_starts", "blocks", "maxima", "entry_starts", "entry_marks", "places", "codes", "scales",
                 "groups", "n_groups", "block_size"});
    define(search, "allowed_rows", &BlockSearch::allowed_rows, {"is_allowed_group"},
           "For each row whether its group is allowed, and for each block of rows how many are.");
    define(search, "search", &BlockSearch::search,
           {"indptr", "indices", "data", "k", "max_blocks", "n_threads", "is_allowed_row", "n_allowed_in_block"},
           "The best k groups of each query: row starts, groups, scores.");
}

}  // namespace deixis
