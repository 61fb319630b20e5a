// What the core knows of Unicode: UTF-8, character classes, case folding and NFKC. The tables are made by
// tools/make_unicode_tables.py; their version is unicode_version().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deixis {

// How the tokenizer sees a character. tools/make_unicode_tables.py reads the numbers here.
enum class CharClass : uint8_t {
    kOther = 0,        // symbols and the like: separates tokens
    kWord = 1,         // letters and numbers: runs of them are tokens
    kUnspaced = 2,     // Han, kana, Thai, Lao, Khmer, Myanmar: each is a token
    kMark = 3,         // belongs to the character before it
    kJoiner = 4,       // invisible inside a word
    kPunctuation = 5,  // separates tokens, as spaces do
    kSpace = 6,
};

// What else is known of it, a bit each, above the class in the low three bits.
enum CharFlag : uint8_t {
    kSimple = 8,  // folds to one character, or none, that NFKC leaves alone
    kUpper = 16,
    kLower = 32,
    kNumber = 64,
    kIgnorable = 128,
};

// The two last numbers are places in the pool of sequences.
struct CharRecord {
    uint8_t flags;
    uint8_t combining;
    uint16_t fold;
    uint16_t decomposition;

    CharClass char_class() const { return static_cast<CharClass>(flags & 7); }
    bool is_simple() const { return flags & kSimple; }
    bool is_upper() const { return flags & kUpper; }
    bool is_lower() const { return flags & kLower; }
    bool is_number() const { return flags & kNumber; }
    bool is_ignorable() const { return flags & kIgnorable; }
};

const CharRecord& char_record(uint32_t cp);
const char* unicode_version();

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

// The code point at text[at] (at < size) and how many bytes it takes. Bytes that are no UTF-8 count as one U+FFFD per
// broken sequence, as Python's errors="replace" does.
struct Decoded {
    uint32_t cp;
    uint32_t n_bytes;
};
Decoded decode_utf8_slow(const uint8_t* text, size_t at, size_t size);

inline Decoded decode_utf8(const uint8_t* text, size_t at, size_t size) {
    if (text[at] < 0x80) return {text[at], 1};
    return decode_utf8_slow(text, at, size);
}

void append_utf8(uint32_t cp, std::string& out);

struct FoldOptions {
    bool nfkc = true;
    bool casefold = true;
};

// Scratch memory of fold(); one per thread.
struct FoldScratch {
    std::vector<uint32_t> first, second;
};

// Appends the folded form of the code points to `out` as UTF-8. With nfkc, invisible characters are dropped and the
// rest is put into NFKC; with casefold, full case folding follows, and NFKC once more if that changed anything.
void fold(const uint32_t* cps, size_t n, FoldOptions options, FoldScratch& scratch, std::string& out);

// The steps of folding, each on the code points where they are.
void drop_ignorable(std::vector<uint32_t>& cps);
void nfkc(std::vector<uint32_t>& cps, std::vector<uint32_t>& scratch);
bool casefold(std::vector<uint32_t>& cps, std::vector<uint32_t>& scratch);   // whether anything changed
void decompose(std::vector<uint32_t>& cps, std::vector<uint32_t>& scratch);  // NFKD
void compose(std::vector<uint32_t>& cps);

}  // namespace deixis
