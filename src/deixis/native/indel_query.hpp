// A query of an Indel index, and its longest common subsequence with names.
//
// The LCS is bit-parallel (Hyyro, 2004, "Bit-Parallel LCS-Length Computation Revisited"): a word of the machine holds
// 64 characters of the query, and a character of the name costs a few instructions. Those wait for each other, so
// several names are compared in step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "border.hpp"
#include "indel_names.hpp"
#include "unicode.hpp"

namespace deixis {

inline constexpr size_t kLanes = 4;  // names compared in step

// The characters of a name, as numbers, and how many they are.
struct StoredName {
    const uint8_t *begin, *end;
    int64_t length;
};

using NumberOf = std::unordered_map<uint32_t, uint32_t>;  // of code points

[[noreturn]] inline void damaged_names() { refuse_damaged("index of names"); }

class IndelQuery {
public:
    int64_t length() const { return length_; }        // in code points
    int64_t n_known() const { return n_known_; }      // of them that some name has
    const Counts& counts() const { return counts_; }  // of those

    void read(const uint8_t* text, size_t size, const NumberOf& numbers, size_t n_characters) {
        slots_.resize(n_characters, 0);
        for (const auto number : numbers_) slots_[number] = 0;
        numbers_.clear();
        frequent_.fill(0);
        counts_.fill(0);
        length_ = n_known_ = 0;
        for (size_t at = 0; at < size; ++length_) at += decode_utf8(text, at, size).n_bytes;
        n_words_ = std::max<size_t>(1, static_cast<size_t>(length_ + 63) / 64);
        masks_.assign(n_words_, 0);
        size_t place = 0;
        for (size_t at = 0; at < size; ++place) {
            const auto decoded = decode_utf8(text, at, size);
            at += decoded.n_bytes;
            const auto known = numbers.find(decoded.cp);
            if (known != numbers.end()) add(known->second, place);
        }
        words_.resize(n_words_);
    }

    // The LCS of the query with each of up to kLanes names.
    std::array<int64_t, kLanes> lcs(std::span<const StoredName> names) {
        std::array<int64_t, kLanes> common{};
        if (names.size() == kLanes && n_words_ == 1) return lcs_in_step(names);
        for (size_t lane = 0; lane < names.size(); ++lane)
            common[lane] = n_words_ == 1 ? finished(names[lane], ~uint64_t{0}) : lcs_of_words(names[lane]);
        return common;
    }

private:
    void add(uint32_t number, size_t place) {
        ++n_known_;
        count_character(number, counts_);
        auto& slot = slots_[number];
        if (slot == 0) {
            numbers_.push_back(number);
            slot = static_cast<uint32_t>(numbers_.size());
            masks_.resize(masks_.size() + n_words_, 0);
        }
        const auto bit = uint64_t{1} << place % 64;
        masks_[slot * n_words_ + place / 64] |= bit;
        if (n_words_ == 1 && number < kTwoBytes) frequent_[number] |= bit;
    }

    static uint64_t step(uint64_t word, uint64_t mask) {
        const auto matches = word & mask;
        return (word + matches) | (word - matches);
    }

    // For a query of one word: all names as far as the shortest goes, then each to its end.
    std::array<int64_t, kLanes> lcs_in_step(std::span<const StoredName> names) const {
        std::array<uint64_t, kLanes> words;
        words.fill(~uint64_t{0});
        int64_t n_in_step = names[0].length;
        for (const auto& name : names)  // a name of as many bytes as characters has one byte for each
            n_in_step = name.end - name.begin == name.length ? std::min(n_in_step, name.length) : 0;
        for (int64_t i = 0; i < n_in_step; ++i)
            for (size_t lane = 0; lane < kLanes; ++lane)
                words[lane] = step(words[lane], frequent_[names[lane].begin[i]]);
        std::array<int64_t, kLanes> common;
        for (size_t lane = 0; lane < kLanes; ++lane)
            common[lane] =
                finished({names[lane].begin + n_in_step, names[lane].end, names[lane].length - n_in_step}, words[lane]);
        return common;
    }

    int64_t finished(StoredName rest, uint64_t word) const {
        for (; rest.begin != rest.end; --rest.length)
            word = step(word, *rest.begin < kTwoBytes ? frequent_[*rest.begin++] : masks_[next_slot(rest)]);
        if (rest.length != 0) damaged_names();
        return static_cast<int64_t>(n_bits(~word));
    }

    int64_t lcs_of_words(StoredName rest) {
        std::fill(words_.begin(), words_.end(), ~uint64_t{0});
        for (; rest.begin != rest.end; --rest.length) {
            const auto* masks = masks_.data() + next_slot(rest) * n_words_;
            uint64_t carry = 0;
            for (size_t i = 0; i < n_words_; ++i) {
                const auto matches = words_[i] & masks[i];
                const auto half = words_[i] + carry, sum = half + matches;
                carry = (half < carry) | (sum < matches);
                words_[i] = sum | (words_[i] - matches);
            }
        }
        if (rest.length != 0) damaged_names();
        int64_t n = 0;
        for (const auto word : words_) n += static_cast<int64_t>(n_bits(~word));
        return n;
    }

    // The place of the next character in the masks; the name then begins behind it.
    uint32_t next_slot(StoredName& rest) const {
        uint32_t number = *rest.begin++;
        if (number >= kTwoBytes) {
            number &= 0x7f;
            for (int shift = 7;; shift += 7) {
                if (rest.begin == rest.end || shift > 14) damaged_names();
                number |= (*rest.begin & 0x7fu) << shift;
                if (*rest.begin++ < kTwoBytes) break;
            }
        }
        if (number >= slots_.size()) damaged_names();
        return slots_[number];
    }

    static constexpr uint32_t kTwoBytes = 0x80;  // numbers from here on have more than one byte

    int64_t length_ = 0, n_known_ = 0;
    Counts counts_{};
    size_t n_words_ = 1;             // of 64 characters each
    std::vector<uint32_t> numbers_;  // of its different characters
    std::vector<uint32_t> slots_;    // of each character of the names: its place in the masks; 0 if the query lacks it
    std::vector<uint64_t> masks_;    // for each place: where the character stands, n_words_ after n_words_
    std::array<uint64_t, 256> frequent_{};  // the masks of numbers of one byte, if n_words_ is 1; 0 from kTwoBytes on
    std::vector<uint64_t> words_;           // scratch
};

}  // namespace deixis
