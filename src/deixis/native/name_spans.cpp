// Every place in a text where a name of a list may stand, whatever its case, number, accents and hyphens, and every run
// of words with capitals; each with what its writing and the words around it tell. Whether it is a mention is weighed
// in Python (deixis/detection). The names are a trie over the stems of their words and the punctuation between them.
#include <algorithm>
#include <limits>
#include <string_view>

#include "dictionary.hpp"
#include "misspelt_words.hpp"
#include "name_tokens.hpp"
#include "parallel.hpp"
#include "span_signs.hpp"
#include "texts.hpp"
#include "token_arrays.hpp"
#include "word_table.hpp"

namespace deixis {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 18;
constexpr size_t kTextsPerTask = 16;    // so that many short ones cost little
constexpr int32_t kSoftGap = -2;        // spaces, hyphens and the like
constexpr double kMinKnownShare = 0.4;  // of a text's words, for the table of words to be of its language
constexpr size_t kMinWordsOfLanguage = 5;

uint32_t sign_of(uint8_t writing) {
    return writing == kInLower       ? kLowerCase
           : writing == kInTitleCase ? kTitleCase
           : writing == kInCapitals  ? kCapitals
                                     : kMixedCase;
}

struct TextWord {
    int32_t id;      // of its stem in the list; -1
    int32_t gap_id;  // of the punctuation before it in the list; -1 if no name has it there, or kSoftGap
    int32_t number;  // in the table of words; -1
    uint64_t hash;
    size_t start, end;
    size_t byte_start, byte_end;
    size_t n_possessive;
    Casing casing;
    Gap gap_before;
    bool is_misspelt;
};

// Every span of a batch, column by column.
struct SpanColumns {
    std::vector<int32_t> texts, starts, ends, names, n_words, n_content;
    std::vector<uint64_t> keys;
    std::vector<uint32_t> signs, before, after;
    std::vector<float> log_counts, lower_shares;

    template <typename Fn>
    void each(SpanColumns& other, Fn&& fn) {
        fn(texts, other.texts), fn(starts, other.starts), fn(ends, other.ends), fn(names, other.names);
        fn(n_words, other.n_words), fn(n_content, other.n_content), fn(keys, other.keys), fn(signs, other.signs);
        fn(before, other.before), fn(after, other.after);
        fn(log_counts, other.log_counts), fn(lower_shares, other.lower_shares);
    }
};

class NameMatcher {
public:
    NameMatcher(ArrayIn<uint8_t> tokens_data, ArrayIn<uint32_t> tokens_offsets, ArrayIn<uint32_t> tokens_slots,
                ArrayIn<int32_t> trie_child_ptr, ArrayIn<uint32_t> trie_labels, ArrayIn<uint8_t> writing)
        : held_{nb::cast(tokens_data),    nb::cast(tokens_offsets), nb::cast(tokens_slots),
                nb::cast(trie_child_ptr), nb::cast(trie_labels),    nb::cast(writing)},
          tokens_(token_table_of({"tokens_offsets", "tokens_slots"}, tokens_data, tokens_offsets, tokens_slots)),
          misspelt_(tokens_),
          trie_(token_trie_of(trie_child_ptr, trie_labels, tokens_)),
          writing_(writing.data()) {
        check_size("writing", writing, trie_.n_nodes(), "one for each node");
    }

    ArraysByName spans(StringList strings, const WordTable& words, int max_run, int n_threads) const {
        const Utf8List texts(strings);
        std::vector<SpanColumns> found(run_count(texts.size(), kTextsPerTask));
        parallel_for_runs(texts.size(), kTextsPerTask, n_threads, [&](size_t r, size_t begin, size_t end) {
            std::vector<TextWord> tokens;
            NameTokenizer own;  // that of the thread would be looked for at every word
            for (size_t i = begin; i < end && !stop_requested(); ++i) {
                const uint32_t language = read(texts[i].data(), texts[i].size(), words, own, tokens);
                const size_t first = found[r].starts.size();
                for (size_t t = 0; t < tokens.size(); ++t)
                    add_spans(texts[i].data(), texts[i].size(), tokens, words, t, max_run, language, found[r]);
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
        columns["n_words"] = to_numpy(std::move(all.n_words));
        columns["n_content"] = to_numpy(std::move(all.n_content));
        columns["keys"] = to_numpy(std::move(all.keys));
        columns["signs"] = to_numpy(std::move(all.signs));
        columns["before"] = to_numpy(std::move(all.before));
        columns["after"] = to_numpy(std::move(all.after));
        columns["log_counts"] = to_numpy(std::move(all.log_counts));
        columns["lower_shares"] = to_numpy(std::move(all.lower_shares));
        return columns;
    }

    // The number of each name; names that are compared alike share one; -1 if it is not looked for.
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

    // How many other names each name is part of, by its number.
    ArrayOut<int32_t> n_longer(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets) const {
        const Texts names(data, offsets);
        std::vector<int32_t> counts(trie_.n_nodes(), 0);
        const auto bounds = names.chunks(kChunkBytes);
        std::vector<int32_t> ids, inner;
        parallel_for(bounds.size() - 1, 1, [&](size_t chunk) {
            for (size_t i = bounds[chunk]; i < bounds[chunk + 1]; ++i) {
                ids.clear();
                inner.clear();
                tokenizer().run(names.text(i), without_qualifier(names.text(i), names.length(i)),
                                [&](const NameToken& word) {
                                    if (!ids.empty()) ids.push_back(gap_id(word.gap));
                                    ids.push_back(id_of(word.stem, WordTable::hash(word.stem)));
                                });
                for (size_t first = 0; first < ids.size(); first += 2) {
                    int32_t node = ids[first];
                    for (size_t last = first;;) {
                        if (node < 0) break;
                        if ((writing_[node] & kIsName) && !(first == 0 && last + 1 == ids.size()))
                            inner.push_back(node);
                        if (last + 1 >= ids.size()) break;
                        node = step(node, ids[last + 1], ids[last + 2]);
                        last += 2;
                    }
                }
                std::sort(inner.begin(), inner.end());
                inner.erase(std::unique(inner.begin(), inner.end()), inner.end());
                for (const int32_t node : inner) ++counts[static_cast<size_t>(node)];
            }
        });
        return to_numpy(std::move(counts));
    }

private:
    static NameTokenizer& tokenizer() {
        static thread_local NameTokenizer one;
        return one;
    }

    int32_t id_of(std::string_view stem, uint64_t hash) const { return tokens_.find(stem.data(), stem.size(), hash); }

    int32_t gap_id(std::string_view gap) const { return gap.empty() ? kSoftGap : id_of(gap, WordTable::hash(gap)); }

    // The node after one more word with this gap before it, or -1.
    int32_t step(int32_t node, int32_t gap, int32_t word) const {
        if (node < 0 || word < 0 || gap == -1) return -1;
        if (gap >= 0) node = trie_.child(node, gap);
        return node < 0 ? -1 : trie_.child(node, word);
    }

    int32_t number(const uint8_t* name, size_t size) const {
        int32_t node = -1;
        bool is_first = true;
        tokenizer().run(name, without_qualifier(name, size), [&](const NameToken& word) {
            const int32_t id = id_of(word.stem, WordTable::hash(word.stem));
            node = is_first ? id : step(node, gap_id(word.gap), id);
            is_first = false;
        });
        return node >= 0 && (writing_[node] & kIsName) ? node : -1;
    }

    // The words of a text; kOtherLanguage if the table hardly knows any.
    uint32_t read(const uint8_t* text, size_t size, const WordTable& words, NameTokenizer& tokenizer,
                  std::vector<TextWord>& tokens) const {
        tokens.clear();
        size_t n_cased = 0, n_known = 0;
        tokenizer.run(text, size, [&](const NameToken& word) {
            const uint64_t hash = WordTable::hash(word.stem);
            const int32_t number = words.find(word.stem, hash);
            tokens.push_back({id_of(word.stem, hash), gap_id(word.gap), number, hash, word.token.start, word.token.end,
                              word.token.byte_start, word.token.byte_end, word.n_possessive, word.casing,
                              word.gap_before, false});
            TextWord& added = tokens.back();
            if (added.id < 0 && number < 0) {
                added.id = misspelt_.find(word.stem);
                added.is_misspelt = added.id >= 0;
            }
            n_cased += !word.casing.is_number;
            n_known += !word.casing.is_number && number >= 0;
        });
        const bool is_other = n_cased >= kMinWordsOfLanguage &&
                              static_cast<double>(n_known) < kMinKnownShare * static_cast<double>(n_cased);
        return is_other ? kOtherLanguage : 0;
    }

    // All spans that begin at the word `first`.
    void add_spans(const uint8_t* text, size_t size, const std::vector<TextWord>& tokens, const WordTable& words,
                   size_t first, int max_run, uint32_t language, SpanColumns& found) const {
        int32_t node = tokens[first].id;
        bool is_run = tokens[first].casing.begins_upper && max_run > 0;
        if (node < 0 && !is_run) return;
        Casing casing = tokens[first].casing;
        bool has_lower_word = false, is_known = true, is_misspelt = false;
        float log_count = std::numeric_limits<float>::max(), lower_share = 1.0f;
        int32_t n_content = 0;
        uint64_t key = 0;
        for (size_t n = 1;; ++n) {
            const TextWord& last = tokens[first + n - 1];
            const WordTable::Word& word = words.word(last.number);
            key = mix_hash(key ^ last.hash) + n;
            is_misspelt |= last.is_misspelt;
            log_count = std::min(log_count, word.log_count);
            if (!word.is_stop) {
                lower_share = std::min(lower_share, word.lower_share);
                is_known &= last.number >= 0;
                ++n_content;
            }
            const bool is_name = node >= 0 && (writing_[node] & kIsName) &&
                                 !splits_katakana(text, size, tokens[first].byte_start, last.byte_end);
            const bool ends_run = is_run && n <= static_cast<size_t>(max_run) && !last.casing.begins_lower;
            if (is_name || ends_run) {
                uint32_t signs = language | writing_signs(text, tokens, first, n, casing);
                if (is_name) signs |= name_signs(writing_[node], casing, tokens[first]);
                if (is_name && is_misspelt) signs |= kMisspelt;
                if (has_lower_word) signs |= kHasLowerWord;
                if (n_content == 0) signs |= kStopWords;
                if (is_known) signs |= kKnownWords;
                size_t end = last.end + has_tail(text, size, tokens[first].byte_start, last.byte_start, last.byte_end,
                                                 last.end - last.start);
                if (is_name && (writing_[node] & kEndsPossessive)) end += last.n_possessive;
                found.starts.push_back(static_cast<int32_t>(tokens[first].start));
                found.ends.push_back(static_cast<int32_t>(end));
                found.names.push_back(is_name ? node : -1);
                found.n_words.push_back(static_cast<int32_t>(n));
                found.n_content.push_back(n_content);
                found.keys.push_back(key);
                found.signs.push_back(signs);
                found.before.push_back(word_beside(tokens, static_cast<ptrdiff_t>(first) - 1));
                found.after.push_back(word_beside(tokens, static_cast<ptrdiff_t>(first + n)));
                found.log_counts.push_back(log_count);
                found.lower_shares.push_back(n_content == 0 ? 1.0f : lower_share);
            }
            if (first + n >= tokens.size()) return;
            const TextWord& next = tokens[first + n];
            if (next.gap_before.is_far) return;
            node = step(node, next.gap_id, next.id);
            is_run &= !next.gap_before.is_hard && next.gap_id == kSoftGap && !next.gap_before.ends_sentence &&
                      last.n_possessive == 0 && (!next.casing.begins_lower || next.casing.n_chars <= 3) &&
                      n < static_cast<size_t>(max_run);
            if (node < 0 && !is_run) return;
            has_lower_word |= next.casing.begins_lower;
            casing.add(next.casing);
        }
    }

    // Whether a span begins or ends inside a word of katakana, which are words though nothing separates them.
    static bool splits_katakana(const uint8_t* text, size_t size, size_t begin, size_t end) {
        // U+30A1..U+30FF, three bytes each
        const auto is_katakana = [&](size_t at) {
            if (at + 3 > size || text[at] != 0xE3) return false;
            return (text[at + 1] == 0x82 && text[at + 2] >= 0xA1) || (text[at + 1] == 0x83 && text[at + 2] != 0xBB);
        };
        if (begin >= 3 && is_katakana(begin) && is_katakana(begin - 3)) return true;
        return end >= 3 && is_katakana(end - 3) && is_katakana(end);
    }

    static uint32_t name_signs(uint8_t listed, const Casing& casing, const TextWord& first) {
        uint32_t signs = kName;
        const uint8_t writing = writing_of(casing);
        const bool is_begun = writing == kInTitleCase && (listed & kInLower) && first.gap_before.ends_sentence;
        if ((listed & writing) || is_begun) signs |= kListedCase;
        if (listed & kInLower) signs |= kListedLower;
        if (!(listed & (kInLower | kInTitleCase | kInMixedCase))) signs |= kListedCapitals;
        return signs;
    }

    static uint32_t writing_signs(const uint8_t* text, const std::vector<TextWord>& tokens, size_t first, size_t n,
                                  const Casing& casing) {
        const TextWord& token = tokens[first];
        uint32_t signs = sign_of(writing_of(casing));
        if (token.gap_before.ends_sentence) signs |= kBeginsSentence;
        if (token.casing.is_all_upper() && !is_lower_beside(tokens, first, n)) signs |= kCapitalsAround;
        for (size_t i = first; i < first + n; ++i)
            if (tokens[i].casing.is_number) signs |= kHasNumber;
        if (first > 0) {
            const Gap& gap = token.gap_before;
            if (tokens[first - 1].casing.begins_upper && !gap.is_hard && !gap.is_far && !gap.ends_sentence)
                signs |= kFollowsUpper;
            if (text[token.byte_start - 1] == '-') signs |= kHyphenBefore;
        }
        if (first + n < tokens.size()) {
            const TextWord& next = tokens[first + n];
            const Gap& gap = next.gap_before;
            if (next.casing.begins_upper && !gap.is_hard && !gap.is_far && !gap.ends_sentence) signs |= kPrecedesUpper;
            if (text[next.byte_start - 1] == '-') signs |= kHyphenAfter;
        }
        return signs;
    }

    static bool is_lower_beside(const std::vector<TextWord>& tokens, size_t first, size_t n) {
        const bool is_lower_before = first > 0 && tokens[first - 1].casing.has_lower;
        return is_lower_before || (first + n < tokens.size() && tokens[first + n].casing.has_lower);
    }

    // A number for the word at a place, the same for every list; 0 where there is none.
    static uint32_t word_beside(const std::vector<TextWord>& tokens, ptrdiff_t at) {
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

    std::vector<nb::object> held_;  // the arrays the views below look into
    TokenTable tokens_;
    MisspeltWords misspelt_;
    TokenTrie trie_;
    const uint8_t* writing_;
};

// The stems of a text's words, as names and texts are compared by them.
nb::typed<nb::list, nb::str> stems(nb::str string) {
    const Utf8 text(string);
    nb::typed<nb::list, nb::str> found;
    NameTokenizer().run(text.data(), text.size(),
                        [&](const NameToken& word) { found.append(nb::str(word.stem.data(), word.stem.size())); });
    return found;
}

}  // namespace

void bind_name_spans(nb::module_& m) {
    nb::enum_<Sign>(m, "Sign", nb::is_flag(), nb::is_arithmetic(), "How a span is written and what stands around it.")
        .value("NAME", kName)
        .value("LISTED_CASE", kListedCase)
        .value("LISTED_LOWER", kListedLower)
        .value("LISTED_CAPITALS", kListedCapitals)
        .value("LOWER_CASE", kLowerCase)
        .value("TITLE_CASE", kTitleCase)
        .value("CAPITALS", kCapitals)
        .value("MIXED_CASE", kMixedCase)
        .value("BEGINS_SENTENCE", kBeginsSentence)
        .value("CAPITALS_AROUND", kCapitalsAround)
        .value("FOLLOWS_UPPER", kFollowsUpper)
        .value("PRECEDES_UPPER", kPrecedesUpper)
        .value("IN_LONGER_NAME", kInLongerName)
        .value("HYPHEN_BEFORE", kHyphenBefore)
        .value("HYPHEN_AFTER", kHyphenAfter)
        .value("HAS_NUMBER", kHasNumber)
        .value("HAS_LOWER_WORD", kHasLowerWord)
        .value("STOP_WORDS", kStopWords)
        .value("KNOWN_WORDS", kKnownWords)
        .value("OTHER_LANGUAGE", kOtherLanguage)
        .value("LEARNED_NAME", kLearnedName)
        .value("RECOGNIZED", kRecognized)
        .value("SHORT_FORM", kShortForm)
        .value("MISSPELT", kMisspelt);
    nb::class_<WordTable> words(m, "WordTable", "Words of a language with their frequency and writing.");
    define_init<ArrayIn<uint8_t>, ArrayIn<int64_t>, ArrayIn<float>, ArrayIn<float>, ArrayIn<uint8_t>>(
        words, {"data", "offsets", "log_counts", "lower_shares", "is_stop"});
    nb::class_<NameMatcher> matcher(m, "NameMatcher", "Names to be found in texts, in arrays it only looks into.");
    define_init<ArrayIn<uint8_t>, ArrayIn<uint32_t>, ArrayIn<uint32_t>, ArrayIn<int32_t>, ArrayIn<uint32_t>,
                ArrayIn<uint8_t>>(
        matcher, {"tokens_data", "tokens_offsets", "tokens_slots", "trie_child_ptr", "trie_labels", "writing"});
    define(matcher, "spans", &NameMatcher::spans, {"texts", "words", "max_run", "n_threads"},
           "The columns of all spans found, by text, start and end.");
    define(matcher, "numbers", &NameMatcher::numbers, {"data", "offsets", "n_threads"},
           "The number of each name, or -1.");
    define(matcher, "n_longer", &NameMatcher::n_longer, {"data", "offsets"},
           "How many of these names each name is a part of, by its number.");
    define(m, "stems", &stems, {"text"}, "The stems of a text's words.");
}

}  // namespace deixis
