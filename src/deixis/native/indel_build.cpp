// The arrays of an Indel index: names in blocks of one length, in which names of like characters stand together.
//
// The names of a length are halved by the bit of their sketches that cuts them most evenly, and each half again, until
// blocks are left (Bentley, 1975, "Multidimensional Binary Search Trees"). Of a block the index keeps which bits all of
// its names have and which any of them has: the search opens only the blocks that this allows to be near enough.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "indel_names.hpp"
#include "parallel.hpp"
#include "texts.hpp"
#include "unicode.hpp"

namespace deixis {
namespace {

constexpr std::size_t kBlockSize = 32;    // names in a block, at most
constexpr std::size_t kMaxSample = 4096;  // names whose bits say where to halve
constexpr std::size_t kMaxLevel = 16;     // of the counts that bits are made of
constexpr std::size_t kMaxBytes = 0xffffffff;

class IndelBuild {
public:
    explicit IndelBuild(const Texts& names) : names_(names), n_(names.size()) {
        number_characters();
        choose_bits();
        sketches_.resize(n_);
        others_.resize(n_);
        lengths_.resize(n_);
        for_each_name([&](std::size_t name, const Counts& counts, std::int32_t length) {
            sketches_[name] = sketch_of(counts, buckets_.data(), levels_.data());
            others_[name] = sketch_of(counts, buckets_.data() + kBits, levels_.data() + kBits);
            lengths_[name] = length;
        });
        order_.resize(n_);
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::int32_t a, std::int32_t b) { return lengths_[a] < lengths_[b]; });
        for (std::size_t begin = 0, end = 0; begin < n_; begin = end) {
            while (end < n_ && lengths_[order_[end]] == lengths_[order_[begin]]) ++end;
            halve(begin, end);
        }
    }

    auto arrays() {
        std::vector<std::uint8_t> characters;
        std::vector<std::uint32_t> starts{0};
        std::vector<std::uint64_t> sketches, others, in_all, in_any;
        std::vector<std::int32_t> block_lengths;
        starts.reserve(n_ + 1);
        sketches.reserve(n_);
        others.reserve(n_);
        for (std::size_t block = 0; block + 1 < block_starts_.size(); ++block) {
            in_all.push_back(~std::uint64_t{0});
            in_any.push_back(0);
            block_lengths.push_back(lengths_[order_[block_starts_[block]]]);
            for (auto place = block_starts_[block]; place < block_starts_[block + 1]; ++place) {
                for_each_character(order_[place], [&](std::uint32_t cp) { append_number(number_of(cp), characters); });
                if (characters.size() > kMaxBytes)
                    throw std::length_error("The names have more than 4 GB of characters.");
                starts.push_back(static_cast<std::uint32_t>(characters.size()));
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
    void for_each_character(std::size_t name, Fn&& fn) const {
        const auto* text = names_.text(name);
        const auto size = names_.length(name);
        for (std::size_t at = 0; at < size;) {
            const auto decoded = decode_utf8(text, at, size);
            fn(decoded.cp);
            at += decoded.n_bytes;
        }
    }

    // fn(name, its counts, its length) for all names, in order; Ctrl-C stops it.
    template <typename Fn>
    void for_each_name(Fn&& fn) const {
        constexpr std::size_t kChunk = 4096;
        parallel_for((n_ + kChunk - 1) / kChunk, 1, [&](std::size_t chunk) {
            for (auto name = chunk * kChunk; name < std::min((chunk + 1) * kChunk, n_); ++name) {
                Counts counts{};
                std::int32_t length = 0;
                for_each_character(name, [&](std::uint32_t cp) {
                    count_character(number_of(cp), counts);
                    ++length;
                });
                fn(name, counts, length);
            }
        });
    }

    std::uint32_t number_of(std::uint32_t cp) const { return cp < ascii_.size() ? ascii_[cp] : numbers_.at(cp); }

    // Numbers characters, the most frequent first, then by code point.
    void number_characters() {
        std::unordered_map<std::uint32_t, std::int64_t> n_seen;
        std::array<std::int64_t, 0x80> n_ascii{};
        for (std::size_t name = 0; name < n_; ++name)
            for_each_character(name, [&](std::uint32_t cp) { ++(cp < n_ascii.size() ? n_ascii[cp] : n_seen[cp]); });
        for (std::uint32_t cp = 0; cp < n_ascii.size(); ++cp)
            if (n_ascii[cp]) n_seen[cp] = n_ascii[cp];
        for (const auto& seen : n_seen) alphabet_.push_back(seen.first);
        std::sort(alphabet_.begin(), alphabet_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return n_seen[a] != n_seen[b] ? n_seen[a] > n_seen[b] : a < b;
        });
        for (std::uint32_t number = 0; number < alphabet_.size(); ++number) {
            numbers_[alphabet_[number]] = number;
            if (alphabet_[number] < ascii_.size()) ascii_[alphabet_[number]] = number;
        }
    }

    // The bits that come nearest to being set in every other name.
    void choose_bits() {
        std::vector<std::int64_t> n_reaching(kBuckets * kMaxLevel);
        for_each_name([&](std::size_t, const Counts& counts, std::int32_t) {
            for (std::size_t bucket = 0; bucket < kBuckets; ++bucket)
                for (std::size_t level = 0; level < std::min<std::size_t>(counts[bucket], kMaxLevel); ++level)
                    ++n_reaching[bucket * kMaxLevel + level];
        });
        std::vector<std::size_t> places(n_reaching.size());
        std::iota(places.begin(), places.end(), 0);
        const auto n_fewer = [&](std::size_t place) {
            return std::min(n_reaching[place], static_cast<std::int64_t>(n_) - n_reaching[place]);
        };
        std::stable_sort(places.begin(), places.end(),
                         [&](std::size_t a, std::size_t b) { return n_fewer(a) > n_fewer(b); });
        for (std::size_t bit = 0; bit < 2 * kBits; ++bit) {
            buckets_.push_back(static_cast<std::uint8_t>(places[bit] / kMaxLevel));
            levels_.push_back(static_cast<std::uint8_t>(places[bit] % kMaxLevel + 1));
        }
    }

    // Puts the names at [begin, end) of the order into blocks, all but the last of them full.
    void halve(std::size_t begin, std::size_t end) {
        const auto n_blocks = (end - begin + kBlockSize - 1) / kBlockSize;
        const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = order_.begin() + static_cast<std::ptrdiff_t>(end);
        if (n_blocks <= 1) {
            std::sort(first, last);
            block_starts_.push_back(static_cast<std::int32_t>(end));
            return;
        }
        const auto bit = most_even(begin, end);
        const auto middle = begin + n_blocks / 2 * kBlockSize;
        std::nth_element(
            first, order_.begin() + static_cast<std::ptrdiff_t>(middle), last,
            [&](std::int32_t a, std::int32_t b) { return (sketches_[a] >> bit & 1) < (sketches_[b] >> bit & 1); });
        halve(begin, middle);
        halve(middle, end);
    }

    // The bit that about every other name has.
    std::size_t most_even(std::size_t begin, std::size_t end) const {
        const auto step = (end - begin + kMaxSample - 1) / kMaxSample;
        std::array<std::int64_t, kBits> n_set{};
        std::int64_t n = 0;
        for (auto place = begin; place < end; place += step, ++n)
            for (std::size_t bit = 0; bit < kBits; ++bit) n_set[bit] += sketches_[order_[place]] >> bit & 1;
        const auto evenness = [n](std::int64_t set) { return std::min(set, n - set); };
        return std::max_element(n_set.begin(), n_set.end(), [&](auto a, auto b) { return evenness(a) < evenness(b); }) -
               n_set.begin();
    }

    const Texts& names_;
    std::size_t n_;
    std::vector<std::uint32_t> alphabet_;
    std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
    std::array<std::uint32_t, 0x80> ascii_{};  // numbers of those characters, without looking them up
    std::vector<std::uint8_t> buckets_, levels_;
    std::vector<std::uint64_t> sketches_, others_;
    std::vector<std::int32_t> lengths_, order_, block_starts_{0};
};

auto build_indel(ArrayIn<std::uint8_t> data, ArrayIn<std::int64_t> offsets) {
    const Texts names(data, offsets);
    return IndelBuild(names).arrays();
}

}  // namespace

void bind_indel_build(nb::module_& m) { m.def("build_indel", &build_indel, nb::arg("data"), nb::arg("offsets")); }

}  // namespace deixis
