// Finds the names of a dictionary in texts: the longest name from left to right, no two overlapping; or every name at
// every place, and with them runs of words with capitals. The names are a trie over their folded tokens, so comparisons
// are exact; where they begin and end, and how they are written, is checked on the text as it is.
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

namespace {

constexpr size_t kChunkBytes = size_t{1} << 18;
constexpr size_t kTextsPerTask = 16;  // so that many short ones cost little

using SpanLists = nb::typed<nb::list, nb::typed<nb::list, nb::typed<nb::tuple, int, int>>>;

struct TextToken {
    int32_t id;
    int32_t other_id;  // of its plural or singular, where the dictionary has one; -1
    uint64_t hash;
    size_t start, end;
    size_t byte_start, byte_end;
    Casing casing;
    Gap gap_before;
    bool is_unspaced;
};

struct Span {
    size_t start, end;
};

// How a span is written and what stands around it, a bit each.
enum Sign : uint32_t {
    kName = 1 << 0,        // a name of the dictionary, written as its rules ask
    kUnrulyName = 1 << 1,  // a name, written otherwise
    kInflected = 1 << 2,   // the plural of a name, or its singular
    kBeginsUpper = 1 << 3,
    kAllUpper = 1 << 4,
    kBeginsLower = 1 << 5,
    kBeginsSentence = 1 << 6,
    kUpperAnyway = 1 << 7,   // capitals say nothing: a sentence begins, or all around is in capitals
    kFollowsUpper = 1 << 8,  // the word before has a capital and nothing stands between
    kPrecedesUpper = 1 << 9,
    kInLongerName = 1 << 10,  // a longer name, written as its rules ask, covers it
    kCommonName = 1 << 11,    // a common word is written like it
    kHyphenBefore = 1 << 12,
    kHyphenAfter = 1 << 13,
    kHasNumber = 1 << 14,
    kHasLowerWord = 1 << 15,  // of or de among words with capitals
    kLowerText = 1 << 16,     // no word around it has a capital
    kLearnedName = 1 << 17,   // set by Python: annotated documents have a mention that reads so
    kRecognized = 1 << 18,    // set by Python: a recognizer, or whoever gave it, says that it is a mention
};

// Every span of a batch, column by column.
struct SpanColumns {
    std::vector<int32_t> texts, starts, ends, names, n_tokens;
    std::vector<uint64_t> keys;
    std::vector<uint32_t> signs, before, after;

    template <typename Fn>
    void each(SpanColumns& other, Fn&& fn) {
        fn(texts, other.texts), fn(starts, other.starts), fn(ends, other.ends), fn(names, other.names);
        fn(n_tokens, other.n_tokens), fn(keys, other.keys), fn(signs, other.signs);
        fn(before, other.before), fn(after, other.after);
    }
};

// The longest name at some place of a text: the node where it ends, and how many tokens it has (0: there is none).
struct Longest {
    int32_t node = -1;
    size_t n_tokens = 0;
};

class DictionaryMatcher {
public:
    DictionaryMatcher(ArrayIn<uint8_t> tokens_data, ArrayIn<int64_t> tokens_offsets, ArrayIn<uint64_t> tokens_slots,
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

    // Every name at every place, and runs of up to `max_run` words with capitals. `any_case`: also names that are not
    // written as their rules ask. `plurals`: also their plurals and singulars.
    ArraysByName match_all(StringList strings, bool any_case, bool plurals, int max_run, int n_threads) const {
        const Utf8List texts(strings);
        std::vector<SpanColumns> found(run_count(texts.size(), kTextsPerTask));
        parallel_for_runs(texts.size(), kTextsPerTask, n_threads, [&](size_t r, size_t begin, size_t end) {
            std::vector<TextToken> tokens;
            for (size_t i = begin; i < end && !stop_requested(); ++i) {
                read(texts[i].data(), texts[i].size(), tokens, plurals);
                const size_t first = found[r].starts.size();
                for (size_t t = 0; t < tokens.size(); ++t)
                    add_spans(texts[i].data(), texts[i].size(), tokens, t, any_case, max_run, found[r]);
                found[r].texts.resize(found[r].starts.size(), static_cast<int32_t>(i));
                mark_covered(found[r], first);
            }
        });
        SpanColumns all;
        for (SpanColumns& part : found) all.each(part, [](auto& to, auto& from) { move_to_end(to, from); });
        ArraysByName columns;
        columns["texts"] = to_numpy(std::move(all.texts));
        columns["starts"] = to_numpy(std::move(all.starts));
        columns["ends"] = to_numpy(std::move(all.ends));
        columns["names"] = to_numpy(std::move(all.names));
        columns["n_tokens"] = to_numpy(std::move(all.n_tokens));
        columns["keys"] = to_numpy(std::move(all.keys));
        columns["signs"] = to_numpy(std::move(all.signs));
        columns["before"] = to_numpy(std::move(all.before));
        columns["after"] = to_numpy(std::move(all.after));
        return columns;
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
                spans.push_back({tokens[i].start, last.end + has_tail(text, size, tokens[i].byte_start, last)});
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

    void read(const uint8_t* text, size_t size, std::vector<TextToken>& tokens, bool plurals = false) const {
        tokens.clear();
        size_t before = 0;
        tokenizer().run(text, size, [&](const TokenView& token) {
            const uint64_t hash = hash_bytes(token.text, token.size);
            const int32_t id = tokens_.find(token.text, token.size, hash);
            TextToken read{
                id, -1, hash, token.start, token.end, token.byte_start, token.byte_end, {}, {}, token.is_unspaced};
            if (plurals) read.other_id = plural_or_singular(token.text, token.size);
            read.gap_before = gap_between(text, before, token.byte_start);
            if (tokens.empty()) read.gap_before.ends_sentence = true;
            read.casing = casing_of(text, token.byte_start, token.byte_end);
            tokens.push_back(read);
            before = token.byte_end;
        });
    }

    // The number of a word in -s without it, or of another word with it; of Latin letters, and four at least.
    int32_t plural_or_singular(const char* text, size_t size) const {
        constexpr size_t kMaxSize = 40;
        if (size < 4 || size > kMaxSize || text[size - 1] < 'a' || text[size - 1] > 'z') return -1;
        const auto find = [&](const char* word, size_t n) { return tokens_.find(word, n, hash_bytes(word, n)); };
        char changed[kMaxSize + 2];
        std::copy(text, text + size, changed);
        if (text[size - 1] != 's') {
            changed[size] = 's';
            return find(changed, size + 1);
        }
        if (text[size - 2] == 's') return -1;
        if (size > 4 && text[size - 2] == 'e' && text[size - 3] == 'i') {
            changed[size - 3] = 'y';
            return find(changed, size - 2);
        }
        const int32_t id = find(text, size - 1);
        return id < 0 && size > 4 && text[size - 2] == 'e' ? find(text, size - 2) : id;
    }

    // All spans that begin at the token `first`.
    void add_spans(const uint8_t* text, size_t size, const std::vector<TextToken>& tokens, size_t first, bool any_case,
                   int max_run, SpanColumns& found) const {
        int32_t node = tokens[first].id;
        const bool may_run = tokens[first].casing.begins_upper && max_run > 0;
        if (node < 0 && tokens[first].other_id < 0 && !may_run) return;
        Casing casing = tokens[first].casing;
        bool has_hard = false, is_run = may_run, has_lower_word = false;
        int32_t inflected = tokens[first].other_id;
        uint64_t key = 0;
        for (size_t n = 1;; ++n) {
            const TextToken& last = tokens[first + n - 1];
            key = mix_hash(key ^ last.hash) + n;
            uint32_t signs = name_signs(node, casing, has_hard, tokens, first, n);
            int32_t name = signs ? node : -1;
            if (!(signs & kName) && inflected >= 0) {
                const uint32_t other = name_signs(inflected, casing, has_hard, tokens, first, n);
                if ((other & kName) || !signs) {
                    signs = other ? other | kInflected : 0;
                    name = other ? inflected : -1;
                }
            }
            const bool ends_run = is_run && n <= static_cast<size_t>(max_run) && !last.casing.begins_lower;
            if ((signs & kName) || (signs && any_case) || ends_run) {
                signs |= writing_signs(text, tokens, first, n, casing) | (has_lower_word ? uint32_t{kHasLowerWord} : 0);
                found.starts.push_back(static_cast<int32_t>(tokens[first].start));
                found.ends.push_back(
                    static_cast<int32_t>(last.end + has_tail(text, size, tokens[first].byte_start, last)));
                found.names.push_back(name);
                found.n_tokens.push_back(static_cast<int32_t>(n));
                found.keys.push_back(key);
                found.signs.push_back(signs);
                found.before.push_back(word_beside(tokens, static_cast<ptrdiff_t>(first) - 1));
                found.after.push_back(word_beside(tokens, static_cast<ptrdiff_t>(first + n)));
            }
            if (first + n >= tokens.size()) return;
            const TextToken& next = tokens[first + n];
            if (next.gap_before.is_far) return;
            const int32_t parent = node;
            node = parent < 0 || next.id < 0 ? -1 : trie_.child(parent, next.id);
            inflected = parent < 0 || next.other_id < 0 ? -1 : trie_.child(parent, next.other_id);
            const bool is_initial = last.casing.n_chars <= 2 && !last.casing.begins_lower;
            is_run &= !next.gap_before.is_hard && (!next.gap_before.ends_sentence || is_initial) &&
                      (!next.casing.begins_lower || next.casing.n_chars <= 3) && n < static_cast<size_t>(max_run);
            if (node < 0 && inflected < 0 && !is_run) return;
            has_lower_word |= next.casing.begins_lower;
            casing.add(next.casing);
            has_hard |= next.gap_before.is_hard || (last.is_unspaced && next.is_unspaced && !next.gap_before.is_empty);
        }
    }

    uint32_t name_signs(int32_t node, const Casing& casing, bool has_hard, const std::vector<TextToken>& tokens,
                        size_t first, size_t n) const {
        if (node < 0 || !(flags_[node] & kEndsName) || (has_hard && !(flags_[node] & kHasHardGap))) return 0;
        const bool is_common = flags_[node] & kCommonWord;
        const bool is_ruly =
            is_found(flags_[node], casing, has_hard) && !(is_common && is_capitalized_anyway(tokens, first, n));
        return (is_ruly ? kName : kUnrulyName) | (is_common ? uint32_t{kCommonName} : 0);
    }

    static uint32_t writing_signs(const uint8_t* text, const std::vector<TextToken>& tokens, size_t first, size_t n,
                                  const Casing& casing) {
        const TextToken& token = tokens[first];
        uint32_t signs = 0;
        if (casing.begins_upper) signs |= kBeginsUpper;
        if (casing.begins_lower) signs |= kBeginsLower;
        if (casing.is_all_upper() && casing.n_letters > 1) signs |= kAllUpper;
        if (token.gap_before.ends_sentence) signs |= kBeginsSentence;
        if (casing.begins_upper && is_capitalized_anyway(tokens, first, n)) signs |= kUpperAnyway;
        for (size_t i = first; i < first + n; ++i)
            if (tokens[i].casing.is_number) signs |= kHasNumber;
        bool has_upper_near = false;
        for (size_t i = first > 4 ? first - 4 : 0; i < std::min(tokens.size(), first + n + 4); ++i)
            has_upper_near |= tokens[i].casing.has_upper;
        if (!has_upper_near) signs |= kLowerText;
        if (first > 0) {
            const Gap& gap = token.gap_before;
            if (tokens[first - 1].casing.begins_upper && !gap.is_hard && !gap.is_far && !gap.ends_sentence)
                signs |= kFollowsUpper;
            if (text[token.byte_start - 1] == '-') signs |= kHyphenBefore;
        }
        if (first + n < tokens.size()) {
            const TextToken& next = tokens[first + n];
            const Gap& gap = next.gap_before;
            if (next.casing.begins_upper && !gap.is_hard && !gap.is_far && !gap.ends_sentence) signs |= kPrecedesUpper;
            if (text[next.byte_start - 1] == '-') signs |= kHyphenAfter;
        }
        return signs;
    }

    // A number for the word at a place, the same in every dictionary; 0 where there is none.
    static uint32_t word_beside(const std::vector<TextToken>& tokens, ptrdiff_t at) {
        if (at < 0 || at >= static_cast<ptrdiff_t>(tokens.size())) return 0;
        return static_cast<uint32_t>(tokens[at].hash >> 32) | 1u;
    }

    // Spans from `first` on are those of one text, in the order of their starts, the shorter first.
    static void mark_covered(SpanColumns& found, size_t first) {
        int32_t reached = -1;  // by names that begin further left
        for (size_t i = first; i < found.starts.size();) {
            size_t end = i;
            int32_t longest = -1;
            for (; end < found.starts.size() && found.starts[end] == found.starts[i]; ++end)
                if (found.signs[end] & kName) longest = std::max(longest, found.ends[end]);
            for (; i < end; ++i)
                if (found.ends[i] <= reached || found.ends[i] < longest) found.signs[i] |= kInLongerName;
            reached = std::max(reached, longest);
        }
    }

    // Whether the character after a span belongs to it: the last dot of "U.S.", the bracket that closes "Ag(I)".
    static bool has_tail(const uint8_t* text, size_t size, size_t begin, const TextToken& last) {
        if (last.byte_end >= size || last.byte_start == begin) return false;
        if (text[last.byte_end] == '.') return last.end - last.start == 1 && text[last.byte_start - 1] == '.';
        if (text[last.byte_end] != ')') return false;
        const std::string_view span(reinterpret_cast<const char*>(text) + begin, last.byte_end - begin);
        return std::count(span.begin(), span.end(), '(') > std::count(span.begin(), span.end(), ')');
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
    nb::enum_<Sign>(m, "Sign", nb::is_flag(), nb::is_arithmetic(), "How a span is written and what stands around it.")
        .value("NAME", kName)
        .value("UNRULY_NAME", kUnrulyName)
        .value("INFLECTED", kInflected)
        .value("BEGINS_UPPER", kBeginsUpper)
        .value("ALL_UPPER", kAllUpper)
        .value("BEGINS_LOWER", kBeginsLower)
        .value("BEGINS_SENTENCE", kBeginsSentence)
        .value("UPPER_ANYWAY", kUpperAnyway)
        .value("FOLLOWS_UPPER", kFollowsUpper)
        .value("PRECEDES_UPPER", kPrecedesUpper)
        .value("IN_LONGER_NAME", kInLongerName)
        .value("COMMON_NAME", kCommonName)
        .value("HYPHEN_BEFORE", kHyphenBefore)
        .value("HYPHEN_AFTER", kHyphenAfter)
        .value("HAS_NUMBER", kHasNumber)
        .value("HAS_LOWER_WORD", kHasLowerWord)
        .value("LOWER_TEXT", kLowerText)
        .value("LEARNED_NAME", kLearnedName)
        .value("RECOGNIZED", kRecognized);
    nb::class_<DictionaryMatcher> matcher(m, "DictionaryMatcher",
                                          "Names to be found in texts, in arrays it only looks into.");
    define_init<ArrayIn<uint8_t>, ArrayIn<int64_t>, ArrayIn<uint64_t>, ArrayIn<int32_t>, ArrayIn<uint32_t>,
                ArrayIn<uint8_t>>(
        matcher, {"tokens_data", "tokens_offsets", "tokens_slots", "trie_child_ptr", "trie_labels", "flags"});
    define(matcher, "match", &DictionaryMatcher::match, {"texts", "n_threads"},
           "For each text the (start, end) code points of the names found, in order.");
    define(matcher, "match_all", &DictionaryMatcher::match_all,
           {"texts", "any_case", "plurals", "max_run", "n_threads"},
           "The columns of all spans found, by text, start and end.");
    define(matcher, "match_table", &DictionaryMatcher::match_table, {"data", "offsets", "is_inner", "n_threads"},
           "Bounds and numbers of the different names in each text.");
    define(matcher, "numbers", &DictionaryMatcher::numbers, {"data", "offsets", "n_threads"},
           "The number of each name, or -1.");
}

}  // namespace deixis
