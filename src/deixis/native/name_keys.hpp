// Comparable keys of names: names with equal keys count as the same name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deixis {

struct KeyOptions {
    bool ignores_case, keeps_dotless_i, ignores_punctuation, ignores_diacritics;
};

// As `NameFormsConfig.loose` has it.
inline constexpr KeyOptions kLoose{true, false, true, true};

class KeyMaker {
public:
    // Appends the key of a name.
    void append(const uint8_t* text, size_t size, KeyOptions options, bool is_turkic, std::string& out);

private:
    void fold_ascii(KeyOptions options);
    void fold_unicode(KeyOptions options, bool is_turkic);
    void append_spaced(std::string& out) const;

    std::vector<uint32_t> cps_, scratch_;
};

inline constexpr size_t kBeginning = 4;  // letters that a name and what is said of its people begin with

// The first four letters of a key as a number; 0 if it is shorter, or has several words. A letter beyond ASCII has
// several bytes, so of those of four letters eight count.
inline uint64_t beginning_of(const uint8_t* key, size_t size) {
    if (size < kBeginning || std::find(key, key + size, ' ') != key + size) return 0;
    const bool is_ascii = std::all_of(key, key + kBeginning, [](uint8_t byte) { return byte < 0x80; });
    const size_t n_bytes = is_ascii ? kBeginning : 2 * kBeginning;
    if (size < n_bytes) return 0;
    uint64_t number = 0;
    for (size_t i = 0; i < n_bytes; ++i) number = number << 8 | key[i];
    return number;
}

}  // namespace deixis
