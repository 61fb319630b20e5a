// What candidates have of the words around mentions: of windows of the text, of the mention's sentence, of the other
// mentions of the document, and of the mention itself. The words of a text are numbered once; each mention puts their
// weights under these numbers; the words of each candidate are read once, for all of this. Candidates lie all
// over memory, so those that come next are prefetched.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "entity_words.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "tokenized_text.hpp"
#include "word_numbers.hpp"

namespace deixis {
namespace {

constexpr size_t kMaxLanes = 8;  // windows, the sentence, the document's mentions, the mention
constexpr int64_t kAhead = 6;    // candidates whose words are prefetched before they are read

// The words of entities' descriptions and titles, one after the other, with a scale for each; in one part or several.
class EntityWords {
public:
    enum Kind : size_t { kDescription, kTitle, kKinds };

    EntityWords(const std::vector<ArrayIn<uint32_t>>& starts, const std::vector<ArrayIn<uint16_t>>& words,
                const std::vector<MatrixIn>& scales) {
        if (starts.empty() || words.size() != starts.size() || scales.size() != starts.size())
            refuse("As many arrays of row starts, words and scales are needed, and at least one of each.");
        for (size_t i = 0; i < starts.size(); ++i) {
            const size_t n_entities = scales[i].shape(0);
            check_ends("row_starts", starts[i], kKinds * n_entities, words[i].shape(0));
            if (scales[i].shape(1) != kKinds) refuse("scales has ", scales[i].shape(1), " columns; it needs two.");
            const auto before = static_cast<ptrdiff_t>(kKinds) * n_entities_;
            parts_.push_back({starts[i].data() - before, words[i].data(), scales[i].data() - before});
            n_entities_ += static_cast<int64_t>(n_entities);
            ends_.push_back(n_entities_);
        }
    }

    int64_t size() const { return n_entities_; }

    struct Row {
        const uint16_t *begin, *end;
        float scale;
    };

    Row row(int64_t entity, Kind kind) const {
        const Part& part = part_of(entity);
        const auto at = kKinds * entity + kind;
        return {part.words + part.starts[at], part.words + part.starts[at + 1], part.scales[at]};
    }

    void prefetch_entity(int64_t entity) const {
        const Part& part = part_of(entity);
        prefetch(part.starts + kKinds * entity);
        prefetch(part.scales + kKinds * entity);
    }

    // The words of most entities lie in two or three lines.
    void prefetch_words(int64_t entity) const {
        const Part& part = part_of(entity);
        const uint16_t* words = part.words + part.starts[kKinds * entity];
        for (int line = 0; line < 3; ++line) prefetch(words + 32 * line);
    }

private:
    struct Part {
        const uint32_t* starts;  // both by entities of all parts
        const uint16_t* words;
        const float* scales;
    };

    const Part& part_of(int64_t entity) const {
        size_t i = 0;
        while (entity >= ends_[i]) ++i;
        return parts_[i];
    }

    std::vector<Part> parts_;
    std::vector<int64_t> ends_;
    int64_t n_entities_ = 0;
};

struct Weighted {
    int32_t column;
    float weight;
};

// A text, its words and those of all its mentions with their numbers.
struct ContextText {
    ContextText(const Utf8& string, const WordColumns& columns, const int32_t* columns_of, const float* idf,
                std::vector<Weighted> mention_words)
        : text(string, columns), numbers(text.words().size() + mention_words.size()) {
        const auto& words = text.words();
        for (size_t i = 0; i < words.size(); ++i)
            if (idf[words[i]] != 0) numbers.add(columns_of == nullptr ? words[i] : columns_of[words[i]], i);
        n_words = words.size();
        int32_t last = -1;
        std::sort(mention_words.begin(), mention_words.end(), [](auto& a, auto& b) { return a.column < b.column; });
        for (const auto& [column, weight] : mention_words) {
            if (column == last) continue;
            last = column;
            int32_t number = numbers.find(column);
            if (number < 0) numbers.add(column, static_cast<size_t>(number = static_cast<int32_t>(n_words++)));
            together.push_back({number, weight});
            sum += weight;
        }
    }

    TokenizedText text;
    WordNumbers numbers;
    size_t n_words = 0;
    std::vector<Weighted> together;  // numbers of the words of all mentions, and their weights
    double sum = 0.0;                // of these weights
};

using Lanes = std::array<double, kMaxLanes>;  // as they are added up; each is a float

// The weights of words for one mention, by number; one for each worker.
struct MentionWeights {
    explicit MentionWeights(FoldOptions fold) : gathered(fold) {}

    void clear(size_t n_words) {
        described.assign(n_words, {});
        titled.assign(n_words, {});
        others.clear();
    }

    // The number of a word that the text does not have.
    size_t number_of_other(int32_t column) {
        for (const auto& [own, number] : others)
            if (own == column) return static_cast<size_t>(number);
        others.push_back({column, static_cast<int32_t>(described.size())});
        described.push_back({});
        titled.push_back({});
        return described.size() - 1;
    }

    int32_t find(const WordNumbers& numbers, int32_t column) const {
        if (numbers.may_have(column))
            if (const int32_t number = numbers.find(column); number >= 0) return number;
        for (const auto& [own, number] : others)
            if (own == column) return number;
        return -1;
    }

    // The sums over the words of a candidate, added in their order.
    template <size_t n_lanes, typename Weights>
    std::array<double, n_lanes> sums(const WordNumbers& numbers, const EntityWords::Row& row,
                                     const Weights& weights) const {
        std::array<double, n_lanes> sums{};
        const auto add = [&](int32_t number) {
            const auto& own = weights[static_cast<size_t>(number)];
            for (size_t lane = 0; lane < n_lanes; ++lane) sums[lane] += own[lane];
        };
        if (others.empty()) {
            for_each_number(numbers, row.begin, row.end, add);
        } else {
            for_each_word(row.begin, row.end, [&](int32_t column) {
                if (const int32_t number = find(numbers, column); number >= 0) add(number);
            });
        }
        return sums;
    }

    GatheredWords gathered;
    std::vector<Lanes> described;
    std::vector<std::array<double, 4>> titled;        // of the mention, of the text, of the text without the mention
    std::vector<std::pair<int32_t, int32_t>> others;  // columns and numbers of words that the text does not have
    std::vector<std::pair<size_t, float>> row;
};

struct Mentions {
    const int64_t *documents, *starts, *ends;
    CsrView words;
};

struct Windows {
    const std::vector<int64_t>& sizes;
    int64_t sentence_margin;

    size_t size() const { return sizes.size() + (sentence_margin > 0); }
};

class ContextSums {
public:
    ContextSums(const float* idf, const int32_t* columns_of, const Mentions& mentions, const Windows& windows,
                const EntityWords& entities, bool has_descriptions, float min_rest)
        : idf_(idf),
          columns_of_(columns_of),
          mentions_(mentions),
          windows_(windows),
          entities_(entities),
          has_descriptions_(has_descriptions),
          min_rest_(min_rest) {}

    // Puts the weights of a mention's words in their lanes.
    void fill(size_t mention, const ContextText& context, MentionWeights& weights) const {
        weights.clear(context.n_words);
        const Span span{static_cast<size_t>(mentions_.starts[mention]), static_cast<size_t>(mentions_.ends[mention])};
        for (size_t w = 0; w < windows_.size(); ++w) {
            if (w < windows_.sizes.size())
                context.text.add_around(span, static_cast<size_t>(windows_.sizes[w]), weights.gathered);
            else
                context.text.add_sentence(span, static_cast<size_t>(windows_.sentence_margin), weights.gathered);
            double sum = 0.0;
            weights.row.clear();
            context.text.take(weights.gathered, [&](size_t number, int32_t column) {
                const float weight = idf_[column];
                if (weight == 0) return;
                sum += weight * weight;
                if (number == TokenizedText::kNone) number = number_of(column, context, weights);
                weights.row.push_back({number, weight});
            });
            const double length = std::max(std::sqrt(sum), 1e-9);
            for (const auto& [number, weight] : weights.row) {
                weights.described[number][w] = static_cast<float>(weight * weight / length);
                if (w == 0) weights.titled[number][1] = weights.titled[number][2] = weight;
            }
        }
        const size_t document = windows_.size(), own = document + 1;
        for (const auto& [number, weight] : context.together)
            weights.described[static_cast<size_t>(number)][document] = weight;
        for (auto i = mentions_.words.indptr[mention]; i < mentions_.words.indptr[mention + 1]; ++i) {
            const auto number = static_cast<size_t>(context.numbers.find(mentions_.words.indices[i]));
            const float weight = mentions_.words.data[i];
            weights.described[number][own] = weights.titled[number][0] = weight;
            if (weight != 0) weights.titled[number][2] = 0;
        }
    }

    // The numbers of a mention's candidates, a row of `n_pairs` after the other.
    template <size_t n_lanes>
    void sum(size_t mention, const ContextText& context, const MentionWeights& weights, const int64_t* rows,
             int64_t first, int64_t last, float* described, float* titled, size_t n_pairs) const {
        const double length = length_of_others(mention, context);
        for (auto pair = first; pair < last; ++pair) {
            if (pair + 2 * kAhead < last) entities_.prefetch_entity(rows[pair + 2 * kAhead]);
            if (pair + kAhead < last) entities_.prefetch_words(rows[pair + kAhead]);
            if (has_descriptions_) {
                const auto row = entities_.row(rows[pair], EntityWords::kDescription);
                const auto sums = weights.sums<n_lanes>(context.numbers, row, weights.described);
                for (size_t w = 0; w + 2 < n_lanes; ++w)
                    described[w * n_pairs + pair] = static_cast<float>(sums[w]) * row.scale;
                const float others =
                    std::max(static_cast<float>(sums[n_lanes - 2]) - static_cast<float>(sums[n_lanes - 1]), 0.0f);
                described[(n_lanes - 2) * n_pairs + pair] =
                    length == 0 ? 0.0f : static_cast<float>(others * (row.scale / length));
            }
            const auto row = entities_.row(rows[pair], EntityWords::kTitle);
            const auto sums = weights.sums<3>(context.numbers, row, weights.titled);
            const float rest = 1.0f - static_cast<float>(sums[0]) * row.scale;
            titled[pair] = static_cast<float>(sums[1]) * row.scale;
            titled[n_pairs + pair] = rest > min_rest_ ? static_cast<float>(sums[2]) * row.scale / rest : 0.0f;
        }
    }

private:
    size_t number_of(int32_t column, const ContextText& context, MentionWeights& weights) const {
        const int32_t known_as = columns_of_ == nullptr ? column : columns_of_[column];
        const int32_t number = context.numbers.find(known_as);
        return number < 0 ? weights.number_of_other(known_as) : static_cast<size_t>(number);
    }

    // The length of the vector of the other mentions' words; 0 if there are none.
    double length_of_others(size_t mention, const ContextText& context) const {
        if (mentions_.words.nnz(mention) == static_cast<int64_t>(context.together.size())) return 0.0;
        double own = 0.0;
        for (auto i = mentions_.words.indptr[mention]; i < mentions_.words.indptr[mention + 1]; ++i)
            own += mentions_.words.data[i];
        return std::sqrt(std::max(context.sum - own, 1e-9));
    }

    const float* idf_;
    const int32_t* columns_of_;
    const Mentions& mentions_;
    const Windows& windows_;
    const EntityWords& entities_;
    bool has_descriptions_;
    float min_rest_;
};

using Summing = void (ContextSums::*)(size_t, const ContextText&, const MentionWeights&, const int64_t*, int64_t,
                                      int64_t, float*, float*, size_t) const;

constexpr std::array<Summing, kMaxLanes - 2> kSummings{&ContextSums::sum<3>, &ContextSums::sum<4>,
                                                       &ContextSums::sum<5>, &ContextSums::sum<6>,
                                                       &ContextSums::sum<7>, &ContextSums::sum<8>};

// The words of all mentions of each text.
std::vector<std::vector<Weighted>> words_together(size_t n_texts, size_t n_mentions, const Mentions& mentions) {
    std::vector<std::vector<Weighted>> together(n_texts);
    for (size_t i = 0; i < n_mentions; ++i)
        for (auto at = mentions.words.indptr[i]; at < mentions.words.indptr[i + 1]; ++at)
            together[static_cast<size_t>(mentions.documents[i])].push_back(
                {mentions.words.indices[at], mentions.words.data[at]});
    return together;
}

// Mentions with the same candidates one after the other: what the first of them has brought near serves the others.
std::vector<size_t> order_of(const int64_t* starts, const int64_t* rows, size_t n_mentions) {
    std::vector<std::array<int64_t, 4>> keys;  // few mentions agree in these and have other candidates
    for (size_t i = 0; i < n_mentions; ++i) {
        const int64_t first = starts[i], last = starts[i + 1];
        const bool has_some = first < last;
        keys.push_back(
            {has_some ? rows[first] : -1, has_some ? rows[last - 1] : -1, last - first, static_cast<int64_t>(i)});
    }
    std::sort(keys.begin(), keys.end());
    std::vector<size_t> order;
    for (const auto& key : keys) order.push_back(static_cast<size_t>(key[3]));
    return order;
}

auto context_words(const std::vector<const TfidfVocabulary*>& vocabularies, ArrayIn<float> idf,
                   ArrayIn<int32_t> columns_of, StringList strings, ArrayIn<int64_t> documents, ArrayIn<int64_t> starts,
                   ArrayIn<int64_t> ends, ArrayIn<int64_t> word_indptr, ArrayIn<int32_t> word_columns,
                   ArrayIn<float> word_weights, const std::vector<int64_t>& windows, int64_t sentence_margin,
                   double min_rest, ArrayIn<int64_t> pair_starts, ArrayIn<int64_t> rows,
                   const std::vector<ArrayIn<uint32_t>>& row_starts, const std::vector<ArrayIn<uint16_t>>& row_words,
                   const std::vector<MatrixIn>& scales, bool has_descriptions, int n_threads) {
    const WordColumns columns(vocabularies);
    const Utf8List texts(strings);
    const size_t n = documents.shape(0), n_pairs = rows.shape(0);
    check_size("idf", idf, columns.n_columns(), "one for each column");
    if (columns_of.shape(0) != 0) check_size("columns_of", columns_of, columns.n_columns(), "one for each column");
    check_numbers("documents", documents, static_cast<int64_t>(texts.size()));
    check_size("starts", starts, n, "one for each mention");
    check_size("ends", ends, n, "one for each mention");
    const Mentions mentions{
        documents.data(), starts.data(), ends.data(),
        csr_view({"word_indptr", "word_columns", "word_weights"}, word_indptr, word_columns, word_weights)};
    check_size("word_indptr", word_indptr, n + 1, "one for each mention and one more");
    check_starts("pair_starts", pair_starts, n, n_pairs);
    for (const int64_t each : windows) check_at_least("windows", each, 0);
    const Windows all{windows, sentence_margin};
    if (windows.empty() || all.size() + 2 > kMaxLanes) refuse("windows has ", windows.size(), " items; 1 to 5 can be.");
    const EntityWords entities(row_starts, row_words, scales);
    check_numbers("rows", rows, entities.size());

    const int32_t* known_as = columns_of.shape(0) == 0 ? nullptr : columns_of.data();
    auto together = words_together(texts.size(), n, mentions);
    std::vector<std::unique_ptr<const ContextText>> contexts(texts.size());
    parallel_for(texts.size(), n_threads, [&](size_t i) {
        contexts[i] = std::make_unique<ContextText>(texts[i], columns, known_as, idf.data(), std::move(together[i]));
    });
    for (size_t i = 0; i < n; ++i) {
        const int64_t start = starts.data()[i], end = ends.data()[i];
        const size_t length = contexts[static_cast<size_t>(documents.data()[i])]->text.length();
        if (start < 0 || end < start || static_cast<size_t>(end) > length)
            refuse("Mention ", i, " goes from ", start, " to ", end, " in a text of ", length, ".");
    }
    const ContextSums sums(idf.data(), known_as, mentions, all, entities, has_descriptions,
                           static_cast<float>(min_rest));
    const size_t n_described = (all.size() + 1) * n_pairs;
    std::unique_ptr<float[]> described(new float[n_described]), titled(new float[2 * n_pairs]);
    if (!has_descriptions) std::fill_n(described.get(), n_described, 0.0f);
    std::vector<MentionWeights> workers(static_cast<size_t>(worker_count(n, n_threads)),
                                        MentionWeights(columns.fold()));
    const auto order = order_of(pair_starts.data(), rows.data(), n);
    parallel_for(n, n_threads, [&](size_t place, int worker) {
        const size_t mention = order[place];
        const int64_t first = pair_starts.data()[mention], last = pair_starts.data()[mention + 1];
        if (first == last) return;
        MentionWeights& weights = workers[static_cast<size_t>(worker)];
        const ContextText& context = *contexts[static_cast<size_t>(documents.data()[mention])];
        sums.fill(mention, context, weights);
        (sums.*kSummings[all.size() - 1])(mention, context, weights, rows.data(), first, last, described.get(),
                                          titled.get(), n_pairs);
    });
    return std::make_tuple(to_numpy(std::move(described), n_described), to_numpy(std::move(titled), 2 * n_pairs));
}

}  // namespace

void bind_context_words(nb::module_& m) {
    define(m, "context_words", &context_words,
           {"vocabularies", "idf",          "columns_of",   "texts",   "documents",        "starts",   "ends",
            "word_indptr",  "word_columns", "word_weights", "windows", "sentence_margin",  "min_rest", "pair_starts",
            "rows",         "row_starts",   "row_words",    "scales",  "has_descriptions", "n_threads"},
           "What the candidates of mentions have of the words around them. First the cosine of each description, a row "
           "for each window, for the sentence, and for the document's other mentions. Then how much of each title the "
           "first window has, and how much of what the mention leaves of it, if that is more than min_rest.");
}

}  // namespace deixis
