// Words of a list that a word of a text differs from by one letter, or by two that changed places.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "token_table.hpp"

namespace deixis {

// Looks words up with each change of one letter. Nearly none has a word of the list so near: two words that differ by
// one letter are equal once a letter is taken out of one of them, or one out of each, so a filter of all words, each
// whole and without each of its letters, says of nearly every other word that there is nothing to look up, and of the
// rest where the change would be. The filter is made when as many words were looked up as make it worth its cost; what
// is found does not depend on it.
class MisspeltWords {
public:
    explicit MisspeltWords(const TokenTable& words) : words_(words) {}

    // The number of such a word of the list; -1. The first letter is hardly ever the wrong one.
    int32_t find(std::string_view word) const {
        if (word.size() < kMin || word.size() > kMax || !is_plain(word)) return -1;
        uint32_t parts = kAllParts;
        if (n_looked_up_.fetch_add(1, std::memory_order_relaxed) >= words_.size() / kWordsPerLookup) {
            std::call_once(is_made_, [&] { make_filter(); });
            parts = known_parts(word);
        }
        return parts == 0 ? -1 : look_up(word, parts);
    }

private:
    static constexpr size_t kMin = 6, kMax = 24;  // letters of words that may be one letter away from another
    static constexpr uint32_t kAllParts = ~uint32_t{0};
    static constexpr size_t kWordsPerLookup = 128;  // of the list: as long as a look-up takes, that many are filtered
    static constexpr size_t kBitsPerWord = 12;      // at least, for each word whole or without a letter
    static constexpr size_t kInCache = size_t{1} << 14;  // words of a list whose table stays in a near cache

    static bool is_plain(std::string_view word) {
        return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    }

    static uint64_t hash(std::string_view word) { return hash_bytes(word.data(), word.size()); }

    // The first powers of an odd number.
    static constexpr auto kPowers = [] {
        std::array<uint64_t, kMax + 1> powers{1};
        for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * kGolden64;
        return powers;
    }();

    // Calls a function with the number of each part of a word and its hash: 0 for the word whole, and for the word
    // without each letter but the first the place of that letter. Letters are the digits of a number, from the lowest
    // on, so that where one is taken out all after it move down by a place.
    template <typename Fn>
    static void each_part(std::string_view word, Fn&& fn) {
        uint64_t whole = 0;
        for (size_t at = word.size(); at-- > 0;) whole = whole * kGolden64 + static_cast<uint8_t>(word[at]);
        fn(size_t{0}, mix_hash(whole));
        uint64_t after = 0;  // the number of the letters from the next place on
        for (size_t at = word.size(); at-- > 1;) {
            const uint64_t from_here = after * kGolden64 + static_cast<uint8_t>(word[at]);
            fn(at, mix_hash(whole - (from_here - after) * kPowers[at]));
            after = from_here;
        }
    }

    void make_filter() const {
        size_t n_parts = 0;
        each_word([&](std::string_view word) { n_parts += word.size(); });
        size_t n_bits = 64;
        while (n_bits < kBitsPerWord * n_parts) n_bits *= 2;
        bits_.assign(n_bits / 64, 0);
        each_word([&](std::string_view word) {
            each_part(word, [&](size_t, uint64_t hash) {
                for (const uint64_t bit : {hash, hash >> 32 | hash << 32}) bits_[place(bit)] |= mask(bit);
            });
        });
    }

    template <typename Fn>
    void each_word(Fn&& fn) const {
        for (size_t id = 0; id < words_.size(); ++id) {
            const std::string_view word = words_.text(id);
            if (word.size() + 1 >= kMin && word.size() <= kMax + 1 && is_plain(word)) fn(word);
        }
    }

    size_t place(uint64_t bit) const { return static_cast<size_t>(bit / 64) & (bits_.size() - 1); }
    static uint64_t mask(uint64_t bit) { return uint64_t{1} << (bit % 64); }

    // The parts of a word, a bit each, that are parts of words of the list, too, and hardly any others.
    uint32_t known_parts(std::string_view word) const {
        uint32_t parts = 0;
        each_part(word, [&](size_t part, uint64_t hash) {
            const uint64_t other = hash >> 32 | hash << 32;
            const bool is_known = (bits_[place(hash)] & mask(hash)) && (bits_[place(other)] & mask(other));
            parts |= static_cast<uint32_t>(is_known) << part;
        });
        return parts;
    }

    // What is equal to a word of the list after a change at some place is so, too, without the letter there; where one
    // is missing, the word whole is.
    int32_t look_up(std::string_view word, uint32_t parts) const {
        const auto is_known = [&](size_t part) { return (parts >> part & 1) != 0; };
        static thread_local std::vector<uint64_t> kept;
        auto& hashes = kept;  // found in the thread once
        std::string changed;
        const auto id_of = [&](uint64_t hash) { return words_.find(changed.data(), changed.size(), hash); };
        // The first of some changed words that the list has; all of them wait for memory together.
        const auto first = [&](auto&& each_change) {
            int32_t found = -1;
            if (words_.size() < kInCache) {
                each_change([&] { return (found = id_of(hash(changed))) >= 0; });
                return found;
            }
            hashes.clear();
            each_change([&] {
                hashes.push_back(hash(changed));
                words_.ask_slot(hashes.back());
                return false;
            });
            size_t n_looked_up = 0;
            each_change([&] { return (found = id_of(hashes[n_looked_up++])) >= 0; });
            return found;
        };
        int32_t id = first([&](auto&& is_found) {  // a letter too many
            for (size_t at = 1; at < word.size(); ++at) {
                if (!is_known(at)) continue;
                changed.assign(word).erase(at, 1);
                if (is_found()) return;
            }
        });
        if (id >= 0) return id;
        id = first([&](auto&& is_found) {  // two changed places
            changed.assign(word);
            for (size_t at = 1; at + 1 < word.size(); ++at) {
                if (!is_known(at) || !is_known(at + 1)) continue;
                std::swap(changed[at], changed[at + 1]);
                if (is_found()) return;
                std::swap(changed[at], changed[at + 1]);
            }
        });
        if (id >= 0) return id;
        id = first([&](auto&& is_found) {  // one is missing
            for (size_t at = 1; at <= word.size() && is_known(0); ++at) {
                changed.assign(word).insert(at, 1, 'a');
                for (char c = 'a'; c <= 'z'; ++c) {
                    changed[at] = c;
                    if (is_found()) return;
                }
            }
        });
        if (id >= 0) return id;
        return first([&](auto&& is_found) {  // another letter
            changed.assign(word);
            for (size_t at = 1; at < word.size(); ++at) {
                if (!is_known(at)) continue;
                for (char c = 'a'; c <= 'z'; ++c) {
                    changed[at] = c;
                    if (is_found()) return;
                }
                changed[at] = word[at];
            }
        });
    }

    const TokenTable& words_;
    mutable std::atomic<size_t> n_looked_up_{0};
    mutable std::once_flag is_made_;
    mutable std::vector<uint64_t> bits_;
};

}  // namespace deixis
