// The names nearest to a query by normalised Indel distance, provably all of them up to a limit of what is compared.
//
// The similarity of two names of a and b characters is 2 LCS / (a + b) = 1 - Indel / (a + b). Blocks of names are
// opened in the order of what they may hold, the bits of each name in them bound its LCS (see indel_names.hpp), and
// only what could still be among the best is compared (indel_query.hpp). A query that is itself a name is looked up by
// its bits, without any of this.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "indel_names.hpp"
#include "indel_planes.hpp"
#include "indel_query.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "texts.hpp"
#include "unicode.hpp"

namespace deixis {
namespace {

constexpr size_t kAhead = 8;         // names prefetched before they are compared
constexpr size_t kPatience = 1024;   // names compared between two looks for Ctrl-C
constexpr size_t kFirstPlanes = 16;  // of a block that are prefetched before it is opened
constexpr size_t kPortion = 256;     // blocks opened before their best names are compared
// Without a filter, what a query opens and compares at most. Only long queries that are like no name come so far, among
// more than half a million names: what they then miss is about as like them as any names of their length are.
constexpr size_t kMaxOpened = 8192;     // blocks
constexpr size_t kMaxCompared = 16384;  // names
constexpr size_t kRanks = 64;           // into which blocks are sorted by what they may hold

struct Hit {
    double similarity;
    int32_t group;
    bool operator<(const Hit& other) const {
        return similarity != other.similarity ? similarity > other.similarity : group < other.group;
    }
};

// A block or a name, and the longest LCS it can have with the query.
struct Offer {
    uint32_t number;
    int32_t length;  // of the name, or of all names of the block
    int64_t most_common;
};

// Offers by the greatest similarity they allow, in ranks of about the same; the last rank is of what may be 1.
using RankedOffers = std::array<std::vector<Offer>, kRanks + 1>;

// The best k groups so far, and what another one must reach to be among them.
class Best {
public:
    void clear(size_t k, double least) {
        k_ = k;
        least_ = least;
        hits_.clear();
        n_kept_ = 0;
    }

    double least() const { return least_; }

    // Whether a hit with this similarity would be of use.
    bool takes(const Hit& hit) const { return hit.similarity >= least_ && (n_kept_ < k_ || hit < hits_[k_ - 1]); }

    void add(const Hit& hit) {
        hits_.push_back(hit);
        if (hits_.size() >= std::max(k_, n_kept_ + k_ / 16 + 1)) settle();
    }

    // Leaves the best k groups, each once, in order.
    void settle() {
        std::sort(hits_.begin(), hits_.end(),
                  [](const Hit& a, const Hit& b) { return a.group != b.group ? a.group < b.group : a < b; });
        const auto is_same = [](const Hit& a, const Hit& b) { return a.group == b.group; };
        hits_.erase(std::unique(hits_.begin(), hits_.end(), is_same), hits_.end());
        std::sort(hits_.begin(), hits_.end());
        hits_.resize(std::min(k_, hits_.size()));
        n_kept_ = hits_.size();
        if (n_kept_ == k_) least_ = hits_[k_ - 1].similarity;
    }

    const std::vector<Hit>& hits() const { return hits_; }
    bool has_exact() const { return !hits_.empty() && hits_[0].similarity == 1; }

private:
    size_t k_ = 0, n_kept_ = 0;
    double least_ = 0;
    std::vector<Hit> hits_;  // the first n_kept_ are in order, the others new
};

class IndelSearch {
public:
    IndelSearch(ArrayIn<uint32_t> alphabet, ArrayIn<uint8_t> buckets, ArrayIn<uint8_t> levels,
                ArrayIn<uint8_t> characters, ArrayIn<uint32_t> starts, ArrayIn<uint64_t> planes,
                ArrayIn<uint64_t> section_planes, ArrayIn<uint8_t> bit_counts, ArrayIn<int32_t> block_starts,
                ArrayIn<int32_t> block_lengths, ArrayIn<uint32_t> group_starts, ArrayIn<int32_t> groups,
                int64_t n_groups)
        : buckets_(buckets),
          levels_(levels),
          characters_(characters),
          starts_(starts),
          planes_(planes),
          section_planes_(section_planes),
          bit_counts_(bit_counts),
          block_starts_(block_starts),
          block_lengths_(block_lengths),
          group_starts_(group_starts),
          groups_(groups),
          n_groups_(n_groups),
          n_characters_(alphabet.shape(0)),
          n_names_(bit_counts.shape(0)),
          n_blocks_(block_lengths.shape(0)) {
        check_size("buckets", buckets, kBits, "one for each bit of a sketch");
        check_size("levels", levels, kBits, "one for each bit of a sketch");
        check_size("planes", planes, n_blocks_ * kBits, "one for each bit of each block");
        check_size("section_planes", section_planes, run_count(n_blocks_, kWord) * kBits,
                   "one for each bit of each section");
        check_size("starts", starts, n_names_ + 1, "one for each name and one more");
        check_size("group_starts", group_starts, n_names_ + 1, "one for each name and one more");
        check_size("block_starts", block_starts, n_blocks_ + 1, "one for each block and one more");
        for (uint32_t number = 0; number < alphabet.shape(0); ++number) numbers_[alphabet.data()[number]] = number;
        for (size_t block = 0; block < n_blocks_;) {
            if (block_lengths_.data()[block] < 0) damaged_names();
            const auto* lengths = block_lengths_.data();
            const auto end = static_cast<size_t>(
                std::upper_bound(lengths + block + 1, lengths + n_blocks_, lengths[block]) - lengths);
            lengths_.push_back({lengths[block], block, end});
            block = end;
        }
    }

    auto search(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, int64_t k, ArrayIn<double> min_similarity,
                bool stops_at_exact, ArrayIn<bool> allowed, int n_threads) const {
        const Texts texts(data, offsets);
        check_at_least("k", k, 1);
        check_size("min_similarity", min_similarity, texts.size(), "one for each query");
        if (allowed.shape(0) != 0) check_size("allowed", allowed, static_cast<size_t>(n_groups_), "one for each group");
        const Wanted wanted{static_cast<size_t>(std::min(k, std::max<int64_t>(n_groups_, 1))), stops_at_exact,
                            allowed.shape(0) ? allowed.data() : nullptr};
        std::vector<std::vector<Hit>> found(texts.size());
        std::vector<Scratch> scratch(worker_count(texts.size(), n_threads));
        parallel_for(texts.size(), n_threads, [&](size_t query, int worker) {
            read_query(texts.text(query), texts.length(query), scratch[worker]);
            found[query] = find(wanted, min_similarity.data()[query], scratch[worker]);
        });
        return joined_rows(
            found, [](const Hit& hit) { return hit.group; },
            [](const Hit& hit) { return static_cast<float>(hit.similarity); });
    }

private:
    struct Wanted {
        size_t k;
        bool stops_at_exact;
        const bool* allowed;  // null: all groups
    };

    // The LCS that names of a length need.
    struct Needed {
        int32_t length = -1;
        double least = 0;
        int64_t common = 0;
        std::vector<uint8_t> ranks;  // of names that have so many characters in common with the query
    };

    // The blocks [begin, end) of names of one length.
    struct Length {
        int32_t length;
        size_t begin, end;
    };

    struct Scratch {
        IndelQuery query;
        QueryBits bits;
        RankedOffers blocks, names;
        Best best;
        size_t n_opened = 0, n_compared = 0;  // blocks and names
    };

    void read_query(const uint8_t* text, size_t size, Scratch& work) const {
        work.query.read(text, size, numbers_, n_characters_);
        work.bits = QueryBits(sketch_of(work.query.counts(), buckets_.data(), levels_.data()));
    }

    // Goes down the ranks: opens the blocks of a rank, then compares all names of that rank that have come up so far.
    std::vector<Hit> find(const Wanted& wanted, double min_similarity, Scratch& work) const {
        work.best.clear(wanted.k, min_similarity);
        if (wanted.stops_at_exact) {
            take_exact(wanted, work);
            work.best.settle();
            if (work.best.has_exact()) return work.best.hits();
        }
        for (auto& names : work.names) names.clear();
        offer_blocks(work);
        work.n_opened = work.n_compared = 0;
        const auto max_opened = wanted.allowed == nullptr ? kMaxOpened : n_blocks_;
        const auto max_compared = wanted.allowed == nullptr ? kMaxCompared : n_names_;
        for (auto rank = kRanks + 1; rank-- > 0;) {
            if (static_cast<double>(rank + 1) / kRanks < work.best.least()) break;
            std::span<const Offer> left = work.blocks[rank];
            do {
                const auto portion = left.first(work.n_opened < max_opened ? std::min(left.size(), kPortion) : 0);
                left = left.subspan(portion.size());
                open_blocks(portion, work);
                if (!compare_names(rank, wanted, work)) return {};
            } while (!left.empty() && work.n_opened < max_opened && work.n_compared < max_compared);
            if (work.n_compared >= max_compared) break;
        }
        work.best.settle();
        return work.best.hits();
    }

    // The name that is the query itself, if there is one: it has the query's bits, and no others.
    void take_exact(const Wanted& wanted, Scratch& work) const {
        const auto length = work.query.length();
        if (work.query.n_known() < length) return;
        const auto* lengths = block_lengths_.data();
        const auto* first = std::lower_bound(lengths, lengths + n_blocks_, length);
        const auto end = static_cast<size_t>(std::upper_bound(first, lengths + n_blocks_, length) - lengths);
        for_each_section(static_cast<size_t>(first - lengths), end, [&](size_t section, uint64_t members) {
            auto blocks = having_all(section_planes_.data() + section * kBits, work.bits, members);
            for (; blocks != 0; blocks &= blocks - 1) {
                const auto block = section * kWord + static_cast<size_t>(std::countr_zero(blocks));
                const auto begin = names_of(block).first;
                auto names = having_all(planes_.data() + block * kBits, work.bits, members_of(block));
                for (; names != 0; names &= names - 1) {
                    const auto name = begin + static_cast<uint32_t>(std::countr_zero(names));
                    if (bit_counts_.data()[name] != work.bits.n) continue;
                    const Offer offer{name, static_cast<int32_t>(length), length};
                    const auto stored = stored_name(offer);
                    if (work.query.lcs({&stored, 1})[0] == length) take(offer, length, wanted, work);
                }
            }
        });
    }

    // fn(section, its blocks that lie in [begin, end)).
    template <typename Fn>
    static void for_each_section(size_t begin, size_t end, Fn&& fn) {
        for (auto block = begin; block < end;) {
            const auto section = block / kWord, first = section * kWord;
            fn(section, bits_between(block - first, std::min(end - first, kWord)));
            block = first + kWord;
        }
    }

    // Ranks the blocks that may hold something similar enough, those of the query's length first.
    void offer_blocks(Scratch& work) const {
        const auto& query = work.query;
        for (auto& blocks : work.blocks) blocks.clear();
        const auto longer = std::lower_bound(lengths_.begin(), lengths_.end(), query.length(),
                                             [](const Length& each, int64_t length) { return each.length < length; });
        for (auto before = longer, after = longer; before != lengths_.begin() || after != lengths_.end();) {
            const bool is_after = before == lengths_.begin() ||
                                  (after != lengths_.end() &&
                                   after->length - query.length() <= query.length() - std::prev(before)->length);
            offer_length(is_after ? *after++ : *--before, work);
        }
    }

    void offer_length(const Length& of_length, Scratch& work) const {
        const auto& query = work.query;
        const auto length = of_length.length;
        const auto together = query.length() + length;
        const auto least_common = least_common_for(work.best.least(), together);
        if (std::min<int64_t>(query.n_known(), length) < least_common) return;
        const auto most_lacking = static_cast<size_t>(query.n_known() - least_common);
        for_each_section(of_length.begin, of_length.end, [&](size_t section, uint64_t members) {
            const Lacking lacking(section_planes_.data() + section * kBits, work.bits, most_lacking, members);
            for (auto left = lacking.members(); left != 0; left &= left - 1) {
                const auto member = static_cast<unsigned>(std::countr_zero(left));
                const auto most_common =
                    std::min<int64_t>(query.n_known() - static_cast<int64_t>(lacking.n_lacking(member)), length);
                work.blocks[rank_of(similarity(most_common, together))].push_back(
                    {static_cast<uint32_t>(section * kWord + member), length, most_common});
            }
        });
    }

    static size_t rank_of(double similarity) { return static_cast<size_t>(std::clamp(similarity, 0.0, 1.0) * kRanks); }

    void open_blocks(std::span<const Offer> blocks, Scratch& work) const {
        Needed needed;
        for (size_t i = 0; i < blocks.size(); ++i) {
            const auto* next = planes_.data() + blocks[std::min(i + 2, blocks.size() - 1)].number * kBits;
            for (size_t bit = 0; bit < std::min(kFirstPlanes, work.bits.n); ++bit)
                prefetch(next + work.bits.places[bit]);
            if (needed.length != blocks[i].length || needed.least != work.best.least())
                need(blocks[i].length, work, needed);
            if (blocks[i].most_common < needed.common) continue;
            open_block(blocks[i], needed, work);
            ++work.n_opened;
        }
    }

    static void need(int32_t length, const Scratch& work, Needed& needed) {
        const auto together = work.query.length() + length;
        if (needed.length != length) {
            needed.ranks.clear();
            for (int64_t common = 0; common <= std::min<int64_t>(length, work.query.n_known()); ++common)
                needed.ranks.push_back(static_cast<uint8_t>(rank_of(similarity(common, together))));
        }
        needed.length = length;
        needed.least = work.best.least();
        needed.common = least_common_for(needed.least, together);
    }

    // Ranks the names of a block that may be similar enough.
    void open_block(const Offer& block, const Needed& needed, Scratch& work) const {
        const auto first = names_of(block.number).first;
        const auto n_known = work.query.n_known();
        const Lacking lacking(planes_.data() + block.number * kBits, work.bits,
                              static_cast<size_t>(n_known - needed.common), members_of(block.number));
        for (auto left = lacking.members(); left != 0; left &= left - 1) {
            const auto member = static_cast<unsigned>(std::countr_zero(left));
            const auto name = first + member;
            const auto n_lacking = static_cast<int64_t>(lacking.n_lacking(member));
            const auto n_extra = bit_counts_.data()[name] - (static_cast<int64_t>(work.bits.n) - n_lacking);
            const auto most_common = std::min(n_known - n_lacking, block.length - n_extra);
            if (most_common < needed.common) continue;
            if (most_common > block.length) damaged_names();
            work.names[needed.ranks[most_common]].push_back({name, block.length, most_common});
        }
    }

    std::pair<uint32_t, uint32_t> names_of(size_t block) const {
        const auto begin = block_starts_.data()[block], end = block_starts_.data()[block + 1];
        if (begin < 0 || begin > end || end - begin > static_cast<int64_t>(kWord) ||
            end > static_cast<int64_t>(n_names_))
            damaged_names();
        return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    }

    uint64_t members_of(size_t block) const {
        const auto [begin, end] = names_of(block);
        return bits_between(0, end - begin);
    }

    // Compares all names down to a rank, and a few more, which raise early what others must reach. Whether it went
    // through them: not if the search is to stop.
    bool compare_names(size_t rank, const Wanted& wanted, Scratch& work) const {
        auto n_more = 4 * wanted.k;
        for (auto r = kRanks + 1; r-- > 0 && (r >= rank || n_more > 0);) {
            auto& names = work.names[r];
            const auto n = r >= rank ? names.size() : std::min(n_more, names.size());
            if (r < rank) n_more -= n;
            if (!compare(std::span(names).last(n), wanted, work)) return false;
            names.resize(names.size() - n);
        }
        return true;
    }

    bool compare(std::span<const Offer> names, const Wanted& wanted, Scratch& work) const {
        std::array<StoredName, kLanes> stored;
        std::array<const Offer*, kLanes> offers;
        size_t n = 0;
        for (size_t i = 0; i < names.size(); ++i) {
            ask_for(names, i);
            if (may_be_taken(names[i], wanted, work.best, work.query.length())) {
                offers[n] = &names[i];
                stored[n++] = stored_name(names[i]);
            }
            if (n == kLanes || (n > 0 && i + 1 == names.size())) {
                const auto common = work.query.lcs(std::span(stored).first(n));
                work.n_compared += n;
                for (size_t lane = 0; lane < n; ++lane) take(*offers[lane], common[lane], wanted, work);
                n = 0;
            }
            if (i % kPatience == kPatience - 1 && stop_requested()) return false;
        }
        return true;
    }

    void ask_for(std::span<const Offer> names, size_t i) const {
        const auto next = names[std::min(i + kAhead, names.size() - 1)].number;
        prefetch(starts_.data() + names[std::min(i + 2 * kAhead, names.size() - 1)].number);
        prefetch(group_starts_.data() + next);
        prefetch(characters_.data() + starts_.data()[next]);
    }

    // The shortest LCS that makes names of so many characters together similar enough.
    static int64_t least_common_for(double least, int64_t together) {
        auto common = static_cast<int64_t>(least * static_cast<double>(together) / 2);
        while (similarity(common, together) < least) ++common;
        while (common > 0 && similarity(common - 1, together) >= least) --common;
        return common;
    }

    // Whether a name could be among the best if it were as similar as its bits allow.
    bool may_be_taken(const Offer& name, const Wanted& wanted, const Best& best, int64_t query_length) const {
        const auto most = similarity(name.most_common, query_length + name.length);
        if (most != best.least() && wanted.allowed == nullptr) return most > best.least();
        auto [first, end] = groups_of(name);
        while (first < end && !is_allowed(first, wanted)) ++first;
        return first < end && best.takes({most, groups_.data()[first]});
    }

    void take(const Offer& name, int64_t common, const Wanted& wanted, Scratch& work) const {
        const auto alike = similarity(common, work.query.length() + name.length);
        if (alike == 0 || alike < work.best.least()) return;
        size_t n_taken = 0;  // groups rise, so the first k of them are the best
        for (auto [i, end] = groups_of(name); i < end && n_taken < wanted.k; ++i) {
            if (!is_allowed(i, wanted)) continue;
            const Hit hit{alike, groups_.data()[i]};
            if (!work.best.takes(hit)) break;
            work.best.add(hit);
            ++n_taken;
        }
    }

    std::pair<uint32_t, uint32_t> groups_of(const Offer& name) const {
        const auto first = group_starts_.data()[name.number], end = group_starts_.data()[name.number + 1];
        if (first > end || end > groups_.shape(0)) damaged_names();
        return {first, end};
    }

    StoredName stored_name(const Offer& name) const {
        const auto begin = starts_.data()[name.number], end = starts_.data()[name.number + 1];
        if (begin > end || end > characters_.shape(0)) damaged_names();
        return {characters_.data() + begin, characters_.data() + end, name.length};
    }

    static double similarity(int64_t common, int64_t together) {
        return together ? static_cast<double>(2 * common) / static_cast<double>(together) : 1;
    }

    bool is_allowed(uint32_t i, const Wanted& wanted) const {
        const auto group = groups_.data()[i];
        if (group < 0 || group >= n_groups_) damaged_names();
        return wanted.allowed == nullptr || wanted.allowed[group];
    }

    ArrayIn<uint8_t> buckets_, levels_, characters_;
    ArrayIn<uint32_t> starts_;
    ArrayIn<uint64_t> planes_, section_planes_;
    ArrayIn<uint8_t> bit_counts_;
    ArrayIn<int32_t> block_starts_, block_lengths_;
    ArrayIn<uint32_t> group_starts_;
    ArrayIn<int32_t> groups_;
    int64_t n_groups_;
    size_t n_characters_, n_names_, n_blocks_;
    NumberOf numbers_;
    std::vector<Length> lengths_;  // ascending
};

}  // namespace

void bind_indel_search(nb::module_& m) {
    nb::class_<IndelSearch> search(m, "IndelSearch", "Finds the groups that have the names most similar to a query.");
    define_init<ArrayIn<uint32_t>, ArrayIn<uint8_t>, ArrayIn<uint8_t>, ArrayIn<uint8_t>, ArrayIn<uint32_t>,
                ArrayIn<uint64_t>, ArrayIn<uint64_t>, ArrayIn<uint8_t>, ArrayIn<int32_t>, ArrayIn<int32_t>,
                ArrayIn<uint32_t>, ArrayIn<int32_t>, int64_t>(
        search, {"alphabet", "buckets", "levels", "characters", "starts", "planes", "section_planes", "bit_counts",
                 "block_starts", "block_lengths", "group_starts", "groups", "n_groups"});
    define(search, "search", &IndelSearch::search,
           {"data", "offsets", "k", "min_similarity", "stops_at_exact", "allowed", "n_threads"},
           "The k groups with the most similar names for each query: row starts, groups, similarities.");
}

}  // namespace deixis
