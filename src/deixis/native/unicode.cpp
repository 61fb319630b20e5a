// Normal forms, case folding and UTF-8, by the tables of unicode_tables.inc.
#include "unicode.hpp"

#include <algorithm>
#include <iterator>

namespace deixis {
namespace {

namespace tables {
#include "unicode_tables.inc"
}

constexpr uint32_t kHangulS = 0xAC00, kHangulL = 0x1100, kHangulV = 0x1161, kHangulT = 0x11A7;
constexpr uint32_t kCountL = 19, kCountV = 21, kCountT = 28, kCountS = kCountL * kCountV * kCountT;

// Zero when the two do not compose; no composition gives U+0000.
uint32_t composed(uint32_t first, uint32_t second) {
    if (first - kHangulL < kCountL && second - kHangulV < kCountV)
        return kHangulS + ((first - kHangulL) * kCountV + (second - kHangulV)) * kCountT;
    if (first - kHangulS < kCountS && (first - kHangulS) % kCountT == 0 && second - kHangulT - 1 < kCountT - 1)
        return first + (second - kHangulT);
    const uint64_t key = uint64_t{first} << 32 | second;
    const auto* found = std::lower_bound(std::begin(tables::pair_keys), std::end(tables::pair_keys), key);
    if (found == std::end(tables::pair_keys) || *found != key) return 0;
    return tables::pair_values[found - std::begin(tables::pair_keys)];
}

void append_decomposition(uint32_t cp, std::vector<uint32_t>& out) {
    if (cp - kHangulS < kCountS) {
        const uint32_t s = cp - kHangulS;
        out.push_back(kHangulL + s / (kCountV * kCountT));
        out.push_back(kHangulV + s % (kCountV * kCountT) / kCountT);
        if (s % kCountT != 0) out.push_back(kHangulT + s % kCountT);
        return;
    }
    const uint16_t at = char_record(cp).decomposition;
    if (at == 0)
        out.push_back(cp);
    else
        out.insert(out.end(), tables::pool + at + 1, tables::pool + at + 1 + tables::pool[at]);
}

void order_marks(std::vector<uint32_t>& cps) {
    for (size_t begin = 0; begin < cps.size();) {
        if (char_record(cps[begin]).combining == 0) {
            ++begin;
            continue;
        }
        size_t end = begin + 1;
        while (end < cps.size() && char_record(cps[end]).combining != 0) ++end;
        std::stable_sort(cps.begin() + begin, cps.begin() + end,
                         [](uint32_t a, uint32_t b) { return char_record(a).combining < char_record(b).combining; });
        begin = end;
    }
}

bool is_continuation(const uint8_t* text, size_t at, size_t size) { return at < size && (text[at] & 0xC0) == 0x80; }

}  // namespace

// Canonical composition in place (Unicode Standard, section 3.11, D117).
void compose(std::vector<uint32_t>& cps) {
    constexpr size_t kNone = static_cast<size_t>(-1);
    size_t starter = kNone, length = 0;
    int last_class = 0;
    for (size_t at = 0; at < cps.size(); ++at) {
        const uint32_t cp = cps[at];
        const int combining = char_record(cp).combining;
        const bool is_adjacent = starter != kNone && starter + 1 == length;
        if (starter != kNone && (is_adjacent || (last_class < combining && last_class != 0))) {
            if (const uint32_t both = composed(cps[starter], cp)) {
                cps[starter] = both;
                continue;
            }
        }
        if (combining == 0) starter = length;
        last_class = combining;
        cps[length++] = cp;
    }
    cps.resize(length);
}

void decompose(std::vector<uint32_t>& cps, std::vector<uint32_t>& scratch) {
    scratch.clear();
    for (const uint32_t cp : cps) append_decomposition(cp, scratch);
    order_marks(scratch);
    cps.swap(scratch);
}

void nfkc(std::vector<uint32_t>& cps, std::vector<uint32_t>& scratch) {
    decompose(cps, scratch);
    compose(cps);
}

void drop_ignorable(std::vector<uint32_t>& cps) {
    std::erase_if(cps, [](uint32_t cp) { return char_record(cp).is_ignorable(); });
}

bool casefold(std::vector<uint32_t>& cps, std::vector<uint32_t>& scratch) {
    scratch.clear();
    bool has_changed = false;
    for (const uint32_t cp : cps) {
        const uint16_t at = char_record(cp).fold;
        if (at == 0) {
            scratch.push_back(cp);
            continue;
        }
        has_changed = true;
        scratch.insert(scratch.end(), tables::pool + at + 1, tables::pool + at + 1 + tables::pool[at]);
    }
    cps.swap(scratch);
    return has_changed;
}

const char* unicode_version() { return tables::unicode_version; }

const CharRecord& char_record(uint32_t cp) {
    if (cp > 0x10FFFF) cp = kReplacementCharacter;
    const size_t block = tables::stage1[cp / tables::block_size];
    return tables::records[tables::stage2[block * tables::block_size + cp % tables::block_size]];
}

Decoded decode_utf8_slow(const uint8_t* text, size_t at, size_t size) {
    const uint8_t lead = text[at];
    if (lead < 0xC2 || lead > 0xF4) return {kReplacementCharacter, 1};
    if (!is_continuation(text, at + 1, size)) return {kReplacementCharacter, 1};
    const uint8_t second = text[at + 1];
    if (lead < 0xE0) return {(lead & 0x1Fu) << 6 | (second & 0x3Fu), 2};
    // Overlong forms, surrogates and numbers past U+10FFFF break off after their first byte.
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
        return {kReplacementCharacter, 1};
    if (!is_continuation(text, at + 2, size)) return {kReplacementCharacter, 2};
    const uint32_t upper = (second & 0x3Fu) << 6 | (text[at + 2] & 0x3Fu);
    if (lead < 0xF0) return {(lead & 0x0Fu) << 12 | upper, 3};
    if (!is_continuation(text, at + 3, size)) return {kReplacementCharacter, 3};
    return {(lead & 0x07u) << 18 | upper << 6 | (text[at + 3] & 0x3Fu), 4};
}

void append_utf8(uint32_t cp, std::string& out) {
    if (cp < 0x80) {
        out.push_back(static_cast<char>(cp));
    } else if (cp < 0x800) {
        out.push_back(static_cast<char>(0xC0 | cp >> 6));
        out.push_back(static_cast<char>(0x80 | (cp & 0x3F)));
    } else if (cp < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | cp >> 12));
        out.push_back(static_cast<char>(0x80 | (cp >> 6 & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (cp & 0x3F)));
    } else {
        out.push_back(static_cast<char>(0xF0 | cp >> 18));
        out.push_back(static_cast<char>(0x80 | (cp >> 12 & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (cp >> 6 & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (cp & 0x3F)));
    }
}

void fold(const uint32_t* cps, size_t n, FoldOptions options, FoldScratch& scratch, std::string& out) {
    const bool all_simple = std::all_of(cps, cps + n, [](uint32_t cp) { return char_record(cp).is_simple(); });
    if (all_simple) {
        for (size_t i = 0; i < n; ++i) {
            const uint16_t at = options.casefold ? char_record(cps[i]).fold : 0;
            append_utf8(at == 0 ? cps[i] : tables::pool[at + 1], out);
        }
        return;
    }
    scratch.first.assign(cps, cps + n);
    if (options.nfkc) {
        drop_ignorable(scratch.first);
        nfkc(scratch.first, scratch.second);
    }
    if (options.casefold && casefold(scratch.first, scratch.second) && options.nfkc)
        nfkc(scratch.first, scratch.second);
    for (const uint32_t cp : scratch.first) append_utf8(cp, out);
}

}  // namespace deixis
