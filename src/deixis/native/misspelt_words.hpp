// Words of a list that a word of a text differs from by one letter, or by two that changed places.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "token_table.hpp"

namespace deixis {

// Looks words up with each change of one letter. Nearly none has a word of the list so near: two words that differ by
// one letter are equal once a letter is taken out of one of them, or one out of each, so a filter of all words, each
// whole and without each of its letters, says of nearly every other word that there is nothing to look up. The filter
// is made when as many words were looked up as make it worth its cost; what is found does not depend on it.
class MisspeltWords {
public:
    explicit MisspeltWords(const TokenTable& words) : words_(words) {}

    // The number of such a word of the list; -1. The first letter is hardly ever the wrong one.
    int32_t find(std::string_view word) const {
        if (word.size() < kMin || word.size() > kMax || !is_plain(word)) return -1;
        if (n_looked_up_.fetch_add(1, std::memory_order_relaxed) >= words_.size() / kWordsPerLookup) {
            std::call_once(is_made_, [&] { make_filter(); });
            if (!may_be_near(word)) return -1;
        }
        return look_up(word);
    }

private:
    static constexpr size_t kMin = 6, kMax = 24;  // letters of words that may be one letter away from another
    static constexpr size_t kWordsPerLookup = 8;  // of the list: as long as a look-up takes, that many are filtered
    static constexpr size_t kBitsPerWord = 12;    // at least, for each word whole or without a letter
    static constexpr size_t kInCache = size_t{1} << 14;  // words of a list whose table stays in a near cache

    static bool is_plain(std::string_view word) {
        return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    }

    static uint64_t hash(std::string_view word) { return hash_bytes(word.data(), word.size()); }

    // Calls a function with the hash of the word whole, and of it without each letter but the first, until it is true.
    template <typename Fn>
    static bool any_part(std::string_view word, Fn&& fn) {
        if (fn(hash(word))) return true;
        char rest[kMax + 1];
        std::copy(word.begin() + 1, word.end(), rest);  // without the first letter; then the letters before come back
        for (size_t at = 1; at < word.size(); ++at) {
            rest[at - 1] = word[at - 1];
            if (fn(hash({rest, word.size() - 1}))) return true;
        }
        return false;
    }

    void make_filter() const {
        size_t n_parts = 0;
        each_word([&](std::string_view word) { n_parts += word.size(); });
        size_t n_bits = 64;
        while (n_bits < kBitsPerWord * n_parts) n_bits *= 2;
        bits_.assign(n_bits / 64, 0);
        each_word([&](std::string_view word) {
            any_part(word, [&](uint64_t hash) {
                for (const uint64_t bit : {hash, hash >> 32 | hash << 32}) bits_[place(bit)] |= mask(bit);
                return false;
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

    bool may_be_near(std::string_view word) const {
        return any_part(word, [&](uint64_t hash) {
            const uint64_t other = hash >> 32 | hash << 32;
            return (bits_[place(hash)] & mask(hash)) && (bits_[place(other)] & mask(other));
        });
    }

    int32_t look_up(std::string_view word) const {
        static thread_local std::vector<uint64_t> hashes;
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
                changed.assign(word).erase(at, 1);
                if (is_found()) return;
            }
        });
        if (id >= 0) return id;
        id = first([&](auto&& is_found) {  // two changed places
            changed.assign(word);
            for (size_t at = 1; at + 1 < word.size(); ++at) {
                std::swap(changed[at], changed[at + 1]);
                if (is_found()) return;
                std::swap(changed[at], changed[at + 1]);
            }
        });
        if (id >= 0) return id;
        id = first([&](auto&& is_found) {  // one is missing
            for (size_t at = 1; at <= word.size(); ++at) {
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
