// The arrays of an Indel index: names in blocks of one length, in which names of like characters stand together.
//
// The names of a length are halved by the bit of their sketches that cuts them most evenly, and each half again, until
// blocks are left (Bentley, 1975, "Multidimensional Binary Search Trees"). Of a block the index keeps which bits all of
// its names have and which any of them has: the search opens only the blocks that this allows to be near enough.
#include <algorithm>
#include <cstdint>
#include <numeric>
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

constexpr size_t kBlockSize = 32;    // names in a block, at most
constexpr size_t kMaxSample = 4096;  // names whose bits say where to halve
constexpr size_t kMaxLevel = 16;     // of the counts that bits are made of
constexpr size_t kMaxBytes = 0xffffffff;

class IndelBuild {
public:
    explicit IndelBuild(const Texts& names) : names_(names), n_(names.size()) {
        number_characters();
        choose_bits();
        sketches_.resize(n_);
        others_.resize(n_);
        lengths_.resize(n_);
        for_each_name([&](size_t name, const Counts& counts, int32_t length) {
            sketches_[name] = sketch_of(counts, buckets_.data(), levels_.data());
            others_[name] = sketch_of(counts, buckets_.data() + kBits, levels_.data() + kBits);
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
        std::vector<uint64_t> sketches, others, in_all, in_any;
        std::vector<int32_t> block_lengths;
        starts.reserve(n_ + 1);
        sketches.reserve(n_);
        others.reserve(n_);
        for (size_t block = 0; block + 1 < block_starts_.size(); ++block) {
            in_all.push_back(~uint64_t{0});
            in_any.push_back(0);
            block_lengths.push_back(lengths_[order_[block_starts_[block]]]);
            for (auto place = block_starts_[block]; place < block_starts_[block + 1]; ++place) {
                for_each_character(order_[place], [&](uint32_t cp) { append_number(number_of(cp), characters); });
                if (characters.size() > kMaxBytes) refuse("data has more than 4 GB of characters.");
                starts.push_back(static_cast<uint32_t>(characters.size()));
                sketches.push_back(sketches_[order_[place]]);
                others.push_back(others_[order_[place]]);
                in_all.back() &= sketches.back();
                in_any.back() |= sketches.back();
            }
        }
        return std::make_tuple(to_numpy(std::move(alphabet_)), to_numpy(std::move(buckets_)),
                               to_numpy(std::move(levels_)), to_numpy(std::move(characters)),
                               to_numpy(std::move(starts)), to_numpy(std::move(sketches)), to_numpy(std::move(others)),
                               to_numpy(std::move(block_starts_)), to_numpy(std::move(block_lengths)),
                               to_numpy(std::move(in_all)), to_numpy(std::move(in_any)), to_numpy(std::move(order_)));
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
        for (size_t bit = 0; bit < 2 * kBits; ++bit) {
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
                         [&](int32_t a, int32_t b) { return (sketches_[a] >> bit & 1) < (sketches_[b] >> bit & 1); });
        halve(begin, middle);
        halve(middle, end);
    }

    // The bit that about every other name has.
    size_t most_even(size_t begin, size_t end) const {
        const auto step = (end - begin + kMaxSample - 1) / kMaxSample;
        std::array<int64_t, kBits> n_set{};
        int64_t n = 0;
        for (auto place = begin; place < end; place += step, ++n)
            for (size_t bit = 0; bit < kBits; ++bit) n_set[bit] += sketches_[order_[place]] >> bit & 1;
        const auto evenness = [n](int64_t set) { return std::min(set, n - set); };
        return std::max_element(n_set.begin(), n_set.end(), [&](auto a, auto b) { return evenness(a) < evenness(b); }) -
               n_set.begin();
    }

    const Texts& names_;
    size_t n_;
    std::vector<uint32_t> alphabet_;
    std::unordered_map<uint32_t, uint32_t> numbers_;
    std::array<uint32_t, 0x80> ascii_{};  // numbers of those characters, without looking them up
    std::vector<uint8_t> buckets_, levels_;
    std::vector<uint64_t> sketches_, others_;
    std::vector<int32_t> lengths_, order_, block_starts_{0};
};

auto build_indel(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets) {
    const Texts names(data, offsets);
    return IndelBuild(names).arrays();
}

}  // namespace

void bind_indel_build(nb::module_& m) {
    define(
        m, "build_indel", &build_indel, {"data", "offsets"},
        "The arrays of an index of names, in the order in which IndelSearch takes them, and the order of the names.");
}

}  // namespace deixis
