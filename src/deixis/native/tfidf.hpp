// What the two halves of TF-IDF share: its settings and the n-grams of characters inside a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "unicode.hpp"

namespace deixis {

struct TfidfSettings {
    int ngrams_max = 2;
    int char_ngrams_min = 0, char_ngrams_max = 0;  // 0: none
    FoldOptions fold;

    bool has_chars() const { return char_ngrams_max > 0; }
};

// Calls sink(text, size) for every n-gram of code points of the token with a space on either side, shortest first; a
// padded token shorter than n counts once, whole (as scikit-learn's char_wb analyzer does). `padded` and `starts` are
// scratch memory.
template <typename Sink>
void for_each_char_ngram(const char* token, size_t size, int n_min, int n_max, std::string& padded,
                         std::vector<size_t>& starts, Sink&& sink) {
    padded.assign(1, ' ').append(token, size).append(1, ' ');
    starts.clear();
    for (size_t at = 0; at < padded.size(); ++at)
        if ((static_cast<uint8_t>(padded[at]) & 0xC0) != 0x80) starts.push_back(at);
    const size_t n_chars = starts.size();
    starts.push_back(padded.size());
    for (size_t n = n_min; n <= static_cast<size_t>(n_max); ++n) {
        if (n >= n_chars) {
            sink(padded.data(), padded.size());
            return;
        }
        for (size_t first = 0; first + n <= n_chars; ++first)
            sink(padded.data() + starts[first], starts[first + n] - starts[first]);
    }
}

}  // namespace deixis
