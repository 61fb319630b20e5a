// Builds the trie of names that dictionary.cpp matches, and decides how each name must be written in a text to count.
#include <algorithm>
#include <string>

#include "dictionary.hpp"
#include "parallel.hpp"
#include "texts.hpp"
#include "token_arrays.hpp"
#include "trie_build.hpp"

namespace deixis {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr size_t kMaxSampledTexts = 20000;
constexpr uint32_t kMaxAcronymLetters = 3;

struct NameRules {
    uint32_t min_chars, min_chars_unspaced;
    size_t max_tokens;
    bool ignores_case;
    double common_share, frequent_share, stop_share;
    int min_common_texts;
};

// A name as it was written; its tokens lie in one long list.
struct Name {
    size_t first_token;
    uint32_t n_tokens;
    Casing casing;
    bool has_hard_gap = false;
    bool is_unspaced = false;
    bool is_phrase = false;  // several words, of which a later one begins in lower case: Heart attack, not New York
};

class DictionaryBuild {
public:
    DictionaryBuild(const Texts& names, const Texts& texts, const Texts& stop_words, NameRules rules)
        : names_(names), texts_(texts), stop_words_(stop_words), rules_(rules) {}

    ArraysByName run() {
        {
            nb::gil_scoped_release released;
            read_stop_words();
            read_names();
            count_lower_case();
            TokenArrays arrays(tokens_, [](size_t) { return true; });
            arrays_ = std::move(arrays);
            grow_trie();
        }
        ArraysByName arrays;
        put_tokens(arrays, "tokens", arrays_);
        arrays["trie.child_ptr"] = to_numpy(std::move(trie_.child_ptr));
        arrays["trie.labels"] = to_numpy(std::move(trie_.labels));
        arrays["flags"] = to_numpy(std::move(flags_));
        return arrays;
    }

private:
    // One after the other, with a look at signals between chunks.
    template <typename Fn>
    static void walk(const Texts& texts, Fn&& fn) {
        const std::vector<size_t> bounds = texts.chunks(kChunkBytes, 1 << 14);
        parallel_for(bounds.size() - 1, 1, [&](size_t c) {
            for (size_t i = bounds[c]; i < bounds[c + 1]; ++i) fn(i);
        });
    }

    void read_stop_words() {
        for (size_t i = 0; i < stop_words_.size(); ++i)
            tokenizer_.run(stop_words_.text(i), stop_words_.length(i), [&](const TokenView& token) {
                tokens_.add(token.text, token.size, hash_bytes(token.text, token.size));
            });
        n_stop_words_ = tokens_.size();
    }

    bool is_stop_word(int32_t token) const { return static_cast<size_t>(token) < n_stop_words_; }

    void read_names() {
        walk(names_, [&](size_t i) {
            const uint8_t* text = names_.text(i);
            const size_t size = names_.length(i);
            read_name(text, without_qualifier(text, size));
        });
        size_t n_cased = 0, n_all_upper = 0, n_lower = 0;
        for (const Name& name : found_) {
            n_cased += name.casing.n_letters > 1;
            n_lower += name.casing.n_letters > 1 && name.casing.begins_lower;
            n_all_upper += name.casing.n_letters > 1 && name.casing.is_all_upper();
        }
        // A list all in capitals says nothing about how its names are written elsewhere.
        if (2 * n_all_upper > n_cased) rules_.ignores_case = true;
        is_lower_list_ = 2 * n_lower > n_cased;
    }

    void read_name(const uint8_t* text, size_t size) {
        Name name{ids_.size(), 0, {}};
        size_t before = 0;
        tokenizer_.run(text, size, [&](const TokenView& token) {
            const uint32_t id = tokens_.add(token.text, token.size, hash_bytes(token.text, token.size));
            const Casing casing = casing_of(text, token.byte_start, token.byte_end);
            if (name.n_tokens == 0) {
                name.casing = casing;
            } else {
                const Gap gap = gap_between(text, before, token.byte_start);
                name.casing.add(casing);
                name.has_hard_gap |= gap.is_hard || (name.is_unspaced && token.is_unspaced && !gap.is_empty);
                name.is_phrase |= casing.begins_lower && casing.n_chars > 2 && !is_stop_word(static_cast<int>(id));
            }
            name.is_unspaced |= token.is_unspaced;
            ids_.push_back(static_cast<int32_t>(id));
            ++name.n_tokens;
            before = token.byte_end;
        });
        const uint32_t least = name.is_unspaced ? rules_.min_chars_unspaced : rules_.min_chars;
        const bool is_usable = name.n_tokens > 0 && name.n_tokens <= rules_.max_tokens && !name.casing.is_number &&
                               name.casing.n_chars >= least;
        if (is_usable)
            found_.push_back(name);
        else
            ids_.resize(name.first_token);
    }

    // In how many of the knowledge base's own texts (a sample, if they are many) each token begins in lower case.
    void count_lower_case() {
        n_lower_.assign(tokens_.size(), 0);
        std::vector<uint32_t> last_text(tokens_.size(), 0);
        const size_t stride = (texts_.size() + kMaxSampledTexts - 1) / kMaxSampledTexts;
        if (stride == 0) return;
        n_sampled_ = (texts_.size() + stride - 1) / stride;
        parallel_for_runs(n_sampled_, 1000, 1, [&](size_t, size_t begin, size_t end) {
            for (size_t s = begin; s < end; ++s) {
                const uint8_t* text = texts_.text(s * stride);
                tokenizer_.run(text, texts_.length(s * stride), [&](const TokenView& token) {
                    const Decoded first = decode_utf8(text, token.byte_start, token.byte_end);
                    if (!char_record(first.cp).is_lower()) return;
                    const int64_t id = tokens_.find(token.text, token.size, hash_bytes(token.text, token.size));
                    if (id < 0 || last_text[id] == s + 1) return;
                    last_text[id] = static_cast<uint32_t>(s + 1);
                    ++n_lower_[id];
                });
            }
        });
    }

    uint8_t conditions(const Name& name) const {
        uint8_t flags = kEndsName | (name.has_hard_gap ? kHasHardGap : 0);
        const Casing& casing = name.casing;
        const bool is_acronym = casing.is_all_upper() && casing.n_letters > 1 && casing.n_letters <= kMaxAcronymLetters;
        if (rules_.ignores_case || casing.begins_lower || name.is_phrase)
            flags |= kFoundLower | kFoundUpper | kFoundAllUpper;
        else if (is_acronym)
            flags |= kFoundAllUpper;
        else
            flags |= kFoundUpper | kFoundAllUpper;
        if (casing.n_letters == 0) return flags;
        if (is_all_stop_words(name)) {
            // Words like "it" count only where they are written as names: capitals inside a sentence.
            flags &= ~(kFoundLower | kFoundAllUpper);
            return flags | kCommonWord | (casing.is_all_upper() ? kFoundAllUpper : 0);
        }
        if (name.n_tokens != 1) return flags;
        const int32_t token = ids_[name.first_token];
        // In a list all in lower case, the case of a name says nothing; among names with capitals it marks a word.
        if (is_in_share(token, is_lower_list_ ? rules_.stop_share : rules_.common_share) && !rules_.ignores_case)
            flags &= ~kFoundLower;
        if (is_in_share(token, rules_.frequent_share) && casing.begins_upper) flags |= kCommonWord;
        return flags;
    }

    bool is_all_stop_words(const Name& name) const {
        if (name.n_tokens > 1 && name.casing.n_chars == name.n_tokens) return false;  // initials: U.S.
        for (size_t i = 0; i < name.n_tokens; ++i)
            if (!is_stop_word(ids_[name.first_token + i])) return false;
        return true;
    }

    // Whether at least that share of the knowledge base's texts has the token in lower case.
    bool is_in_share(int32_t token, double share) const {
        const double n_lower = n_lower_[token];
        return n_lower >= rules_.min_common_texts && n_lower >= share * static_cast<double>(n_sampled_);
    }

    // Names with the same tokens: whatever one of them allows.
    void end_name(size_t node, const Name& name) {
        const uint8_t flags = conditions(name), before = flags_[node];
        const bool is_common = (flags & kCommonWord) && (!(before & kEndsName) || (before & kCommonWord));
        flags_[node] = static_cast<uint8_t>(((before | flags) & ~kCommonWord) | (is_common ? kCommonWord : 0));
    }

    void grow_trie() {
        flags_.assign(tokens_.size(), 0);
        trie_ = build_trie(tokens_.size(), ids_, found_, [&](size_t node, size_t i) {
            if (node >= flags_.size()) flags_.resize(node + 1, 0);
            end_name(node, found_[i]);
        });
        flags_.resize(trie_.n_nodes, 0);
    }

    const Texts &names_, &texts_, &stop_words_;
    NameRules rules_;
    Tokenizer tokenizer_{FoldOptions{}};
    TokenBuilder tokens_;
    size_t n_stop_words_ = 0, n_sampled_ = 0;
    bool is_lower_list_ = false;
    std::vector<int32_t> ids_, n_lower_;
    std::vector<Name> found_;
    TokenArrays arrays_;
    BuiltTrie trie_;
    std::vector<uint8_t> flags_;
};

ArraysByName dictionary_build(ArrayIn<uint8_t> name_data, ArrayIn<int64_t> name_offsets, ArrayIn<uint8_t> text_data,
                              ArrayIn<int64_t> text_offsets, ArrayIn<uint8_t> stop_data, ArrayIn<int64_t> stop_offsets,
                              int min_chars, int min_chars_unspaced, int max_tokens, double common_share,
                              double frequent_share, double stop_share, int min_common_texts) {
    const Texts names(name_data, name_offsets), texts(text_data, text_offsets), stop_words(stop_data, stop_offsets);
    const NameRules rules{static_cast<uint32_t>(min_chars),
                          static_cast<uint32_t>(min_chars_unspaced),
                          static_cast<size_t>(max_tokens),
                          false,
                          common_share,
                          frequent_share,
                          stop_share,
                          min_common_texts};
    return DictionaryBuild(names, texts, stop_words, rules).run();
}

}  // namespace

void bind_dictionary_build(nb::module_& m) {
    define(m, "dictionary_build", &dictionary_build,
           {"name_data", "name_offsets", "text_data", "text_offsets", "stop_data", "stop_offsets", "min_chars",
            "min_chars_unspaced", "max_tokens", "common_share", "frequent_share", "stop_share", "min_common_texts"},
           "The arrays of a dictionary of names.");
}

}  // namespace deixis
