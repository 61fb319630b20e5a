// Words of a language, and the writing of names, for all that compares names with texts by stems.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "name_tokens.hpp"
#include "texts.hpp"
#include "token_table.hpp"

namespace deixis {

// How the names that end at a node are written in the list.
enum NodeWriting : uint8_t {
    kIsName = 1,
    kInLower = 2,
    kInTitleCase = 4,
    kInCapitals = 8,
    kInMixedCase = 16,
    kEndsPossessive = 32,  // McDonald's
};

inline uint8_t writing_of(const Casing& casing) {
    if (casing.n_letters == 0) return kInMixedCase;
    if (casing.is_all_upper() && casing.n_letters > 1) return kInCapitals;
    if (casing.begins_upper) return kInTitleCase;
    return casing.begins_lower && !casing.has_upper ? kInLower : kInMixedCase;
}

// Words of a language, how frequent they are, how often they stand in lower case, and which are stop words.
class WordTable {
public:
    WordTable(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, ArrayIn<float> log_counts, ArrayIn<float> lower_shares,
              ArrayIn<uint8_t> is_stop) {
        const Texts words(data, offsets);
        check_size("log_counts", log_counts, words.size(), "one for each word");
        check_size("lower_shares", lower_shares, words.size(), "one for each word");
        check_size("is_stop", is_stop, words.size(), "one for each word");
        NameTokenizer tokenizer;
        float least = words.size() ? std::numeric_limits<float>::max() : 0.0f;
        for (size_t i = 0; i < words.size(); ++i)
            tokenizer.run(words.text(i), words.length(i), [&](const NameToken& word) {
                const size_t n = stems_.size();
                const auto id = stems_.add(word.stem.data(), word.stem.size(), hash(word.stem));
                if (id < n) return;
                words_.push_back({log_counts.data()[i], lower_shares.data()[i], is_stop.data()[i] != 0});
                if (!words_.back().is_stop) least = std::min(least, words_.back().log_count);
            });
        unknown_ = {least - std::log10(2.0f), 0.5f, false};
    }

    struct Word {
        float log_count, lower_share;
        bool is_stop;
    };

    static uint64_t hash(std::string_view stem) { return hash_bytes(stem.data(), stem.size()); }
    int32_t find(std::string_view stem, uint64_t hash) const {
        return static_cast<int32_t>(stems_.find(stem.data(), stem.size(), hash));
    }
    const Word& word(int32_t number) const { return number < 0 ? unknown_ : words_[static_cast<size_t>(number)]; }

private:
    TokenBuilder stems_;
    std::vector<Word> words_;
    Word unknown_{0.0f, 0.5f, false};
};

}  // namespace deixis
