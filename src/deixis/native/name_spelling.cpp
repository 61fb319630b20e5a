// How well names are spelled as others are: the similarity of their characters, and the words that they share.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "indel_query.hpp"
#include "string_hash.hpp"
#include "texts.hpp"
#include "tokenizer.hpp"

namespace deixis {
namespace {

constexpr size_t kPrefix = 4;  // letters that two words of as many or more must begin with to count as forms of one
constexpr double kFillerWeight = 0.1;
constexpr size_t kColumns = 3;

// How alike two names are: 1 less their Indel distance over their lengths together; 1 for two empty ones.
double similarity_of(const uint8_t* name, size_t name_size, const uint8_t* query, size_t query_size) {
    NumberOf numbers;
    std::vector<uint8_t> characters;
    int64_t length = 0;
    for (size_t at = 0; at < name_size; ++length) {
        const auto decoded = decode_utf8(name, at, name_size);
        at += decoded.n_bytes;
        append_number(numbers.try_emplace(decoded.cp, static_cast<uint32_t>(numbers.size())).first->second, characters);
    }
    IndelQuery compared;
    compared.read(query, query_size, numbers, numbers.size());
    const StoredName only{characters.data(), characters.data() + characters.size(), length};
    const auto together = length + compared.length();
    return together == 0 ? 1.0 : 2.0 * static_cast<double>(compared.lcs({&only, 1})[0]) / static_cast<double>(together);
}

double indel_similarity(nb::str name, nb::str query) {
    const Utf8 first(name), second(query);
    return similarity_of(first.data(), first.size(), second.data(), second.size());
}

// The different words of a name; in a script without spaces, every two characters that follow one another.
std::vector<std::string> words_of(const uint8_t* text, size_t size, Tokenizer& tokenizer) {
    std::vector<std::string> words, run;
    const auto end_run = [&] {
        if (run.size() == 1) words.push_back(run[0]);
        for (size_t i = 0; i + 1 < run.size(); ++i) words.push_back(run[i] + run[i + 1]);
        run.clear();
    };
    size_t end = 0;
    tokenizer.run(text, size, [&](const TokenView& token) {
        if (token.start != end) end_run();
        run.emplace_back(token.text, token.size);
        end = token.end;
    });
    end_run();
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

// The bytes of the first letters of a word; 0 if it has fewer.
size_t prefix_size(const std::string& word) {
    size_t at = 0, n = 0;
    const auto* bytes = reinterpret_cast<const uint8_t*>(word.data());
    for (; n < kPrefix && at < word.size(); ++n) at += decode_utf8(bytes, at, word.size()).n_bytes;
    return n == kPrefix ? at : 0;
}

struct Word {
    std::string text;
    size_t prefix;
    bool is_filler;
};

bool is_near(const Word& word, const std::vector<std::string>& others) {
    if (std::binary_search(others.begin(), others.end(), word.text)) return true;
    if (word.prefix == 0) return false;
    return std::any_of(others.begin(), others.end(), [&](const std::string& other) {
        return other.compare(0, word.prefix, word.text, 0, word.prefix) == 0;
    });
}

double weight(size_t n_telling, size_t n_fillers) {
    return static_cast<double>(n_telling) + kFillerWeight * static_cast<double>(n_fillers);
}

// For each query its similarity to the best of its names, the most of its words that one name has or that begin as
// words of it do, by weight, and whether one name has all of them. Queries and names are numbers of keys.
ArrayOut<double> name_spelling(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, ArrayIn<int64_t> queries,
                               ArrayIn<int64_t> starts, ArrayIn<int64_t> names, ArrayIn<uint64_t> fillers) {
    const Texts keys(data, offsets);
    const size_t n = queries.shape(0);
    check_numbers("queries", queries, static_cast<int64_t>(keys.size()));
    check_starts("starts", starts, n, names.shape(0));
    check_numbers("names", names, static_cast<int64_t>(keys.size()));
    const uint64_t *first_filler = fillers.data(), *last_filler = first_filler + fillers.shape(0);
    std::vector<double> spelled(n * kColumns, 0.0);
    Tokenizer tokenizer{FoldOptions{}};
    std::vector<std::vector<std::string>> known(keys.size());  // words of keys that were read before
    const auto words = [&](int64_t key) -> const std::vector<std::string>& {
        auto& own = known[static_cast<size_t>(key)];
        const auto at = static_cast<size_t>(key);
        if (own.empty()) own = words_of(keys.text(at), keys.length(at), tokenizer);
        return own;
    };
    std::vector<Word> own;
    for (size_t i = 0; i < n; ++i) {
        const auto query = static_cast<size_t>(queries.data()[i]);
        own.clear();
        size_t n_fillers = 0;
        for (const std::string& word : words(queries.data()[i])) {
            const uint64_t hash = string_hash(reinterpret_cast<const uint8_t*>(word.data()), word.size());
            const bool is_filler = std::binary_search(first_filler, last_filler, hash);
            n_fillers += is_filler;
            own.push_back({word, prefix_size(word), is_filler});
        }
        if (own.empty()) continue;
        const double total = weight(own.size() - n_fillers, n_fillers);
        double* best = spelled.data() + kColumns * i;
        for (auto at = starts.data()[i]; at < starts.data()[i + 1]; ++at) {
            const auto& others = words(names.data()[at]);
            if (others.empty()) continue;
            const auto name = static_cast<size_t>(names.data()[at]);
            best[0] = std::max(best[0],
                               similarity_of(keys.text(name), keys.length(name), keys.text(query), keys.length(query)));
            size_t n_near = 0, n_near_fillers = 0;
            bool has_all = true;
            for (const Word& word : own) {
                has_all = has_all && std::binary_search(others.begin(), others.end(), word.text);
                if (!is_near(word, others)) continue;
                (word.is_filler ? n_near_fillers : n_near) += 1;
            }
            best[1] = std::max(best[1], weight(n_near, n_near_fillers) / total);
            if (has_all) best[2] = 1.0;
        }
    }
    return to_numpy(std::move(spelled));
}

}  // namespace

void bind_name_spelling(nb::module_& m) {
    define(m, "indel_similarity", &indel_similarity, {"name", "query"}, "How similar two names are, 0 to 1.");
    define(
        m, "name_spelling", &name_spelling, {"data", "offsets", "queries", "starts", "names", "fillers"},
        "For each query the similarity of the best of its names, the most of its words that one has, and whether one "
        "has them all. Fillers are ascending hashes.");
}

}  // namespace deixis
