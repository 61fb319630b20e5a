// Features of spans: how each is written, its words, its name, the list and the text. Their names and meanings are in
// deixis/detection/span_features.py, in the same order.
#include <algorithm>
#include <numeric>

#include "border.hpp"
#include "span_signs.hpp"

namespace deixis {
namespace {

// How many spans of its text have the same words as each span, itself included, and how many of them in lower case:
// two numbers a span.
ArrayOut<float> text_counts(ArrayIn<int32_t> texts, ArrayIn<uint64_t> keys, ArrayIn<uint32_t> signs) {
    const size_t n = texts.shape(0);
    check_size("keys", keys, n, "one for each span");
    check_size("signs", signs, n, "one for each span");
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto is_same = [&](size_t a, size_t b) {
        return texts.data()[a] == texts.data()[b] && keys.data()[a] == keys.data()[b];
    };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return texts.data()[a] != texts.data()[b] ? texts.data()[a] < texts.data()[b] : keys.data()[a] < keys.data()[b];
    });
    std::vector<float> counts(2 * n);
    for (size_t begin = 0, end = 0; begin < n; begin = end) {
        size_t n_lower = 0;
        for (end = begin; end < n && is_same(order[begin], order[end]); ++end)
            n_lower += (signs.data()[order[end]] & kLowerCase) != 0;
        for (size_t i = begin; i < end; ++i) {
            counts[2 * order[i]] = static_cast<float>(end - begin);
            counts[2 * order[i] + 1] = static_cast<float>(n_lower);
        }
    }
    return to_numpy(std::move(counts));
}

// Numbers that rise, to be looked for.
template <typename T>
struct Known {
    const T *begin, *end;

    explicit Known(const ArrayIn<T>& numbers) : begin(numbers.data()), end(begin + numbers.shape(0)) {}
    float has(T number) const { return std::binary_search(begin, end, number) ? 1.0f : 0.0f; }
};

// What is known of a list as a whole.
struct ListFacts {
    float common, lower, few;
    double log_names;
};

// Everything that the features of one span are made of.
struct Span {
    uint32_t signs;
    int32_t n_words, n_content;
    bool is_name;
    float log_count, lower_share, length;
    float n_upper_own, n_lower_own, n_longer, is_title;  // of its name
    float log_length, log_same, log_lower;
    float is_calendar, after_determiner, after_the, after_verb, after_preposition;
    float seen, before, after;  // log odds by annotated documents

    float has(uint32_t sign) const { return signs & sign ? 1.0f : 0.0f; }
};

// Writes the features of a span and returns where those of the next one begin.
float* write_features(const Span& span, const ListFacts& list, float* out) {
    constexpr float kLog10 = 2.302585092994046f;
    const auto put = [&](float value) { *out++ = value; };
    const float lower = span.has(kLowerCase), capitals = span.has(kCapitals), mixed = span.has(kMixedCase);
    const float name = span.is_name ? 1.0f : 0.0f, run = 1.0f - name;
    // Scripts without capitals are mostly those without spaces, where every character is a word.
    const bool has_case = (span.signs & (kLowerCase | kTitleCase | kCapitals)) != 0;
    const int32_t n_words = has_case ? span.n_words : 1;
    const float one = n_words == 1 ? 1.0f : 0.0f, several = 1.0f - one, four = n_words > 3 ? 1.0f : 0.0f;
    const float is_start = span.has(kBeginsSentence | kCapitalsAround), stop_words = span.has(kStopWords);
    const float title = span.has(kTitleCase) * (1.0f - is_start), start = span.has(kTitleCase) * is_start;
    const float upper = title + start + capitals;
    const bool is_other = (span.signs & kOtherLanguage) != 0;
    const float frequent = is_other ? 0.0f : std::min(std::max((span.log_count - 3.0f) / 2.0f, -1.0f), 2.0f);
    const float own_lower = is_other ? 0.5f : span.lower_share;
    const float factors[] = {
        1.0f,     list.common,        list.lower, frequent, frequent * list.common, own_lower, own_lower * list.lower,
        list.few, frequent * list.few};
    const float classes[] = {lower * one,     lower * several,    title * one,
                             title * several, start * one,        start * several,
                             capitals * one,  capitals * several, mixed};
    // A stop word is one, whatever the list, unless it is written as a name: with a capital inside a sentence.
    const float is_own_word = 1.0f - stop_words * is_start * (1.0f - lower);
    for (const float each : classes)
        for (const float factor : factors) put(each * name * is_own_word * factor);
    for (const float factor : factors) put(run * factor);

    const float own = span.n_lower_own - span.n_upper_own;
    const float n_longer = span.n_longer * name / kLog10;
    const double excess = n_longer > 0 ? std::max(0.0, static_cast<double>(n_longer) - list.log_names + 4.0) : 0.0;
    const float is_short = span.length <= 3 ? 1.0f : 0.0f;
    const float around = capitals * one * span.has(kCapitalsAround);
    const float text_lower = name * upper * span.log_lower;
    const float only_capitals = span.has(kListedCapitals) * name, misspelt = span.has(kMisspelt);
    const float in_longer = span.has(kInLongerName), repeated = span.log_same;
    put(1.0f), put(span.has(kListedCase)), put(only_capitals * (1.0f - capitals)), put(only_capitals * capitals);
    put(span.has(kListedLower) * lower), put(misspelt), put(misspelt * list.common), put(misspelt * one);
    put(misspelt * upper), put(misspelt * list.few), put(span.is_title * name), put(four * name);
    put(span.log_length * name), put(is_short * name), put(capitals * one * is_short * name), put(around * name);
    put(around * name * frequent), put(around * name * own_lower), put(span.has(kFollowsUpper) * name);
    put(span.has(kPrecedesUpper) * name), put(span.has(kHyphenBefore)), put(span.has(kHyphenAfter));
    put(span.has(kHasNumber)), put(in_longer * name), put(in_longer * run), put(stop_words), put(stop_words * lower);
    put(span.is_calendar), put(own * lower * name), put(own * start * name), put(own * (title + capitals) * name);
    put(text_lower), put(text_lower * list.lower), put(repeated * name), put(repeated * lower * name);
    put(repeated * lower * name * list.lower), put(span.after_determiner * lower), put(span.after_the * lower);
    put(span.after_verb * lower), put(span.after_preposition * lower), put(span.after_preposition * title);
    put(n_longer), put(static_cast<float>(excess * static_cast<double>(list.lower))), put(n_longer * upper);
    put(lower * several * name * (span.n_content == 1 ? 1.0f : 0.0f)), put(run * one);
    put(run * (n_words == 2 ? 1.0f : 0.0f)), put(run * four), put(run * is_start), put(run * one * is_start);
    put(run * span.has(kFollowsUpper)), put(run * span.has(kPrecedesUpper)), put(run * capitals);
    put(run * span.has(kCapitalsAround) * own_lower), put(run * repeated);
    put(span.seen), put(span.seen * lower), put(span.seen * span.has(kName)), put(span.before), put(span.after);
    return out;
}

constexpr size_t kFeatures = 9 * 9 + 9 + 55 + 5;
constexpr size_t kFacts = 4, kLogs = 3, kOdds = 3, kWordKinds = 4;

// spans_by_features, a span after the other. `facts`, `logs` and `odds` have a row for each span: facts of its name,
// logarithms of its length and of both counts in its text, and log odds by annotated documents.
ArrayOut<float> span_features(ArrayIn<uint32_t> signs, ArrayIn<int32_t> names, ArrayIn<int32_t> starts,
                              ArrayIn<int32_t> ends, ArrayIn<int32_t> n_words, ArrayIn<int32_t> n_content,
                              ArrayIn<uint64_t> keys, ArrayIn<uint32_t> before, ArrayIn<float> log_counts,
                              ArrayIn<float> lower_shares, MatrixIn facts, MatrixIn logs, MatrixIn odds,
                              const std::vector<ArrayIn<uint32_t>>& words_before, ArrayIn<uint64_t> calendar,
                              float common, float lower, float few, double log_names) {
    const size_t n = signs.shape(0);
    for (const size_t size :
         {names.shape(0), starts.shape(0), ends.shape(0), n_words.shape(0), n_content.shape(0), keys.shape(0),
          before.shape(0), log_counts.shape(0), lower_shares.shape(0), facts.shape(0), logs.shape(0), odds.shape(0)})
        if (size != n) refuse("signs has ", n, " items, another column has ", size, ".");
    if (facts.shape(1) != kFacts || logs.shape(1) != kLogs || odds.shape(1) != kOdds)
        refuse("facts, logs and odds have ", facts.shape(1), ", ", logs.shape(1), " and ", odds.shape(1), " columns.");
    if (words_before.size() != kWordKinds) refuse("words_before has ", words_before.size(), " items.");
    const Known<uint64_t> days(calendar);
    const Known<uint32_t> determiners(words_before[0]), the(words_before[1]), verbs(words_before[2]),
        prepositions(words_before[3]);
    const ListFacts list{common, lower, few, log_names};
    std::vector<float> features(n * kFeatures);
    float* out = features.data();
    for (size_t i = 0; i < n; ++i) {
        const float *own_facts = facts.data() + kFacts * i, *own_logs = logs.data() + kLogs * i,
                    *own_odds = odds.data() + kOdds * i;
        const uint32_t word = before.data()[i];
        const Span span{signs.data()[i],
                        n_words.data()[i],
                        n_content.data()[i],
                        names.data()[i] >= 0,
                        log_counts.data()[i],
                        lower_shares.data()[i],
                        static_cast<float>(ends.data()[i] - starts.data()[i]),
                        own_facts[0],
                        own_facts[1],
                        own_facts[2],
                        own_facts[3],
                        own_logs[0],
                        own_logs[1],
                        own_logs[2],
                        days.has(keys.data()[i]),
                        determiners.has(word),
                        the.has(word),
                        verbs.has(word),
                        prepositions.has(word),
                        own_odds[0],
                        own_odds[1],
                        own_odds[2]};
        out = write_features(span, list, out);
    }
    return to_numpy(std::move(features));
}

}  // namespace

void bind_span_features(nb::module_& m) {
    define(m, "text_counts", &text_counts, {"texts", "keys", "signs"},
           "How many spans of its text have the words of each span, and how many in lower case.");
    define(m, "span_features", &span_features,
           {"signs", "names", "starts", "ends", "n_words", "n_content", "keys", "before", "log_counts", "lower_shares",
            "facts", "logs", "odds", "words_before", "calendar", "common", "lower", "few", "log_names"},
           "spans_by_features, a span after the other.");
}

}  // namespace deixis
