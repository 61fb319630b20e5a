// Finds the names of a dictionary in texts as rules ask: the longest name from left to right, no two overlapping. The
// names are a trie over their folded tokens, so comparisons are exact; where they begin and end, and how they are
// written, is checked on the text as it is.
#include "dictionary.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <type_traits>
#include <utility>

#include "parallel.hpp"
#include "texts.hpp"
#include "token_arrays.hpp"

namespace deixis {

Casing casing_of(const uint8_t* text, size_t begin, size_t end) {
    Casing casing;
    for (size_t at = begin; at < end;) {
        if (text[at] < 0x80) {  // as below, without looking the character up
            const uint8_t letter = text[at] | 0x20;
            const bool is_letter = letter >= 'a' && letter <= 'z', is_upper = is_letter && text[at] != letter;
            const bool is_number = text[at] >= '0' && text[at] <= '9';
            if (at == begin) {
                casing.begins_upper = is_upper;
                casing.begins_lower = is_letter && !is_upper;
            }
            casing.has_upper |= is_upper;
            casing.has_lower |= is_letter && !is_upper;
            casing.is_number &= is_number;
            casing.n_chars += is_letter || is_number;
            casing.n_letters += is_letter;
            ++at;
            continue;
        }
        const Decoded decoded = decode_utf8(text, at, end);
        const CharRecord& record = char_record(decoded.cp);
        const CharClass kind = record.char_class();
        if (at == begin) {
            casing.begins_upper = record.is_upper();
            casing.begins_lower = record.is_lower();
        }
        casing.has_upper |= record.is_upper();
        casing.has_lower |= record.is_lower();
        casing.is_number &= record.is_number();
        casing.n_chars += kind == CharClass::kWord || kind == CharClass::kUnspaced;
        casing.n_letters += record.is_upper() || record.is_lower();
        at += decoded.n_bytes;
    }
    return casing;
}

Gap gap_between(const uint8_t* text, size_t begin, size_t end) {
    if (begin == end) return {};
    if (end - begin == 1 && text[begin] == ' ') return {false, false, false, false};
    Gap gap{false, false, false, false};
    size_t n_chars = 0, n_lines = 0;
    for (size_t at = begin; at < end; ++n_chars) {
        const Decoded decoded = decode_utf8(text, at, end);
        at += decoded.n_bytes;
        // clang-format off
        switch (decoded.cp) {
        case '\n':
            ++n_lines;
            [[fallthrough]];
        case '.':
            gap.ends_sentence = true;
            break;
        case ' ': case '\r': case '-': case '\'': case '&': case '/': case '+': case '_':
        case 0xA0: case 0xB7: case 0x2010: case 0x2011: case 0x2013: case 0x2019: case 0x202F: case 0x3000: case 0x30FB:
            break;
        case '!': case '?': case ':': case '"': case 0x2026: case 0x201C: case 0x201D: case 0x201E: case 0xAB: case 0xBB:
        case 0x3002: case 0xFF01: case 0xFF1F: case 0x2022: case '*': case '#': case '(': case '[':
            gap.ends_sentence = true;
            [[fallthrough]];
        default:
            gap.is_hard |= char_record(decoded.cp).char_class() != CharClass::kJoiner;
        }
        // clang-format on
    }
    gap.is_far = n_chars > 4 || n_lines > 1;
    return gap;
}

// Nobody writes the bracket of "Mercury (planet)" in a text.
size_t without_qualifier(const uint8_t* text, size_t size) {
    if (size == 0 || text[size - 1] != ')') return size;
    size_t bracket = size - 1;
    while (bracket > 0 && text[bracket] != '(') --bracket;
    return bracket > 1 && text[bracket - 1] == ' ' ? bracket - 1 : size;
}

// Whether the character after a span belongs to it: the last dot of "U.S.", the bracket that closes "Ag(I)".
bool has_tail(const uint8_t* text, size_t size, size_t begin, size_t last_begin, size_t last_end, size_t n_last) {
    if (last_end >= size || last_begin == begin) return false;
    if (text[last_end] == '.') return n_last == 1 && text[last_begin - 1] == '.';
    if (text[last_end] != ')') return false;
    const std::string_view span(reinterpret_cast<const char*>(text) + begin, last_end - begin);
    return std::count(span.begin(), span.end(), '(') > std::count(span.begin(), span.end(), ')');
}

namespace {

constexpr size_t kChunkBytes = size_t{1} << 18;
constexpr size_t kTextsPerTask = 16;  // so that many short ones cost little

using SpanLists = nb::typed<nb::list, nb::typed<nb::list, nb::typed<nb::tuple, int, int>>>;

struct TextToken {
    int32_t id;
    size_t start, end;
    size_t byte_start, byte_end;
    Casing casing;
    Gap gap_before;
    bool is_unspaced;
};

struct Span {
    size_t start, end;
};

// The longest name at some place of a text: the node where it ends, and how many tokens it has (0: there is none).
struct Longest {
    int32_t node = -1;
    size_t n_tokens = 0;
};

class DictionaryMatcher {
public:
    DictionaryMatcher(ArrayIn<uint8_t> tokens_data, ArrayIn<uint32_t> tokens_offsets, ArrayIn<uint32_t> tokens_slots,
                      ArrayIn<int32_t> trie_child_ptr, ArrayIn<uint32_t> trie_labels, ArrayIn<uint8_t> flags)
        : held_{nb::cast(tokens_data),    nb::cast(tokens_offsets), nb::cast(tokens_slots),
                nb::cast(trie_child_ptr), nb::cast(trie_labels),    nb::cast(flags)},
          tokens_(token_table_of({"tokens_offsets", "tokens_slots"}, tokens_data, tokens_offsets, tokens_slots)),
          trie_(token_trie_of(trie_child_ptr, trie_labels, tokens_)),
          flags_(flags.data()) {
        check_size("flags", flags, trie_.n_nodes(), "one for each node");
    }

    SpanLists match(StringList strings, int n_threads) const {
        const Utf8List texts(strings);
        std::vector<std::vector<Span>> found(texts.size());
        parallel_for_runs(texts.size(), kTextsPerTask, n_threads, [&](size_t, size_t begin, size_t end) {
            for (size_t i = begin; i < end && !stop_requested(); ++i)
                found[i] = match_text(texts[i].data(), texts[i].size());
        });
        SpanLists result;
        for (const auto& spans : found) {
            nb::list pairs;
            for (const Span& span : spans) pairs.append(nb::make_tuple(span.start, span.end));
            result.append(std::move(pairs));
        }
        return result;
    }

    // The different names in each text, as numbers in rising order. `is_inner` leaves out a name that is a whole text.
    auto match_table(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, bool is_inner, int n_threads) const {
        const Texts texts(data, offsets);
        const auto bounds = texts.chunks(kChunkBytes);
        std::vector<int64_t> indptr(texts.size() + 1, 0);
        std::vector<std::vector<int32_t>> chunks(bounds.size() - 1);
        parallel_for(chunks.size(), n_threads, [&](size_t chunk) {
            std::vector<int32_t>& names = chunks[chunk];
            std::vector<TextToken> tokens;
            for (size_t i = bounds[chunk]; i < bounds[chunk + 1] && !stop_requested(); ++i) {
                const auto first = static_cast<ptrdiff_t>(names.size());
                read(texts.text(i), texts.length(i), tokens);
                for (size_t t = 0; t < tokens.size();) {
                    const Longest name =
                        longest_name(tokens, t, is_inner && t == 0 ? tokens.size() - 1 : tokens.size());
                    if (name.n_tokens > 0) names.push_back(name.node);
                    t += std::max<size_t>(name.n_tokens, 1);
                }
                std::sort(names.begin() + first, names.end());
                names.erase(std::unique(names.begin() + first, names.end()), names.end());
                indptr[i + 1] = static_cast<int64_t>(names.size()) - first;
            }
        });
        accumulate(indptr);
        std::vector<int32_t> joined;
        joined.reserve(static_cast<size_t>(indptr.back()));
        for (auto& names : chunks) move_to_end(joined, names);
        return std::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(joined)));
    }

    // The number under which match_table finds each name; -1 if it is not looked for.
    ArrayOut<int32_t> numbers(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, int n_threads) const {
        const Texts names(data, offsets);
        const auto bounds = names.chunks(kChunkBytes);
        std::vector<int32_t> found(names.size(), -1);
        parallel_for(bounds.size() - 1, n_threads, [&](size_t chunk) {
            for (size_t i = bounds[chunk]; i < bounds[chunk + 1]; ++i)
                found[i] = number(names.text(i), names.length(i));
        });
        return to_numpy(std::move(found));
    }

private:
    std::vector<Span> match_text(const uint8_t* text, size_t size) const {
        std::vector<TextToken> tokens;
        read(text, size, tokens);
        std::vector<Span> spans;
        for (size_t i = 0; i < tokens.size();) {
            const size_t n = longest_name(tokens, i, tokens.size()).n_tokens;
            if (n > 0) {
                const TextToken& last = tokens[i + n - 1];
                spans.push_back({tokens[i].start, last.end + has_tail(text, size, tokens[i].byte_start, last.byte_start,
                                                                      last.byte_end, last.end - last.start)});
            }
            i += std::max<size_t>(n, 1);
        }
        return spans;
    }

    static Tokenizer& tokenizer() {
        static thread_local Tokenizer one{FoldOptions{}};
        return one;
    }

    int32_t number(const uint8_t* name, size_t size) const {
        int32_t node = -1;
        bool is_first = true;
        tokenizer().run(name, without_qualifier(name, size), [&](const TokenView& token) {
            const int32_t id = tokens_.find(token.text, token.size, hash_bytes(token.text, token.size));
            node = is_first ? id : (node < 0 || id < 0 ? -1 : trie_.child(node, id));
            is_first = false;
        });
        return node >= 0 && (flags_[node] & kEndsName) ? node : -1;
    }

    void read(const uint8_t* text, size_t size, std::vector<TextToken>& tokens) const {
        tokens.clear();
        size_t before = 0;
        tokenizer().run(text, size, [&](const TokenView& token) {
            const uint64_t hash = hash_bytes(token.text, token.size);
            const int32_t id = tokens_.find(token.text, token.size, hash);
            TextToken read{id, token.start, token.end, token.byte_start, token.byte_end, {}, {}, token.is_unspaced};
            read.gap_before = gap_between(text, before, token.byte_start);
            if (tokens.empty()) read.gap_before.ends_sentence = true;
            read.casing = casing_of(text, token.byte_start, token.byte_end);
            tokens.push_back(read);
            before = token.byte_end;
        });
    }

    // The longest name of at most `max_tokens` that begins at `first`.
    Longest longest_name(const std::vector<TextToken>& tokens, size_t first, size_t max_tokens) const {
        int32_t node = tokens[first].id;
        Longest longest;
        if (node < 0 || max_tokens == 0) return longest;
        Casing casing = tokens[first].casing;
        bool has_hard = false;
        for (size_t n = 1;; ++n) {
            if (is_found(flags_[node], casing, has_hard) &&
                !((flags_[node] & kCommonWord) && is_capitalized_anyway(tokens, first, n)))
                longest = {node, n};
            if (n >= max_tokens || first + n >= tokens.size()) return longest;
            const TextToken& next = tokens[first + n];
            if (next.id < 0 || next.gap_before.is_far) return longest;
            node = trie_.child(node, next.id);
            if (node < 0) return longest;
            casing.add(next.casing);
            // Between two characters of a script without spaces nothing stands, not even a space.
            const bool is_split = tokens[first + n - 1].is_unspaced && next.is_unspaced && !next.gap_before.is_empty;
            has_hard |= next.gap_before.is_hard || is_split;
        }
    }

    // Whether capitals say nothing here: where a sentence begins, and where all around is in capitals.
    static bool is_capitalized_anyway(const std::vector<TextToken>& tokens, size_t first, size_t n) {
        if (tokens[first].gap_before.ends_sentence) return true;
        if (!tokens[first].casing.is_all_upper()) return false;
        const bool is_lower_before = first > 0 && tokens[first - 1].casing.has_lower;
        const bool is_lower_after = first + n < tokens.size() && tokens[first + n].casing.has_lower;
        return !is_lower_before && !is_lower_after;
    }

    static bool is_found(uint8_t flags, const Casing& casing, bool has_hard) {
        if (!(flags & kEndsName) || (has_hard && !(flags & kHasHardGap))) return false;
        if (casing.begins_lower) return flags & kFoundLower;
        if (!casing.begins_upper) return true;
        if (casing.is_all_upper() && casing.n_letters > 1) return flags & kFoundAllUpper;
        return flags & kFoundUpper;
    }

    std::vector<nb::object> held_;  // the arrays the views below look into
    TokenTable tokens_;
    TokenTrie trie_;
    const uint8_t* flags_;
};

}  // namespace

void bind_dictionary(nb::module_& m) {
    nb::class_<DictionaryMatcher> matcher(m, "DictionaryMatcher",
                                          "Names to be found in texts, in arrays it only looks into.");
    define_init<ArrayIn<uint8_t>, ArrayIn<uint32_t>, ArrayIn<uint32_t>, ArrayIn<int32_t>, ArrayIn<uint32_t>,
                ArrayIn<uint8_t>>(
        matcher, {"tokens_data", "tokens_offsets", "tokens_slots", "trie_child_ptr", "trie_labels", "flags"});
    define(matcher, "match", &DictionaryMatcher::match, {"texts", "n_threads"},
           "For each text the (start, end) code points of the names found, in order.");
    define(matcher, "match_table", &DictionaryMatcher::match_table, {"data", "offsets", "is_inner", "n_threads"},
           "Bounds and numbers of the different names in each text.");
    define(matcher, "numbers", &DictionaryMatcher::numbers, {"data", "offsets", "n_threads"},
           "The number of each name, or -1.");
}

}  // namespace deixis
