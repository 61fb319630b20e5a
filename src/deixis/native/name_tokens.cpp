// Stems of words, and what stands between the words of names and texts.
#include "name_tokens.hpp"

#include "unicode.hpp"

namespace deixis {
namespace {

constexpr size_t kMaxGap = 40;          // bytes between two words of one name
constexpr size_t kMinWrappedLine = 40;  // bytes of a line that may be broken inside a name
constexpr uint32_t kMaxShortWord = 3;   // letters of a word whose dot does not end a sentence: St., U.S.

constexpr size_t kMinBritishWord = 6;  // letters; shoe and she are not the same word

// Letters with a stroke and the like have no decomposition; nullptr for all others.
const char* plain_letters(uint32_t cp) {
    switch (cp) {
    case 0xE6: return "ae";
    case 0xF0: return "d";
    case 0xF8: return "o";
    case 0xFE: return "th";
    case 0x111: return "d";
    case 0x131: return "i";
    case 0x142: return "l";
    case 0x153: return "oe";
    default: return nullptr;
    }
}

bool is_accent(uint32_t cp) { return cp >= 0x300 && cp <= 0x36F; }

// British and American spelling are compared alike: haemoglobin, oedema, tumour, sulphate.
void to_american(std::string& word) {
    if (word.ends_with("our")) word.erase(word.size() - 2, 1);
    size_t to = 0;
    for (size_t at = 0; at < word.size(); ++at) {
        const bool is_digraph = (word[at] == 'a' || word[at] == 'o') && at + 2 < word.size() && word[at + 1] == 'e';
        if (is_digraph) continue;
        if (word[at] == 'p' && at >= 3 && word.compare(at - 3, 5, "sulph") == 0) {
            word[to++] = 'f';
            ++at;
            continue;
        }
        word[to++] = word[at];
    }
    word.resize(to);
}

bool ends_with(std::string_view word, std::string_view ending) { return word.ends_with(ending); }

}  // namespace

Singular singular_of(std::string_view word) {
    const size_t n = word.size();
    if (n < 4 || word[n - 1] != 's') return {n, false};
    const char before = word[n - 2];
    if (before == 's' || before == 'u' || before == 'i' || before < 'a' || before > 'z') return {n, false};
    if (n > 4 && ends_with(word, "ies")) return {n - 3, true};
    if (ends_with(word, "sses") || ends_with(word, "shes") || ends_with(word, "ches") || ends_with(word, "xes"))
        return {n - 2, false};
    return {n - 1, false};
}

std::string_view Stemmer::stem(std::string_view folded) {
    bool is_ascii = true, may_be_british = false;
    for (size_t at = 0; at < folded.size(); ++at) {
        is_ascii &= static_cast<uint8_t>(folded[at]) < 0x80;
        // ae, oe, ou and ph: haemoglobin, oedema, tumour, sulphur
        may_be_british |= at > 0 && (folded[at] == 'e' || folded[at] == 'u' || folded[at] == 'h') &&
                          (folded[at - 1] == 'a' || folded[at - 1] == 'o' || folded[at - 1] == 'p');
    }
    std::string_view plain = folded;
    if (!is_ascii) {
        cps_.clear();
        const auto* text = reinterpret_cast<const uint8_t*>(folded.data());
        for (size_t at = 0; at < folded.size();) {
            const Decoded decoded = decode_utf8(text, at, folded.size());
            cps_.push_back(decoded.cp);
            at += decoded.n_bytes;
        }
        decompose(cps_, scratch_);
        std::erase_if(cps_, is_accent);
        compose(cps_);
        out_.clear();
        for (const uint32_t cp : cps_) {
            if (const char* letters = plain_letters(cp))
                out_ += letters;
            else
                append_utf8(cp, out_);
        }
        if (out_.empty()) return folded;
        plain = out_;
    }
    const Singular singular = singular_of(plain);
    may_be_british &= is_ascii && singular.size >= kMinBritishWord;
    if (singular.size == plain.size() && !may_be_british) return plain;
    if (plain.data() != out_.data()) out_.assign(plain);
    out_.resize(singular.size);
    if (singular.ends_in_y) out_ += 'y';
    if (may_be_british) to_american(out_);
    return out_;
}

bool NameTokenizer::is_possessive(const uint8_t* text, size_t before, const TokenView& token) {
    if (token.size != 1 || token.text[0] != 's') return false;
    const size_t n = token.byte_start - before;
    if (n == 1) return text[before] == '\'';
    return n == 3 && text[before] == 0xE2 && text[before + 1] == 0x80 && text[before + 2] == 0x99;
}

void NameTokenizer::read_gap(const uint8_t* text, size_t begin, size_t end, size_t line_start, const Casing& previous,
                             bool is_unspaced, NameToken& token) {
    gap_.clear();
    if (begin == end || (end - begin == 1 && text[begin] == ' ' && !is_unspaced)) return;
    if (is_unspaced) gap_ += ' ';  // between two characters of such a script nothing stands, not even a space
    bool has_space = false, has_dot = false, ends_sentence = false;
    size_t n_lines = 0;
    for (size_t at = begin; at < end;) {
        const Decoded decoded = decode_utf8(text, at, end);
        const size_t next = at + decoded.n_bytes;
        // clang-format off
        switch (decoded.cp) {
        case '\n':
            ++n_lines;
            [[fallthrough]];
        case ' ': case '\r': case '\t': case 0xA0: case 0x202F: case 0x3000:
            has_space = true;
            break;
        case '.':
            has_dot = true;
            break;
        case '"': case 0x201C: case 0x201D: case 0x201E: case 0xAB: case 0xBB:
            ends_sentence = true;
            break;
        case '-': case '\'': case '&': case '/': case '+': case '_': case 0xB7: case 0x2010: case 0x2011: case 0x2013:
        case 0x2019: case 0x30FB:
            break;
        default:
            if (char_record(decoded.cp).char_class() == CharClass::kJoiner) break;
            if (char_record(decoded.cp).char_class() == CharClass::kSpace) {
                has_space = true;
                break;
            }
            gap_.append(reinterpret_cast<const char*>(text) + at, decoded.n_bytes);
        }
        // clang-format on
        at = next;
    }
    const bool is_short = previous.n_chars <= kMaxShortWord && (previous.has_upper || !token.casing.begins_upper);
    const bool ends_with_dot = has_dot && has_space && !is_short;
    if (ends_with_dot) gap_ += '.';
    // A line that is long enough to have been broken for its length goes on in the next one.
    const bool is_wrapped = n_lines == 1 && begin - line_start >= kMinWrappedLine;
    if (n_lines > 0 && !is_wrapped) gap_ += '\n';
    ends_sentence |= ends_with_dot || (n_lines > 0 && !is_wrapped);
    for (const char c : gap_) ends_sentence |= c == '!' || c == '?' || c == ':' || c == '(' || c == '[' || c == '*';
    for (size_t at = 0; at + 2 < gap_.size(); ++at) {  // ideographic and full-width stops, an ellipsis, a bullet
        const std::string_view stop = std::string_view(gap_).substr(at, 3);
        ends_sentence |= stop == "\xE3\x80\x82" || stop == "\xEF\xBC\x81" || stop == "\xEF\xBC\x9F" ||
                         stop == "\xE2\x80\xA6" || stop == "\xE2\x80\xA2";
    }
    token.gap_before.ends_sentence = ends_sentence;
    token.gap_before.is_far = end - begin > kMaxGap;
}

}  // namespace deixis
