// Names to comparable keys, many at once: spaces made one, and as asked without differences of case, punctuation and
// diacritics. Each name by itself, so threads do not change the result.
#include "name_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "parallel.hpp"
#include "string_hash.hpp"
#include "texts.hpp"
#include "unicode.hpp"

namespace deixis {
namespace {

constexpr uint32_t kDottedCapitalI = 0x130, kDotlessI = 0x131, kDotAbove = 0x307, kDiaeresis = 0x308;
constexpr uint32_t kGrave = 0x300, kAcute = 0x301, kTatweel = 0x640;

using CodePoints = std::vector<uint32_t>;

bool is_within(uint32_t cp, uint32_t first, uint32_t last) { return first <= cp && cp <= last; }

bool is_latin_or_greek(uint32_t cp) {
    return cp < 0x250 || is_within(cp, 0x250, 0x2AF) || is_within(cp, 0x370, 0x3FF) || is_within(cp, 0x1D00, 0x1DBF) ||
           is_within(cp, 0x1E00, 0x1FFF) || is_within(cp, 0x2C60, 0x2C7F) || is_within(cp, 0xA720, 0xA7FF);
}

bool is_cyrillic_vowel(uint32_t cp) {
    static constexpr char32_t kVowels[] = U"аеиоуыэюяіє";
    const uint32_t lower = is_within(cp, 0x410, 0x42F) ? cp + 0x20 : is_within(cp, 0x400, 0x40F) ? cp + 0x50 : cp;
    return std::find(std::begin(kVowels), std::end(kVowels) - 1, lower) != std::end(kVowels) - 1;
}

// Whether a mark on this letter only says how to read it. In Cyrillic й and ї are letters of their own; a kana's
// voicing mark and the vowel signs of India and South-East Asia are letters too.
bool is_accent(uint32_t mark, uint32_t base) {
    if (is_within(mark, 0x591, 0x5C7)) return true;  // Hebrew points
    if (is_within(mark, 0x64B, 0x65F) || mark == 0x670 || is_within(mark, 0x6D6, 0x6ED))
        return true;  // Arabic kVowels, hamza
    const bool is_general = is_within(mark, 0x300, 0x36F) || is_within(mark, 0x1AB0, 0x1AFF) ||
                            is_within(mark, 0x1DC0, 0x1DFF) || is_within(mark, 0x20D0, 0x20FF);
    if (!is_general) return false;
    if (is_latin_or_greek(base)) return true;
    if (mark == kAcute || mark == kGrave) return is_cyrillic_vowel(base);
    return mark == kDiaeresis && (base == U'е' || base == U'Е');
}

// What a letter that Unicode does not take apart is written as without its stroke or joint; null for all others.
const char* plain_letters(uint32_t cp) {
    switch (cp) {
    case U'ß': return "ss";
    case U'ẞ': return "SS";
    case U'æ': return "ae";
    case U'Æ': return "Ae";
    case U'œ': return "oe";
    case U'Œ': return "Oe";
    case U'ø': return "o";
    case U'Ø': return "O";
    case U'ł': return "l";
    case U'Ł': return "L";
    case U'đ':
    case U'ð': return "d";
    case U'Đ':
    case U'Ð': return "D";
    case U'þ': return "th";
    case U'Þ': return "Th";
    case U'ħ': return "h";
    case U'Ħ': return "H";
    case U'ŧ': return "t";
    case U'Ŧ': return "T";
    case U'ŋ': return "n";
    case U'Ŋ': return "N";
    case U'ı': return "i";
    case U'ə': return "e";
    case U'Ə': return "E";
    default: return nullptr;
    }
}

void drop_diacritics(CodePoints& cps, CodePoints& scratch) {
    decompose(cps, scratch);
    scratch.clear();
    uint32_t base = 0;
    for (const uint32_t cp : cps) {
        const bool is_mark = char_record(cp).char_class() == CharClass::kMark;
        if (!is_mark) base = cp;
        if (cp == kTatweel || (is_mark && is_accent(cp, base))) continue;
        if (const char* plain = plain_letters(cp))
            scratch.insert(scratch.end(), plain, plain + std::strlen(plain));
        else
            scratch.push_back(cp);
    }
    cps.swap(scratch);
    compose(cps);
}

// Case folding as Unicode has it, but for the four letters i: the dotted capital is an i with nothing above it. In
// Turkish and Azeri I is the capital of the dotless letter; where that is not kept apart, all four are one.
void ignore_case(CodePoints& cps, CodePoints& scratch, bool keeps_dotless_i, bool is_turkic) {
    bool has_changed = false;  // then a mark that follows may join the i
    for (uint32_t& cp : cps) {
        if (cp == U'I' && keeps_dotless_i && is_turkic) cp = kDotlessI;
        has_changed |= cp == kDottedCapitalI;
        if (cp == kDottedCapitalI) cp = U'i';
    }
    if (casefold(cps, scratch)) nfkc(cps, scratch);
    size_t length = 0;
    for (const uint32_t cp : cps) {
        has_changed |= cp == kDotlessI && !keeps_dotless_i;
        if (cp == kDotAbove && length > 0 && cps[length - 1] == U'i') continue;
        cps[length++] = cp == kDotlessI && !keeps_dotless_i ? U'i' : cp;
    }
    has_changed |= length < cps.size();
    cps.resize(length);
    if (has_changed) nfkc(cps, scratch);
}

bool is_word(const CodePoints& cps, size_t at) {
    if (at >= cps.size()) return false;
    const CharClass kind = char_record(cps[at]).char_class();
    return kind == CharClass::kWord || kind == CharClass::kUnspaced || kind == CharClass::kMark;
}

bool is_space(uint32_t cp) { return char_record(cp).char_class() == CharClass::kSpace; }

bool is_apostrophe(uint32_t cp) {
    return cp == '\'' || cp == '`' || is_within(cp, 0x2018, 0x201B) || cp == 0x2032 || cp == 0x5F3 || cp == 0x5F4 ||
           cp == 0x2BC;
}

// Whether a dot ends an initial: one letter that stands alone.
bool ends_initial(const CodePoints& cps, size_t at) {
    if (at == 0 || at >= cps.size() || cps[at] != '.') return false;
    return is_word(cps, at - 1) && !char_record(cps[at - 1]).is_number() && (at == 1 || !is_word(cps, at - 2));
}

// Apostrophes and the dots of initials go (O'Neill, U.N., J. R. R.), other punctuation becomes a space. Signs that tell
// names apart stay: C++, C#, AT&T.
void drop_punctuation(CodePoints& cps, CodePoints& scratch) {
    scratch.clear();
    for (size_t at = 0; at < cps.size(); ++at) {
        const uint32_t cp = cps[at];
        if (is_apostrophe(cp)) continue;
        if (ends_initial(cps, at)) {
            size_t next = at + 1;
            while (next < cps.size() && is_space(cps[next])) ++next;
            if (ends_initial(cps, next + 1)) at = next - 1;
            continue;
        }
        const bool is_kept = cp == '#' || cp == '&' || cp == '%' || cp == '@';
        scratch.push_back(!is_kept && char_record(cp).char_class() == CharClass::kPunctuation ? U' ' : cp);
    }
    if (std::any_of(scratch.begin(), scratch.end(), [](uint32_t cp) { return !is_space(cp); })) cps.swap(scratch);
}

}  // namespace

void KeyMaker::append(const uint8_t* text, size_t size, KeyOptions options, bool is_turkic, std::string& out) {
    bool is_ascii = true;
    cps_.clear();
    for (size_t at = 0; at < size;) {
        const Decoded decoded = decode_utf8(text, at, size);
        is_ascii &= decoded.cp < 0x80;
        cps_.push_back(decoded.cp);
        at += decoded.n_bytes;
    }
    if (is_ascii && !(is_turkic && options.keeps_dotless_i))
        fold_ascii(options);
    else
        fold_unicode(options, is_turkic);
    if (options.ignores_punctuation) drop_punctuation(cps_, scratch_);
    append_spaced(out);
}

void KeyMaker::fold_ascii(KeyOptions options) {
    if (!options.ignores_case) return;
    for (uint32_t& cp : cps_)
        if (is_within(cp, 'A', 'Z')) cp += 0x20;
}

void KeyMaker::fold_unicode(KeyOptions options, bool is_turkic) {
    drop_ignorable(cps_);
    nfkc(cps_, scratch_);
    if (options.ignores_case) ignore_case(cps_, scratch_, options.keeps_dotless_i, is_turkic);
    if (options.ignores_diacritics) drop_diacritics(cps_, scratch_);
}

// Runs of spaces become one; none at either end.
void KeyMaker::append_spaced(std::string& out) const {
    const size_t begin = out.size();
    bool is_pending = false;
    for (const uint32_t cp : cps_) {
        if (is_space(cp)) {
            is_pending = out.size() > begin;
            continue;
        }
        if (is_pending) out.push_back(' ');
        is_pending = false;
        append_utf8(cp, out);
    }
}

namespace {

auto name_keys(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, ArrayIn<uint8_t> is_turkic, bool ignores_case,
               bool keeps_dotless_i, bool ignores_punctuation, bool ignores_diacritics, int n_threads) {
    const Texts names(data, offsets);
    const bool has_turkic = is_turkic.shape(0) > 0;
    if (has_turkic) check_size("is_turkic", is_turkic, names.size(), "one for each name");
    const KeyOptions options{ignores_case, keeps_dotless_i, ignores_punctuation, ignores_diacritics};
    const auto bounds = names.chunks(1 << 18);
    std::vector<std::string> chunks(bounds.size() - 1);
    std::vector<int64_t> ends(names.size() + 1, 0);  // of each key in its chunk
    parallel_for(chunks.size(), n_threads, [&](size_t chunk) {
        KeyMaker maker;
        for (size_t i = bounds[chunk]; i < bounds[chunk + 1]; ++i) {
            const bool is_own = has_turkic && is_turkic.data()[i] != 0;
            maker.append(names.text(i), names.length(i), options, is_own, chunks[chunk]);
            ends[i + 1] = static_cast<int64_t>(chunks[chunk].size());
        }
    });
    std::vector<uint8_t> joined;
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        for (size_t i = bounds[chunk]; i < bounds[chunk + 1]; ++i) ends[i + 1] += static_cast<int64_t>(joined.size());
        joined.insert(joined.end(), chunks[chunk].begin(), chunks[chunk].end());
    }
    return std::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(joined)));
}

// Two numbers of 16 bits for each name: what it is called as written, and below that in whichever case.
ArrayOut<uint32_t> name_spellings(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, int n_threads) {
    const Texts names(data, offsets);
    const auto bounds = names.chunks(1 << 18);
    std::vector<uint32_t> spellings(names.size(), 0);
    parallel_for(bounds.size() - 1, n_threads, [&](size_t chunk) {
        KeyMaker maker;
        std::string key;
        for (size_t i = bounds[chunk]; i < bounds[chunk + 1]; ++i) {
            for (const bool ignores_case : {false, true}) {
                key.clear();
                maker.append(names.text(i), names.length(i), {ignores_case, false, false, false}, false, key);
                const uint64_t hash = string_hash(reinterpret_cast<const uint8_t*>(key.data()), key.size());
                spellings[i] = spellings[i] << 16 | static_cast<uint32_t>(hash >> 48);
            }
        }
    });
    return to_numpy(std::move(spellings));
}

// The beginning of each key, as `beginning_of` has it.
ArrayOut<uint64_t> key_beginnings(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets) {
    const Texts keys(data, offsets);
    std::vector<uint64_t> beginnings(keys.size());
    for (size_t i = 0; i < beginnings.size(); ++i) beginnings[i] = beginning_of(keys.text(i), keys.length(i));
    return to_numpy(std::move(beginnings));
}

}  // namespace

void bind_name_keys(nb::module_& m) {
    define(m, "name_keys", &name_keys,
           {"data", "offsets", "is_turkic", "ignores_case", "keeps_dotless_i", "ignores_punctuation",
            "ignores_diacritics", "n_threads"},
           "Offsets and bytes of the comparable key of every name.");
    define(m, "key_beginnings", &key_beginnings, {"data", "offsets"},
           "The first four letters of each key as a number; 0 if it is shorter, or has several words.");
    define(m, "name_spellings", &name_spellings, {"data", "offsets", "n_threads"},
           "Two numbers of 16 bits for each name, of its key as written, and below that in whichever case.");
}

}  // namespace deixis
