// Builds the trie of stems and punctuation that name_spans.cpp matches, with how the list writes each name.
#include "dictionary.hpp"
#include "parallel.hpp"
#include "token_arrays.hpp"
#include "trie_build.hpp"
#include "word_table.hpp"

namespace deixis {
namespace {

// The arrays of a NameMatcher. Names of fewer characters, of more words, and of digits only are left out.
ArraysByName names_build(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, int min_chars, int min_chars_unspaced,
                         int max_words) {
    const Texts names(data, offsets);
    TokenBuilder tokens;
    std::vector<int32_t> ids;
    std::vector<TokenRun> runs;
    std::vector<uint8_t> writings;  // of each run
    std::vector<uint8_t> writing;   // of each node
    TokenArrays arrays;
    BuiltTrie trie;
    {
        nb::gil_scoped_release released;
        NameTokenizer tokenizer;
        const auto add = [&](std::string_view text) {
            ids.push_back(static_cast<int32_t>(tokens.add(text.data(), text.size(), WordTable::hash(text))));
        };
        const std::vector<size_t> bounds = names.chunks(size_t{1} << 20, 1 << 14);
        parallel_for(bounds.size() - 1, 1, [&](size_t chunk) {
            for (size_t i = bounds[chunk]; i < bounds[chunk + 1]; ++i) {
                const size_t first = ids.size();
                Casing casing;
                uint32_t n_words = 0, n_gaps = 0;
                size_t comma = 0;  // where the number of the comma is
                bool is_unspaced = false, is_possessive = false;
                tokenizer.run(names.text(i), without_qualifier(names.text(i), names.length(i)),
                              [&](const NameToken& word) {
                                  if (n_words == 0)
                                      casing = word.casing;
                                  else
                                      casing.add(word.casing);
                                  if (n_words > 0 && !word.gap.empty()) {
                                      ++n_gaps;
                                      if (word.gap == ",") comma = ids.size();
                                      add(word.gap);
                                  }
                                  add(word.stem);
                                  ++n_words;
                                  is_unspaced |= word.token.is_unspaced;
                                  is_possessive = word.n_possessive > 0;
                              });
                const auto least = static_cast<uint32_t>(is_unspaced ? min_chars_unspaced : min_chars);
                if (n_words == 0 || n_words > static_cast<uint32_t>(max_words) || casing.is_number ||
                    casing.n_chars < least) {
                    ids.resize(first);
                    continue;
                }
                const auto n_ids = static_cast<uint32_t>(ids.size() - first);
                runs.push_back({first, n_ids});
                writings.push_back(
                    static_cast<uint8_t>(kIsName | writing_of(casing) | (is_possessive ? kEndsPossessive : 0)));
                // "Dystrophy, Duchenne" is also found as "Duchenne dystrophy".
                if (n_gaps != 1 || comma == 0) continue;
                for (size_t at = comma + 1; at < first + n_ids; ++at) ids.push_back(ids[at]);
                for (size_t at = first; at < comma; ++at) ids.push_back(ids[at]);
                runs.push_back({first + n_ids, n_ids - 1});
                writings.push_back(static_cast<uint8_t>(kIsName | writing_of(casing)));
            }
        });
        arrays = TokenArrays(tokens, [](size_t) { return true; });
        writing.assign(tokens.size(), 0);
        trie = build_trie(tokens.size(), ids, runs, [&](size_t node, size_t run) {
            if (node >= writing.size()) writing.resize(node + 1, 0);
            writing[node] |= writings[run];
        });
        writing.resize(trie.n_nodes, 0);
    }
    ArraysByName built;
    put_tokens(built, "tokens", arrays);
    built["trie.child_ptr"] = to_numpy(std::move(trie.child_ptr));
    built["trie.labels"] = to_numpy(std::move(trie.labels));
    built["writing"] = to_numpy(std::move(writing));
    return built;
}

}  // namespace

void bind_names_build(nb::module_& m) {
    define(m, "names_build", &names_build, {"data", "offsets", "min_chars", "min_chars_unspaced", "max_words"},
           "The arrays of a matcher of names.");
}

}  // namespace deixis
