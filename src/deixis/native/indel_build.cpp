// The arrays of an Indel index: names in blocks of one length, in which names of like characters stand together.
//
// The names of a length are halved by the bit of their sketches that cuts them most evenly, and each half again, until
// blocks are left (Bentley, 1975, "Multidimensional Binary Search Trees"). `indel_planes` makes of their sketches what
// the search reads.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "indel_names.hpp"
#include "parallel.hpp"
#include "texts.hpp"
#include "unicode.hpp"

namespace deixis {
namespace {

constexpr size_t kBlockSize = kWord;  // names in a block, at most
constexpr size_t kMaxSample = 4096;   // names whose bits say where to halve
constexpr size_t kMaxLevel = 16;      // of the counts that bits are made of
constexpr size_t kMaxBytes = 0xffffffff;
constexpr size_t kHalving = 64;  // bits by which names are halved: those that tell most

class IndelBuild {
public:
    explicit IndelBuild(const Texts& names) : names_(names), n_(names.size()) {
        number_characters();
        choose_bits();
        sketches_.resize(n_);
        lengths_.resize(n_);
        for_each_name([&](size_t name, const Counts& counts, int32_t length) {
            sketches_[name] = sketch_of(counts, buckets_.data(), levels_.data());
            lengths_[name] = length;
        });
        order_.resize(n_);
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) { return lengths_[a] < lengths_[b]; });
        for (size_t begin = 0, end = 0; begin < n_; begin = end) {
            while (end < n_ && lengths_[order_[end]] == lengths_[order_[begin]]) ++end;
            halve(begin, end);
        }
    }

    auto arrays() {
        std::vector<uint8_t> characters;
        std::vector<uint32_t> starts{0};
        std::vector<uint64_t> sketches;
        std::vector<int32_t> block_lengths;
        starts.reserve(n_ + 1);
        sketches.reserve(n_ * std::tuple_size_v<Sketch>);
        for (size_t block = 0; block + 1 < block_starts_.size(); ++block) {
            block_lengths.push_back(lengths_[order_[block_starts_[block]]]);
            for (auto place = block_starts_[block]; place < block_starts_[block + 1]; ++place) {
                for_each_character(order_[place], [&](uint32_t cp) { append_number(number_of(cp), characters); });
                if (characters.size() > kMaxBytes) refuse("data has more than 4 GB of characters.");
                starts.push_back(static_cast<uint32_t>(characters.size()));
                for (const auto word : sketches_[order_[place]]) sketches.push_back(word);
            }
        }
        return std::make_tuple(
            to_numpy(std::move(alphabet_)), to_numpy(std::move(buckets_)), to_numpy(std::move(levels_)),
            to_numpy(std::move(characters)), to_numpy(std::move(starts)), to_numpy(std::move(sketches)),
            to_numpy(std::move(block_starts_)), to_numpy(std::move(block_lengths)), to_numpy(std::move(order_)));
    }

private:
    template <typename Fn>
    void for_each_character(size_t name, Fn&& fn) const {
        const auto* text = names_.text(name);
        const auto size = names_.length(name);
        for (size_t at = 0; at < size;) {
            const auto decoded = decode_utf8(text, at, size);
            fn(decoded.cp);
            at += decoded.n_bytes;
        }
    }

    // fn(name, its counts, its length) for all names, in order; Ctrl-C stops it.
    template <typename Fn>
    void for_each_name(Fn&& fn) const {
        constexpr size_t kChunk = 4096;
        parallel_for_runs(n_, kChunk, 1, [&](size_t, size_t begin, size_t end) {
            for (auto name = begin; name < end; ++name) {
                Counts counts{};
                int32_t length = 0;
                for_each_character(name, [&](uint32_t cp) {
                    count_character(number_of(cp), counts);
                    ++length;
                });
                fn(name, counts, length);
            }
        });
    }

    uint32_t number_of(uint32_t cp) const { return cp < ascii_.size() ? ascii_[cp] : numbers_.at(cp); }

    // Numbers characters, the most frequent first, then by code point.
    void number_characters() {
        std::unordered_map<uint32_t, int64_t> n_seen;
        std::array<int64_t, 0x80> n_ascii{};
        for (size_t name = 0; name < n_; ++name)
            for_each_character(name, [&](uint32_t cp) { ++(cp < n_ascii.size() ? n_ascii[cp] : n_seen[cp]); });
        for (uint32_t cp = 0; cp < n_ascii.size(); ++cp)
            if (n_ascii[cp]) n_seen[cp] = n_ascii[cp];
        for (const auto& seen : n_seen) alphabet_.push_back(seen.first);
        std::sort(alphabet_.begin(), alphabet_.end(),
                  [&](uint32_t a, uint32_t b) { return n_seen[a] != n_seen[b] ? n_seen[a] > n_seen[b] : a < b; });
        for (uint32_t number = 0; number < alphabet_.size(); ++number) {
            numbers_[alphabet_[number]] = number;
            if (alphabet_[number] < ascii_.size()) ascii_[alphabet_[number]] = number;
        }
    }

    // The bits that come nearest to being set in every other name.
    void choose_bits() {
        std::vector<int64_t> n_reaching(kBuckets * kMaxLevel);
        for_each_name([&](size_t, const Counts& counts, int32_t) {
            for (size_t bucket = 0; bucket < kBuckets; ++bucket)
                for (size_t level = 0; level < std::min<size_t>(counts[bucket], kMaxLevel); ++level)
                    ++n_reaching[bucket * kMaxLevel + level];
        });
        std::vector<size_t> places(n_reaching.size());
        std::iota(places.begin(), places.end(), 0);
        const auto n_fewer = [&](size_t place) {
            return std::min(n_reaching[place], static_cast<int64_t>(n_) - n_reaching[place]);
        };
        std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) { return n_fewer(a) > n_fewer(b); });
        for (size_t bit = 0; bit < kBits; ++bit) {
            buckets_.push_back(static_cast<uint8_t>(places[bit] / kMaxLevel));
            levels_.push_back(static_cast<uint8_t>(places[bit] % kMaxLevel + 1));
        }
    }

    // Puts the names at [begin, end) of the order into blocks, all but the last of them full.
    void halve(size_t begin, size_t end) {
        const auto n_blocks = (end - begin + kBlockSize - 1) / kBlockSize;
        const auto first = order_.begin() + static_cast<ptrdiff_t>(begin);
        const auto last = order_.begin() + static_cast<ptrdiff_t>(end);
        if (n_blocks <= 1) {
            std::sort(first, last);
            block_starts_.push_back(static_cast<int32_t>(end));
            return;
        }
        const auto bit = most_even(begin, end);
        const auto middle = begin + n_blocks / 2 * kBlockSize;
        std::nth_element(first, order_.begin() + static_cast<ptrdiff_t>(middle), last,
                         [&](int32_t a, int32_t b) { return has_bit(a, bit) < has_bit(b, bit); });
        halve(begin, middle);
        halve(middle, end);
    }

    // The bit that about every other name has.
    size_t most_even(size_t begin, size_t end) const {
        const auto step = (end - begin + kMaxSample - 1) / kMaxSample;
        std::array<int64_t, kHalving> n_set{};
        int64_t n = 0;
        for (auto place = begin; place < end; place += step, ++n)
            for (size_t bit = 0; bit < kHalving; ++bit) n_set[bit] += has_bit(order_[place], bit);
        const auto evenness = [n](int64_t set) { return std::min(set, n - set); };
        return std::max_element(n_set.begin(), n_set.end(), [&](auto a, auto b) { return evenness(a) < evenness(b); }) -
               n_set.begin();
    }

    bool has_bit(int32_t name, size_t bit) const { return sketches_[name][bit / kWord] >> bit % kWord & 1; }

    const Texts& names_;
    size_t n_;
    std::vector<uint32_t> alphabet_;
    std::unordered_map<uint32_t, uint32_t> numbers_;
    std::array<uint32_t, 0x80> ascii_{};  // numbers of those characters, without looking them up
    std::vector<uint8_t> buckets_, levels_;
    std::vector<Sketch> sketches_;
    std::vector<int32_t> lengths_, order_, block_starts_{0};
};

auto build_indel(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets) {
    const Texts names(data, offsets);
    return IndelBuild(names).arrays();
}

// Bits in another order, the rarest of all names first, and the planes of blocks and sections in this order.
auto indel_planes(ArrayIn<uint8_t> buckets, ArrayIn<uint8_t> levels, ArrayIn<uint64_t> sketches,
                  ArrayIn<int32_t> block_starts) {
    constexpr auto kWords = std::tuple_size_v<Sketch>;
    check_size("buckets", buckets, kBits, "one for each bit of a sketch");
    check_size("levels", levels, kBits, "one for each bit of a sketch");
    if (block_starts.shape(0) == 0) refuse("block_starts has no items; it needs one for each block and one more.");
    const auto n_names = sketches.shape(0) / kWords, n_blocks = block_starts.shape(0) - 1;
    std::array<int64_t, kBits> n_having{};
    for (size_t name = 0; name < n_names; ++name)
        for (size_t bit = 0; bit < kBits; ++bit)
            n_having[bit] += sketches.data()[name * kWords + bit / kWord] >> bit % kWord & 1;
    std::array<size_t, kBits> order;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return n_having[a] < n_having[b]; });
    std::vector<uint8_t> new_buckets, new_levels, n_bits_of(n_names, 0);
    for (const auto bit : order) {
        new_buckets.push_back(buckets.data()[bit]);
        new_levels.push_back(levels.data()[bit]);
    }
    std::vector<uint64_t> planes(n_blocks * kBits, 0), section_planes(run_count(n_blocks, kWord) * kBits, 0);
    for (size_t block = 0; block < n_blocks; ++block) {
        const auto begin = block_starts.data()[block], end = block_starts.data()[block + 1];
        if (begin < 0 || begin > end || end - begin > static_cast<int64_t>(kWord) ||
            end > static_cast<int64_t>(n_names))
            refuse_damaged("index of names");
        for (auto name = begin; name < end; ++name)
            for (size_t bit = 0; bit < kBits; ++bit) {
                const auto is_set = sketches.data()[name * kWords + order[bit] / kWord] >> order[bit] % kWord & 1;
                planes[block * kBits + bit] |= is_set << (name - begin);
                n_bits_of[name] += static_cast<uint8_t>(is_set);
            }
        for (size_t bit = 0; bit < kBits; ++bit)
            section_planes[block / kWord * kBits + bit] |= uint64_t{planes[block * kBits + bit] != 0} << block % kWord;
    }
    return std::make_tuple(to_numpy(std::move(new_buckets)), to_numpy(std::move(new_levels)),
                           to_numpy(std::move(planes)), to_numpy(std::move(section_planes)),
                           to_numpy(std::move(n_bits_of)));
}

}  // namespace

void bind_indel_build(nb::module_& m) {
    define(m, "build_indel", &build_indel, {"data", "offsets"},
           "The arrays of an index of names before `indel_planes`, and the order of the names.");
    define(m, "indel_planes", &indel_planes, {"buckets", "levels", "sketches", "block_starts"},
           "Sketches as IndelSearch takes them: buckets, levels, planes, section_planes, bit_counts.");
}

}  // namespace deixis
