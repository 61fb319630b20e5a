// The names nearest to a query by normalised Indel distance, provably all of them, without comparing most.
//
// The similarity of two names of a and b characters is 2 LCS / (a + b) = 1 - Indel / (a + b). Blocks of names are opened
// in the order of what they may hold, the bits of each name in them bound its LCS (see indel_names.hpp), and only what
// could still be among the best is compared: by the bit-parallel LCS of Hyyro (2004, "Bit-Parallel LCS-Length Computation
// Revisited"), which handles 64 characters of the query at a time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "indel_names.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "texts.hpp"
#include "unicode.hpp"

#include <nanobind/stl/tuple.h>

namespace deixis {
namespace {

constexpr std::uint32_t kFrequent = 0x80;  // numbers of characters below this one have one byte
constexpr std::size_t kChunk = 64;       // blocks, or names of a block, looked at together
constexpr std::size_t kAhead = 8;        // names asked for before they are compared
constexpr std::size_t kPatience = 1024;  // names compared between two looks for Ctrl-C
constexpr std::size_t kRanks = 64;       // into which blocks are sorted by what they may hold

struct Hit {
    double similarity;
    std::int32_t group;
    bool operator<(const Hit& other) const {
        return similarity != other.similarity ? similarity > other.similarity : group < other.group;
    }
};

/// A block or a name, and the longest LCS it can have with the query.
struct Offer {
    std::uint32_t number;
    std::int32_t length;  // of the name, or of all names of the block
    std::int64_t most_common;
};

/// Offers by the greatest similarity they allow, in ranks of about the same; the last rank is of what may be 1.
using RankedOffers = std::array<std::vector<Offer>, kRanks + 1>;

/// A query in the characters of the index, ready to be compared.
struct Query {
    std::int64_t length = 0;   // in code points
    std::int64_t n_known = 0;  // of them that some name has
    std::uint64_t sketch = 0;
    std::size_t n_words = 0;   // of 64 characters each
    std::vector<std::uint32_t> numbers;  // of its different characters
    std::vector<std::uint64_t> masks;    // for each: where it stands, n_words after n_words; nowhere for the first
    std::array<std::uint64_t, kFrequent> frequent{};  // the masks of characters whose number has one byte, if n_words is 1
};

/// The best k groups so far, and what another one must reach to be among them.
class Best {
public:
    void clear(std::size_t k, double least) {
        k_ = k;
        least_ = least;
        hits_.clear();
        n_kept_ = 0;
    }

    double least() const { return least_; }

    /// Whether a hit with this similarity would be of use.
    bool takes(const Hit& hit) const { return hit.similarity >= least_ && (n_kept_ < k_ || hit < hits_[k_ - 1]); }

    void add(const Hit& hit, std::vector<std::uint32_t>& seen, std::uint32_t& n_seen) {
        hits_.push_back(hit);
        if (hits_.size() >= std::max(k_, n_kept_ + k_ / 16 + 1)) settle(seen, n_seen);
    }

    /// Leaves the best k groups, each once, in order.
    void settle(std::vector<std::uint32_t>& seen, std::uint32_t& n_seen) {
        std::sort(hits_.begin(), hits_.end());
        if (++n_seen == 0) {  // the counter has come round
            std::fill(seen.begin(), seen.end(), 0);
            n_seen = 1;
        }
        std::size_t n = 0;
        for (const auto& hit : hits_) {
            if (n == k_) break;
            if (std::exchange(seen[hit.group], n_seen) != n_seen) hits_[n++] = hit;
        }
        hits_.resize(n);
        n_kept_ = n;
        if (n == k_) least_ = hits_[k_ - 1].similarity;
    }

    const std::vector<Hit>& hits() const { return hits_; }
    bool has_exact() const { return !hits_.empty() && hits_[0].similarity == 1; }

private:
    std::size_t k_ = 0, n_kept_ = 0;
    double least_ = 0;
    std::vector<Hit> hits_;  // the first n_kept_ are in order, the others new
};

class IndelSearch {
public:
    IndelSearch(ArrayIn<std::uint32_t> alphabet, ArrayIn<std::uint8_t> buckets, ArrayIn<std::uint8_t> levels,
                ArrayIn<std::uint8_t> characters, ArrayIn<std::uint32_t> starts, ArrayIn<std::uint64_t> sketches,
                ArrayIn<std::int32_t> block_starts, ArrayIn<std::int32_t> block_lengths, ArrayIn<std::uint64_t> in_all,
                ArrayIn<std::uint64_t> in_any, ArrayIn<std::uint32_t> group_starts, ArrayIn<std::int32_t> groups,
                std::int64_t n_groups)
        : buckets_(buckets), levels_(levels), characters_(characters), starts_(starts), sketches_(sketches),
          block_starts_(block_starts), block_lengths_(block_lengths), in_all_(in_all), in_any_(in_any),
          group_starts_(group_starts), groups_(groups), n_groups_(n_groups), n_characters_(alphabet.shape(0)), n_frequent_(std::min<std::size_t>(alphabet.shape(0), kFrequent)),
          n_names_(sketches.shape(0)), n_blocks_(block_lengths.shape(0)) {
        if (buckets.shape(0) != kBits || levels.shape(0) != kBits || starts.shape(0) != n_names_ + 1 ||
            group_starts.shape(0) != n_names_ + 1 || block_starts.shape(0) != n_blocks_ + 1 ||
            in_all.shape(0) != n_blocks_ || in_any.shape(0) != n_blocks_)
            throw std::invalid_argument("The arrays of the index do not fit each other.");
        for (std::uint32_t number = 0; number < n_characters_; ++number) numbers_[alphabet.data()[number]] = number;
    }

    auto search(ArrayIn<std::uint8_t> data, ArrayIn<std::int64_t> offsets, std::int64_t k, double min_similarity,
                bool stops_at_exact, ArrayIn<bool> allowed, int n_threads) const {
        const Texts texts(data, offsets);
        if (k < 1) throw std::invalid_argument("k must be at least 1.");
        if (allowed.shape(0) != 0 && static_cast<std::int64_t>(allowed.shape(0)) != n_groups_)
            throw std::invalid_argument("What is allowed needs a value for each group.");
        const Wanted wanted{static_cast<std::size_t>(std::min(k, std::max<std::int64_t>(n_groups_, 1))), min_similarity,
                            stops_at_exact, allowed.shape(0) ? allowed.data() : nullptr};
        std::vector<std::vector<Hit>> found(texts.size());
        std::vector<Scratch> scratch(worker_count(texts.size(), n_threads));
        parallel_for(texts.size(), n_threads, [&](std::size_t query, int worker) {
            read_query(texts.text(query), texts.length(query), scratch[worker]);
            found[query] = find(wanted, scratch[worker]);
        });
        std::vector<std::int64_t> indptr{0};
        std::vector<std::int32_t> groups;
        std::vector<float> similarities;
        for (const auto& hits : found) {
            for (const auto& hit : hits) {
                groups.push_back(hit.group);
                similarities.push_back(static_cast<float>(hit.similarity));
            }
            indptr.push_back(static_cast<std::int64_t>(groups.size()));
        }
        return std::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(groups)), to_numpy(std::move(similarities)));
    }

private:
    struct Wanted {
        std::size_t k;
        double min_similarity;
        bool stops_at_exact;
        const bool* allowed;  // null: all groups
    };

    struct Scratch {
        Query query;
        std::vector<std::uint32_t> slots;  // of each character of the alphabet: its place in the query's masks; 0: none
        std::vector<std::uint64_t> words;  // the state of the comparison
        RankedOffers blocks, names;
        std::array<std::int64_t, kChunk> n_unmatched, n_extra;  // bits that only the query, or only the other has
        Best best;
        std::vector<std::uint32_t> seen;
        std::uint32_t n_seen = 0;
    };

    void read_query(const std::uint8_t* text, std::size_t size, Scratch& work) const {
        auto& query = work.query;
        work.slots.resize(n_characters_, 0);
        for (const auto number : query.numbers) work.slots[number] = 0;
        query = {.numbers = std::move(query.numbers), .masks = std::move(query.masks)};
        query.numbers.clear();
        for (std::size_t at = 0; at < size; ++query.length) at += decode_utf8(text, at, size).n_bytes;
        query.n_words = std::max<std::size_t>(1, static_cast<std::size_t>(query.length + 63) / 64);
        query.masks.assign(query.n_words, 0);
        Counts counts{};
        std::size_t place = 0;
        for (std::size_t at = 0; at < size; ++place) {
            const auto decoded = decode_utf8(text, at, size);
            at += decoded.n_bytes;
            const auto known = numbers_.find(decoded.cp);
            if (known == numbers_.end()) continue;
            ++query.n_known;
            count_character(known->second, counts);
            auto& slot = work.slots[known->second];
            if (slot == 0) {
                query.numbers.push_back(known->second);
                slot = static_cast<std::uint32_t>(query.numbers.size());
                query.masks.resize(query.masks.size() + query.n_words, 0);
            }
            query.masks[slot * query.n_words + place / 64] |= std::uint64_t{1} << place % 64;
        }
        if (query.n_words == 1)
            for (std::size_t i = 0; i < query.numbers.size(); ++i)
                if (query.numbers[i] < kFrequent) query.frequent[query.numbers[i]] = query.masks[i + 1];
        query.sketch = sketch_of(counts, buckets_.data(), levels_.data());
        work.words.resize(query.n_words);
    }

    /// Goes down the ranks: opens the blocks of a rank, then compares all names of that rank that have come up so far.
    std::vector<Hit> find(const Wanted& wanted, Scratch& work) const {
        work.best.clear(wanted.k, wanted.min_similarity);
        work.seen.resize(n_groups_, 0);
        for (auto& names : work.names) names.clear();
        offer_blocks(work);
        for (auto rank = kRanks + 1; rank-- > 0;) {
            if (static_cast<double>(rank + 1) / kRanks < work.best.least()) break;
            for (const auto& block : work.blocks[rank]) open_block(block, work);
            if (!compare_names(rank, wanted, work)) return {};
            if (rank == kRanks && wanted.stops_at_exact) {
                work.best.settle(work.seen, work.n_seen);
                if (work.best.has_exact()) break;
            }
        }
        work.best.settle(work.seen, work.n_seen);
        auto hits = work.best.hits();
        if (wanted.stops_at_exact && work.best.has_exact())
            std::erase_if(hits, [](const Hit& hit) { return hit.similarity < 1; });
        return hits;
    }

    /// Ranks the blocks that may hold something similar enough.
    void offer_blocks(Scratch& work) const {
        const auto& query = work.query;
        for (auto& blocks : work.blocks) blocks.clear();
        for (std::size_t begin = 0, end = 0; begin < n_blocks_; begin = end) {
            const auto length = block_lengths_.data()[begin];
            while (end < n_blocks_ && end < begin + kChunk && block_lengths_.data()[end] == length) ++end;
            const auto together = query.length + length;
            const auto least_common = least_common_for(work.best.least(), together);
            if (std::min<std::int64_t>(query.n_known, length) < least_common) continue;
            count_lacking(query.sketch, in_any_.data() + begin, end - begin, work.n_unmatched.data());
            count_extra(query.sketch, in_all_.data() + begin, end - begin, work.n_extra.data());
            for (std::size_t i = 0; i < end - begin; ++i) {
                const auto most_common = std::min(query.n_known - work.n_unmatched[i], length - work.n_extra[i]);
                if (most_common < least_common) continue;
                const auto block = static_cast<std::uint32_t>(begin + i);
                work.blocks[rank_of(similarity(most_common, together))].push_back({block, length, most_common});
            }
        }
    }

    /// How many bits of the query each sketch lacks.
    static void count_lacking(std::uint64_t query, const std::uint64_t* sketches, std::size_t n, std::int64_t* counts) {
        for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<std::int64_t>(n_bits(query & ~sketches[i]));
    }

    /// How many bits each sketch has that the query lacks.
    static void count_extra(std::uint64_t query, const std::uint64_t* sketches, std::size_t n, std::int64_t* counts) {
        for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<std::int64_t>(n_bits(sketches[i] & ~query));
    }

    static std::size_t rank_of(double similarity) {
        return static_cast<std::size_t>(std::clamp(similarity, 0.0, 1.0) * kRanks);
    }

    /// Ranks the names of a block that may be similar enough.
    void open_block(const Offer& block, Scratch& work) const {
        const auto& query = work.query;
        const auto begin = block_starts_.data()[block.number], end = block_starts_.data()[block.number + 1];
        if (begin < 0 || begin > end || end - begin > static_cast<std::int64_t>(kChunk) || end > static_cast<std::int64_t>(n_names_))
            damaged();
        const auto together = query.length + block.length;
        const auto least_common = least_common_for(work.best.least(), together);
        if (block.most_common < least_common) return;
        const auto* sketches = sketches_.data() + begin;
        const auto n = static_cast<std::size_t>(end - begin);
        count_lacking(query.sketch, sketches, n, work.n_unmatched.data());
        for (std::size_t i = 0; i < n; ++i) {
            auto most_common = query.n_known - work.n_unmatched[i];
            if (most_common < least_common) continue;
            most_common = std::min(most_common, block.length - static_cast<std::int64_t>(n_bits(sketches[i] & ~query.sketch)));
            if (most_common < least_common) continue;
            const auto name = static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(i);
            work.names[rank_of(similarity(most_common, together))].push_back({name, block.length, most_common});
        }
    }

    /// Compares all names down to a rank, and a few more, which raise early what others must reach. Whether it went
    /// through them: not if the search is to stop.
    bool compare_names(std::size_t rank, const Wanted& wanted, Scratch& work) const {
        auto n_more = 4 * wanted.k;
        for (auto r = kRanks + 1; r-- > 0 && (r >= rank || n_more > 0);) {
            auto& names = work.names[r];
            const auto n = r >= rank ? names.size() : std::min(n_more, names.size());
            if (r < rank) n_more -= n;
            const auto first = names.size() - n;
            for (auto i = names.size(); i-- > first;) {
                const auto next = names[std::max(i, first + kAhead) - kAhead].number;
                prefetch(starts_.data() + names[std::max(i, first + 2 * kAhead) - 2 * kAhead].number);
                prefetch(group_starts_.data() + next);
                prefetch(characters_.data() + starts_.data()[next]);
                compare(names[i], wanted, work);
                if (i % kPatience == 0 && stop_requested()) return false;
            }
            names.resize(first);
        }
        return true;
    }

    /// The shortest LCS that makes names of so many characters together similar enough.
    static std::int64_t least_common_for(double least, std::int64_t together) {
        auto common = static_cast<std::int64_t>(least * static_cast<double>(together) / 2);
        while (similarity(common, together) < least) ++common;
        while (common > 0 && similarity(common - 1, together) >= least) --common;
        return common;
    }

    void compare(const Offer& name, const Wanted& wanted, Scratch& work) const {
        const auto together = work.query.length + name.length;
        const auto most = similarity(name.most_common, together);
        if (most < work.best.least()) return;
        const auto end = group_starts_.data()[name.number + 1];
        auto first = group_starts_.data()[name.number];
        if (first > end || end > groups_.shape(0)) damaged();
        while (first < end && !is_allowed(first, wanted)) ++first;
        if (first == end || !work.best.takes({most, groups_.data()[first]})) return;
        const auto alike = similarity(lcs(name, work), together);
        if (alike == 0) return;
        std::size_t n_taken = 0;  // groups rise, so the first k of them are the best
        for (auto i = first; i < end && n_taken < wanted.k; ++i) {
            if (!is_allowed(i, wanted)) continue;
            const Hit hit{alike, groups_.data()[i]};
            if (!work.best.takes(hit)) break;
            work.best.add(hit, work.seen, work.n_seen);
            ++n_taken;
        }
    }

    static double similarity(std::int64_t common, std::int64_t together) {
        return together ? static_cast<double>(2 * common) / static_cast<double>(together) : 1;
    }

    bool is_allowed(std::uint32_t i, const Wanted& wanted) const {
        const auto group = groups_.data()[i];
        if (group < 0 || group >= n_groups_) damaged();
        return wanted.allowed == nullptr || wanted.allowed[group];
    }

    /// The length of the longest common subsequence of the query and a name.
    std::int64_t lcs(const Offer& name, Scratch& work) const {
        const auto begin = starts_.data()[name.number], end = starts_.data()[name.number + 1];
        if (begin > end || end > characters_.shape(0)) damaged();
        const auto* at = characters_.data() + begin;
        const auto* last = characters_.data() + end;
        return work.query.n_words == 1 ? lcs_of_one_word(at, last, name.length, work) : lcs_of_words(at, last, name.length, work);
    }

    std::int64_t lcs_of_one_word(const std::uint8_t* at, const std::uint8_t* last, std::int64_t length, const Scratch& work) const {
        std::uint64_t word = ~std::uint64_t{0};
        for (; at != last; --length) {
            const auto is_frequent = *at < n_frequent_;
            const auto matches = word & (is_frequent ? work.query.frequent[*at++] : work.query.masks[slot_at(at, last, work)]);
            word = (word + matches) | (word - matches);
        }
        if (length != 0) damaged();
        return static_cast<std::int64_t>(n_bits(~word));
    }

    std::int64_t lcs_of_words(const std::uint8_t* at, const std::uint8_t* last, std::int64_t length, Scratch& work) const {
        const auto n_words = work.query.n_words;
        auto* words = work.words.data();
        std::fill(words, words + n_words, ~std::uint64_t{0});
        for (; at != last; --length) {
            const auto* masks = work.query.masks.data() + slot_at(at, last, work) * n_words;
            std::uint64_t carry = 0;
            for (std::size_t i = 0; i < n_words; ++i) {
                const auto matches = words[i] & masks[i];
                const auto half = words[i] + carry, sum = half + matches;
                carry = (half < carry) | (sum < matches);
                words[i] = sum | (words[i] - matches);
            }
        }
        if (length != 0) damaged();
        std::int64_t n = 0;
        for (std::size_t i = 0; i < n_words; ++i) n += static_cast<std::int64_t>(n_bits(~words[i]));
        return n;
    }

    /// The place of the next character in the query's masks; `at` moves behind it.
    std::uint32_t slot_at(const std::uint8_t*& at, const std::uint8_t* last, const Scratch& work) const {
        std::uint32_t number = *at++;
        if (number >= 0x80) {
            number &= 0x7f;
            for (int shift = 7;; shift += 7) {
                if (at == last || shift > 14) damaged();
                number |= (*at & 0x7fu) << shift;
                if (*at++ < 0x80) break;
            }
        }
        if (number >= n_characters_) damaged();
        return work.slots[number];
    }

    [[noreturn]] static void damaged() { throw std::invalid_argument("The index of names is damaged; build the model again."); }

    ArrayIn<std::uint8_t> buckets_, levels_, characters_;
    ArrayIn<std::uint32_t> starts_;
    ArrayIn<std::uint64_t> sketches_;
    ArrayIn<std::int32_t> block_starts_, block_lengths_;
    ArrayIn<std::uint64_t> in_all_, in_any_;
    ArrayIn<std::uint32_t> group_starts_;
    ArrayIn<std::int32_t> groups_;
    std::int64_t n_groups_;
    std::size_t n_characters_, n_frequent_, n_names_, n_blocks_;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // of characters
};

}  // namespace

void bind_indel_search(nb::module_& m) {
    nb::class_<IndelSearch>(m, "IndelSearch")
        .def(nb::init<ArrayIn<std::uint32_t>, ArrayIn<std::uint8_t>, ArrayIn<std::uint8_t>, ArrayIn<std::uint8_t>,
                      ArrayIn<std::uint32_t>, ArrayIn<std::uint64_t>, ArrayIn<std::int32_t>, ArrayIn<std::int32_t>,
                      ArrayIn<std::uint64_t>, ArrayIn<std::uint64_t>, ArrayIn<std::uint32_t>, ArrayIn<std::int32_t>,
                      std::int64_t>())
        .def("search", &IndelSearch::search, nb::arg("data"), nb::arg("offsets"), nb::arg("k"), nb::arg("min_similarity"),
             nb::arg("stops_at_exact"), nb::arg("allowed"), nb::arg("n_threads"));
}

}  // namespace deixis
