// Beam search through a label tree (XMRED, Algorithm 2, Eq. 6 and 8), on packed weights.
//
// A query's features are hashed once; then each surviving parent is asked for each of them, which finds the weights of
// all its children at once. Long rows go down the tree together, parent by parent. A filter comes as the number of
// allowed labels under each node: nodes without one are never entered, and the beam is widened until the nodes in it
// hold as many allowed labels as are wanted.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "border.hpp"
#include "packed_weights.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"

namespace deixis {
namespace {

struct Level {
    ArrayIn<int64_t> child_starts, block_starts, byte_starts;
    ArrayIn<uint64_t> blocks;
    ArrayIn<uint8_t> bytes, entry_sizes;
    ArrayIn<float> biases;
};

// A node and the logarithm of its path's score, which is never above 0, in one number: the smaller, the better, and
// ties go to the smaller node. Comparing whole numbers keeps selection free of branches.
class Scored {
public:
    Scored() = default;
    Scored(float score, int32_t node)
        : key_(static_cast<uint64_t>(std::bit_cast<uint32_t>(std::fabs(score))) << 32 | static_cast<uint32_t>(node)) {}

    float score() const { return -std::bit_cast<float>(static_cast<uint32_t>(key_ >> 32)); }
    int32_t node() const { return static_cast<int32_t>(key_ & 0xffffffffu); }
    bool operator<(const Scored& other) const { return key_ < other.key_; }

private:
    uint64_t key_ = 0;
};

// What a node that was found is called.
struct LabelOf {
    const int32_t* labels;  // by node; null: its own number

    int32_t operator()(const Scored& found) const { return labels == nullptr ? found.node() : labels[found.node()]; }
};

float path_score(const Scored& found) { return std::exp(found.score()); }

constexpr int32_t kSigmoidPower = 0;  // stands for the sigmoid among the powers of the hinge
constexpr size_t kMinToPrune = 32;    // fewer nodes than this are not worth selecting among before the end

// The logarithm of a node's own score: -max(0, 1 - margin)^power, or of the sigmoid of the margin.
// Both grow with the margin, so a wanted score asks for a least margin.
class NodeScore {
public:
    explicit NodeScore(int32_t power) : power_(power) {}

    float operator()(float margin) const {
        if (power_ == kSigmoidPower) {
            const float log = margin > 0 ? -std::log1p(std::exp(-margin)) : margin - std::log1p(std::exp(margin));
            return std::max(log, kLowest);
        }
        const float shortfall = std::max(0.0f, 1.0f - margin);
        float product = shortfall;
        for (int32_t i = 1; i < power_; ++i) product *= shortfall;
        return std::max(-product, kLowest);
    }

    // A margin below which the score is surely lower than `score`, which is below 0; rather too low than too high.
    float least_margin(float score) const {
        const float exact = power_ == kSigmoidPower ? score - std::log(-std::expm1(score))
                                                    : 1.0f - (power_ == 1 ? -score : std::pow(-score, 1.0f / power_));
        return exact - 1e-4f * (1.0f + std::fabs(exact));
    }

private:
    static constexpr float kLowest = -1e30f;  // sums of a few stay finite: no NaN ever reaches a comparison
    int32_t power_;
};

// Puts the node that `place` others are better than there, and those others before it: std::nth_element without a
// branch for each comparison, since no processor can guess them.
void best_first(Scored* nodes, size_t n, size_t place) {
    for (size_t begin = 0, end = n; end - begin > 1;) {
        Scored &first = nodes[begin], &middle = nodes[begin + (end - begin) / 2], &last = nodes[end - 1];
        // The middle one of the three comes last.
        if (middle < first) std::swap(first, middle);
        if (last < first) std::swap(first, last);
        if (middle < last) std::swap(middle, last);
        const Scored pivot = last;
        size_t next = begin;
        for (size_t i = begin; i + 1 < end; ++i) {
            const Scored node = nodes[i];
            nodes[i] = nodes[next];
            nodes[next] = node;
            next += node < pivot;
        }
        std::swap(nodes[next], nodes[end - 1]);
        if (next == place) return;
        if (next < place)
            begin = next + 1;
        else
            end = next;
    }
}

// A block that may hold a feature of the row: where its bytes begin, the feature and the row's value.
struct Found {
    uint32_t offset, hash;
    float value;
};

// Where one parent's weights lie.
struct ParentView {
    const uint64_t* blocks;
    const uint8_t* bytes;
    const float* biases;
    int64_t first_child, n_children;
    HashBits bits;
    bool is_short;
    size_t found_end;  // its blocks end here in Worker::found
};

// A row on its way down.
struct Query {
    std::vector<std::pair<uint32_t, float>> features;  // hashed feature, value
    std::vector<Scored> beam, next;
    size_t n_most = 0;       // nodes in `next` before it is cut down to the best
    float threshold = 0.0f;  // the worst of the best so far
};

// What a row visits: a parent in its beam.
struct Visit {
    Scored parent;
    uint32_t query;
};

// The memory of one thread, which waits for its next search: a single row would spend a tenth of its time on it.
struct Worker {
    // Never inlined: the compiler would look for the thread's memory at every use of it.
    [[gnu::noinline]] static Worker& of_this_thread() {
        static thread_local Worker worker;
        return worker;
    }

    std::vector<Query> queries{1};
    std::vector<Visit> visits;
    std::vector<ParentView> parents;
    std::vector<Found> found;
    std::vector<float> margins;
    std::vector<uint32_t> wanted;  // children of one parent
};

struct SearchParams {
    int32_t width, k;
    NodeScore node_score;
    float memory;                           // share of the parent's path score that a child inherits
    std::vector<const int32_t*> n_allowed;  // of the children of each level: allowed labels under them; or empty
    int64_t n_wanted;                       // allowed labels that the beam must hold at every level
};

// One level for one search.
struct Step {
    size_t kept;
    bool is_last;
    const int32_t* n_allowed;
};

// Rows of more features than this go down together, and each parent is searched for all of them before the next one
// is: what one row brought into the caches serves the others. Of short rows each goes down alone, since so little of a
// parent is read for each that the better pruning counts for more.
constexpr int64_t kLongRow = 50;
constexpr size_t kRowsTogether = 512;
constexpr size_t kUsualBlock = 48;  // bytes: it may go on in the next line of the caches

class TreeSearch {
public:
    TreeSearch(std::vector<ArraysByName> levels, ArrayIn<int32_t> labels, int64_t n_features)
        : labels_(labels), n_features_(n_features), n_bits_(bits_for(n_features)) {
        if (levels.empty()) refuse("levels is empty; a tree has one at least.");
        for (const ArraysByName& level : levels) {
            levels_.push_back({array<int64_t>(level, "child_starts"), array<int64_t>(level, "block_starts"),
                               array<int64_t>(level, "byte_starts"), array<uint64_t>(level, "blocks"),
                               array<uint8_t>(level, "bytes"), array<uint8_t>(level, "entry_sizes"),
                               array<float>(level, "biases")});
            const Level& added = levels_.back();
            const size_t n_starts = added.child_starts.shape(0);
            check_size("block_starts", added.block_starts, n_starts, "one for each of child_starts");
            check_size("byte_starts", added.byte_starts, n_starts, "one for each of child_starts");
            check_size("entry_sizes", added.entry_sizes, n_starts - 1, "one for each parent");
        }
    }

    // The best `k` nodes of level `n_levels` for each row (labels, if it is the last level), best first, and their
    // scores.
    auto search(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, size_t n_levels, int32_t width,
                int32_t k, int32_t power, float memory, int n_threads,
                const std::vector<ArrayIn<int32_t>>& n_allowed) const {
        check_within("n_levels", static_cast<double>(n_levels), 1, static_cast<double>(levels_.size()));
        const CsrView queries = csr_view({"indptr", "indices", "data"}, indptr, indices, data);
        const auto n_rows = static_cast<size_t>(queries.n_rows);
        SearchParams params{width, k, NodeScore(power), memory, {}, 0};
        filter(n_allowed, n_levels, params);
        const bool is_long = queries.indptr[n_rows] > kLongRow * queries.n_rows;
        const size_t n_together = is_long ? std::min(kRowsTogether, n_rows) : 1;
        const size_t kChunk = is_long ? kRowsTogether : 64;
        std::vector<std::vector<Scored>> found(run_count(n_rows, kChunk));
        std::vector<int64_t> starts(n_rows + 1, 0);
        parallel_for_runs(n_rows, kChunk, n_threads, [&](size_t c, size_t begin, size_t end) {
            Worker& worker = Worker::of_this_thread();
            worker.queries.resize(n_together);
            found[c].reserve((end - begin) * static_cast<size_t>(std::min(k, 256)));
            for (size_t row = begin; row < end; row += n_together) {
                const size_t n = std::min(n_together, end - row);
                if (params.n_allowed.empty())
                    search_together<false>(queries, row, n, n_levels, params, worker);
                else
                    search_together<true>(queries, row, n, n_levels, params, worker);
                for (size_t i = 0; i < n; ++i) {
                    const std::vector<Scored>& beam = worker.queries[i].beam;
                    starts[row + i + 1] = static_cast<int64_t>(beam.size());
                    found[c].insert(found[c].end(), beam.begin(), beam.end());
                }
            }
            worker.queries.resize(1);  // the memory of many rows is not kept
        });
        accumulate(starts);
        const int64_t n_found = starts.back();
        return std::make_tuple(to_numpy(std::move(starts)), column_of(found, n_found, label_of(n_levels)),
                               column_of(found, n_found, &path_score));
    }

    // What `search` finds for a single row, without what only many need: no thread is started, and the GIL is kept.
    auto search_row(ArrayIn<int32_t> columns, ArrayIn<float> values, int32_t width, int64_t k, int32_t power,
                    float memory) const {
        check_at_least("k", k, 1);
        const int64_t starts[] = {0, static_cast<int64_t>(columns.shape(0))};
        check_size("values", values, columns.shape(0), "one for each column");
        const CsrView row{starts, columns.data(), values.data(), 1};
        if (state_of(row, n_features_) != RowsState::kSound)
            refuse("columns must ascend in 0..", n_features_ - 1, ", and values be finite.");
        Worker& worker = Worker::of_this_thread();
        const auto n_most = static_cast<int64_t>(levels_.back().biases.shape(0));
        const SearchParams params{width, static_cast<int32_t>(std::min(k, n_most)), NodeScore(power), memory, {}, 0};
        search_together<false>(row, 0, 1, levels_.size(), params, worker);
        const std::vector<Scored>& best = worker.queries[0].beam;
        return std::make_tuple(column_of(best, label_of(levels_.size())), column_of(best, &path_score));
    }

private:
    template <typename T>
    static ArrayIn<T> array(const nb::dict& level, const char* name) {
        if (!level.contains(name)) refuse("A level has no array ", name, ".");
        return array_of<ArrayIn<T>>(name, level[name]);
    }

    // Nodes of the last level are labels, where those are known.
    LabelOf label_of(size_t n_levels) const {
        return {n_levels == levels_.size() && labels_.shape(0) > 0 ? labels_.data() : nullptr};
    }

    void filter(const std::vector<ArrayIn<int32_t>>& n_allowed, size_t n_levels, SearchParams& params) const {
        if (n_allowed.empty()) return;
        if (n_allowed.size() != n_levels)
            refuse("n_allowed has ", n_allowed.size(), " arrays; it needs ", n_levels, ", one for each level.");
        for (size_t t = 0; t < n_levels; ++t) {
            check_size("n_allowed", n_allowed[t], levels_[t].biases.shape(0), "one for each child of a level");
            params.n_allowed.push_back(n_allowed[t].data());
        }
        for (size_t child = 0; child < n_allowed[0].shape(0); ++child) params.n_wanted += n_allowed[0].data()[child];
        params.n_wanted = std::min<int64_t>(params.n_wanted, params.k);
    }

    // Rows `first` to `first + n`, level by level; their beams are what is found.
    template <bool kIsFiltered>
    void search_together(const CsrView& rows, size_t first, size_t n, size_t n_levels, const SearchParams& params,
                         Worker& worker) const {
        for (size_t i = 0; i < n; ++i) begin(rows, first + i, worker.queries[i]);
        for (size_t t = 0; t < n_levels; ++t) {
            const bool is_last = t + 1 == n_levels;
            const Step step{static_cast<size_t>(is_last ? params.k : params.width), is_last,
                            kIsFiltered ? params.n_allowed[t] : nullptr};
            for (size_t i = 0; i < n; ++i) {
                worker.queries[i].next.clear();
                worker.queries[i].n_most = std::max(2 * step.kept, kMinToPrune);
                worker.queries[i].threshold = -INFINITY;
            }
            list_visits(n, worker);
            for (size_t begin = 0, end = n > 1 ? 1 : worker.visits.size(); begin < worker.visits.size();
                 begin = end, ++end)
                visit<kIsFiltered>(levels_[t], begin, end, step, params, worker);
            for (size_t i = 0; i < n; ++i) {
                Query& query = worker.queries[i];
                if (query.next.size() > step.kept) keep_best(query.next, n_kept<kIsFiltered>(query, step, params));
                std::swap(query.beam, query.next);
                std::sort(query.beam.begin(), query.beam.end());
            }
        }
    }

    void begin(const CsrView& rows, size_t row, Query& query) const {
        query.features.clear();
        for (int64_t p = rows.indptr[row]; p < rows.indptr[row + 1]; ++p)
            if (rows.indices[p] >= 0 && rows.indices[p] < n_features_)
                query.features.push_back({hash_feature(static_cast<uint32_t>(rows.indices[p]), n_bits_), rows.data[p]});
        query.beam.assign(1, {0.0f, 0});
    }

    // All parents in the beams: those of one row by score, those of several by parent.
    static void list_visits(size_t n, Worker& worker) {
        worker.visits.clear();
        for (size_t i = 0; i < n; ++i)
            for (const Scored& parent : worker.queries[i].beam)
                worker.visits.push_back({parent, static_cast<uint32_t>(i)});
        if (n > 1)
            std::sort(worker.visits.begin(), worker.visits.end(), [](const Visit& a, const Visit& b) {
                return std::pair(a.parent.node(), a.query) < std::pair(b.parent.node(), b.query);
            });
    }

    // The children of some parents of one row are added to its next beam.
    template <bool kIsFiltered>
    void visit(const Level& level, size_t begin, size_t end, const Step& step, const SearchParams& params,
               Worker& worker) const {
        Query& query = worker.queries[worker.visits[begin].query];
        find_blocks(level, query, begin, end, worker);
        size_t found_begin = 0;
        for (size_t i = begin; i < end; ++i) {
            const ParentView& parent = worker.parents[i - begin];
            expand<kIsFiltered>(parent, found_begin, worker.visits[i].parent.score() * params.memory, params.node_score,
                                step.n_allowed, query, worker);
            found_begin = parent.found_end;
            if (query.next.size() <= query.n_most) continue;
            const auto n = n_kept<kIsFiltered>(query, step, params);
            if (kIsFiltered) query.n_most = std::max(2 * n, kMinToPrune);
            if (kIsFiltered && n >= query.next.size()) continue;
            keep_best(query.next, n);
            query.threshold = query.next.back().score();
        }
    }

    template <bool kIsFiltered>
    static size_t n_kept(Query& query, const Step& step, const SearchParams& params) {
        return kIsFiltered && !step.is_last ? widened(query.next, step.kept, step.n_allowed, params.n_wanted)
                                            : step.kept;
    }

    // The best `kept`, the worst of them last.
    static void keep_best(std::vector<Scored>& nodes, size_t kept) {
        best_first(nodes.data(), nodes.size(), kept - 1);
        nodes.resize(kept);
    }

    // How many of the best nodes, `kept` at least, hold `n_wanted` allowed labels together; all of them if too few do.
    static size_t widened(std::vector<Scored>& nodes, size_t kept, const int32_t* n_allowed, int64_t n_wanted) {
        if (nodes.size() <= kept) return nodes.size();
        const auto rest = nodes.begin() + static_cast<ptrdiff_t>(kept);
        std::nth_element(nodes.begin(), rest, nodes.end());
        int64_t n_held = 0;
        for (auto node = nodes.begin(); node != rest; ++node) n_held += n_allowed[node->node()];
        if (n_held >= n_wanted) return kept;
        std::sort(rest, nodes.end());
        while (kept < nodes.size() && n_held < n_wanted) n_held += n_allowed[nodes[kept++].node()];
        return kept;
    }

    ParentView view(const Level& level, int32_t parent) const {
        const int64_t first = level.child_starts.data()[parent], block = level.block_starts.data()[parent];
        const auto n_blocks = static_cast<size_t>(level.block_starts.data()[parent + 1] - block);
        return {level.blocks.data() + block,
                level.bytes.data() + level.byte_starts.data()[parent],
                level.biases.data() + first,
                first,
                level.child_starts.data()[parent + 1] - first,
                HashBits(n_bits_, n_blocks),
                level.entry_sizes.data()[parent] == ShortEntry::kSize,
                0};
    }

    // The blocks that may hold the query's features, in the parents of these visits. Memory is prefetched one pass
    // before it is read.
    void find_blocks(const Level& level, const Query& query, size_t begin, size_t end, Worker& worker) const {
        worker.parents.clear();
        const size_t n_most = (end - begin) * query.features.size() + 1;
        if (worker.found.size() < n_most) worker.found.resize(n_most);  // never shrinks: its memory is used again
        Found* const found = worker.found.data();
        size_t n_found = 0;
        for (size_t i = begin; i < end; ++i) {
            worker.parents.push_back(view(level, worker.visits[i].parent.node()));
            const ParentView& parent = worker.parents.back();
            for (int64_t c = 0; c < parent.n_children; c += 16) prefetch(parent.biases + c);
            for (const auto& [hash, value] : query.features) prefetch(parent.blocks + parent.bits.block(hash));
        }
        for (ParentView& parent : worker.parents) {
            const HashBits bits = parent.bits;
            for (const auto& [hash, value] : query.features) {
                const uint64_t block = parent.blocks[bits.block(hash)];
                // Written always, kept only if the block's filter says so: no branch to guess wrong.
                found[n_found] = {offset_of(block), hash, value};
                n_found += (filter_of(block) >> bits.filter_bit(hash)) & 1u;
            }
            parent.found_end = n_found;
        }
        size_t i = 0;
        for (const ParentView& parent : worker.parents)
            for (; i < parent.found_end; ++i) {
                prefetch(parent.bytes + found[i].offset);
                prefetch(parent.bytes + found[i].offset + kUsualBlock);
            }
    }

    // Adds the weights of the row's features to the margins of a parent's children.
    template <typename Entry>
    static void add_weights(const ParentView& parent, const Found* begin, const Found* end, float* margins) {
        const HashBits bits = parent.bits;
        for (; begin != end; ++begin) {
            const float value = begin->value;
            for_each_entry<Entry>(
                parent.bytes + begin->offset, bits.header(begin->hash), bits.count_mask(),
                [&](const uint8_t* entry) { margins[Entry::child(entry)] += value * weight_of<Entry>(entry); });
        }
    }

    template <bool kIsFiltered>
    static void expand(const ParentView& parent, size_t found_begin, float inherited, const NodeScore& node_score,
                       [[maybe_unused]] const int32_t* n_allowed, Query& query, Worker& worker) {
        const float threshold = query.threshold;
        if (inherited < threshold) return;  // a node's own score is never above 0
        // What the sum's rounding may lift up to the threshold is still wanted.
        const float rounding = 1e-6f * (std::fabs(threshold) + std::fabs(inherited)) + 1e-30f;
        const float least_margin =
            threshold == -INFINITY ? -INFINITY : node_score.least_margin(threshold - inherited - rounding);
        worker.margins.assign(parent.biases, parent.biases + parent.n_children);
        float* const margins = worker.margins.data();
        const Found *const begin = worker.found.data() + found_begin, *const end =
                                                                          worker.found.data() + parent.found_end;
        if (parent.is_short)
            add_weights<ShortEntry>(parent, begin, end, margins);
        else
            add_weights<LongEntry>(parent, begin, end, margins);
        // Most children of most parents are too far behind: eight of them are passed over with one look. Which of eight
        // are not, nobody could guess: all are written down, and what is not wanted is written over.
        const auto n_children = static_cast<size_t>(parent.n_children);
        if (worker.wanted.size() < n_children) worker.wanted.resize(n_children);
        uint32_t* const wanted = worker.wanted.data();
        size_t n_wanted = 0;
        const auto look_at = [&](size_t child) {
            wanted[n_wanted] = static_cast<uint32_t>(child);
            bool is_wanted = margins[child] >= least_margin;
            if constexpr (kIsFiltered) is_wanted &= n_allowed[parent.first_child + static_cast<int64_t>(child)] != 0;
            n_wanted += is_wanted;
        };
        size_t child = 0;
        for (; child + 8 <= n_children; child += 8) {
            int n_ahead = 0;
            for (size_t lane = 0; lane < 8; ++lane) n_ahead += margins[child + lane] >= least_margin;
            if (n_ahead == 0) continue;
            for (size_t lane = 0; lane < 8; ++lane) look_at(child + lane);
        }
        for (; child < n_children; ++child) look_at(child);
        const size_t n_before = query.next.size();
        query.next.resize(n_before + n_wanted);
        Scored* const next = query.next.data() + n_before;
        for (size_t i = 0; i < n_wanted; ++i)
            next[i] = {inherited + node_score(margins[wanted[i]]),
                       static_cast<int32_t>(parent.first_child + wanted[i])};
    }

    std::vector<Level> levels_;
    ArrayIn<int32_t> labels_;  // place at the last level -> label
    int64_t n_features_;
    int n_bits_;
};

}  // namespace

void bind_beam_search(nb::module_& m) {
    m.attr("SIGMOID_POWER") = kSigmoidPower;
    nb::class_<TreeSearch> search(m, "TreeSearch",
                                  "Searches a label tree whose levels lie in arrays that it only looks into.");
    define_init<std::vector<ArraysByName>, ArrayIn<int32_t>, int64_t>(search, {"levels", "labels", "n_features"});
    define(search, "search", &TreeSearch::search,
           {"indptr", "indices", "data", "n_levels", "width", "k", "power", "memory", "n_threads", "n_allowed"},
           "The best k nodes of a level for each row, labels if it is the last: row starts, nodes, scores.");
    define(search, "search_row", &TreeSearch::search_row, {"columns", "values", "width", "k", "power", "memory"},
           "The best k labels of a single row and their scores; columns must ascend.");
}

}  // namespace deixis
