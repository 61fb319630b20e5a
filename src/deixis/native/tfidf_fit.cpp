// Learns the n-gram vocabulary of many texts: which there are, in how many texts each stands, what column it gets.
//
// Texts are cut into chunks that do not depend on the number of threads. Each chunk numbers its own tokens; the chunks'
// tables are merged in order, so a token's number says when it first came. Then, for every length n >= 2, each chunk
// deals its n-grams (one per text) to partitions by their first n-1 tokens, and each partition is counted and sorted by
// itself, in a table small enough for the processor's cache.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "parallel.hpp"
#include "texts.hpp"
#include "tfidf.hpp"
#include "token_arrays.hpp"
#include "tokenizer.hpp"

namespace deixis {
namespace {

constexpr size_t kChunkBytes = size_t{4} << 20;
constexpr size_t kNgramsPerPartition = 16384;
constexpr int kMaxPartitionBits = 12;

struct Chunk {
    TokenBuilder tokens;                // of this chunk; emptied by the merge
    std::vector<int32_t> n_texts;       // with each of them
    std::vector<int32_t> stream;        // token numbers of all texts, one after the other; -1: not in the vocabulary
    std::vector<size_t> text_ends;      // in the stream
    std::vector<int32_t> nodes;         // the n-gram that begins at each place of the stream, or -1
    std::vector<int32_t> to_global;     // token number here -> in the merged table
    std::vector<uint64_t> keys;         // n-grams, by partition
    std::vector<size_t> partition_ptr;  // into keys
};

// Without `keeps_stream` tokens are only counted: their places matter to n-grams alone, and take most of the memory.
void read_chunk(const Texts& texts, size_t first, size_t last, FoldOptions fold, bool keeps_stream, Chunk& chunk) {
    Tokenizer tokenizer(fold);
    std::vector<int32_t> last_text;
    for (size_t i = first; i < last; ++i) {
        const auto text_number = static_cast<int32_t>(i - first);
        tokenizer.run(texts.text(i), texts.length(i), [&](const TokenView& token) {
            const uint32_t id = chunk.tokens.add(token.text, token.size, hash_bytes(token.text, token.size));
            if (id == last_text.size()) {
                last_text.push_back(-1);
                chunk.n_texts.push_back(0);
            }
            chunk.n_texts[id] += last_text[id] != text_number;
            last_text[id] = text_number;
            if (keeps_stream) chunk.stream.push_back(static_cast<int32_t>(id));
        });
        if (keeps_stream) chunk.text_ends.push_back(chunk.stream.size());
    }
    chunk.stream.shrink_to_fit();
}

// A set of numbers that empties in no time.
class SmallSet {
public:
    void clear(size_t n_expected) {
        size_t n_slots = 64;
        while (n_slots < 2 * n_expected) n_slots *= 2;
        if (n_slots > keys_.size()) {
            keys_.assign(n_slots, 0);
            rounds_.assign(n_slots, 0);
            round_ = 0;
        }
        mask_ = n_slots - 1;
        if (++round_ == 0) {
            std::fill(rounds_.begin(), rounds_.end(), 0);
            round_ = 1;
        }
    }

    // Whether the key was new.
    bool add(uint64_t key) {
        for (size_t at = (key * kGolden64) >> 40 & mask_;; at = (at + 1) & mask_) {
            if (rounds_[at] != round_) {
                rounds_[at] = round_;
                keys_[at] = key;
                return true;
            }
            if (keys_[at] == key) return false;
        }
    }

private:
    std::vector<uint64_t> keys_;
    std::vector<uint32_t> rounds_;
    uint32_t round_ = 0;
    size_t mask_ = 0;
};

struct NgramCount {
    uint64_t key;  // node of the first n-1 tokens, then the label of the last
    int32_t n_texts;
};

uint32_t partition_of(uint64_t key, int bits) {
    return bits == 0 ? 0 : static_cast<uint32_t>(key >> 32) * 0x9e3779b1u >> (32 - bits);
}

// Fills chunk.keys with the n-grams of length n, each once per text, dealt to 2^bits partitions.
void deal_ngrams(Chunk& chunk, size_t n, int bits, std::vector<uint64_t>& found, SmallSet& seen) {
    found.clear();
    chunk.partition_ptr.assign((size_t{1} << bits) + 1, 0);
    size_t begin = 0;
    for (const size_t end : chunk.text_ends) {
        seen.clear(end - begin);
        for (size_t i = begin; i + n <= end; ++i) {
            const int32_t node = chunk.nodes[i], token = chunk.stream[i + n - 1];
            if (node < 0 || token < 0) continue;
            const uint64_t key = static_cast<uint64_t>(node) << 32 | scramble(static_cast<uint32_t>(token));
            if (!seen.add(key)) continue;
            found.push_back(key);
            ++chunk.partition_ptr[partition_of(key, bits) + 1];
        }
        begin = end;
    }
    for (size_t p = 1; p < chunk.partition_ptr.size(); ++p) chunk.partition_ptr[p] += chunk.partition_ptr[p - 1];
    std::vector<size_t> next(chunk.partition_ptr.begin(), chunk.partition_ptr.end() - 1);
    chunk.keys.resize(found.size());
    for (const uint64_t key : found) chunk.keys[next[partition_of(key, bits)]++] = key;
}

// Scratch memory for counting one partition.
struct Counter {
    std::vector<uint64_t> keys;
    std::vector<int32_t> counts;

    void grow() {
        std::vector<uint64_t> old_keys(std::max<size_t>(1024, 2 * keys.size()), kEmptySlot);
        std::vector<int32_t> old_counts(old_keys.size(), 0);
        old_keys.swap(keys);
        old_counts.swap(counts);
        for (size_t i = 0; i < old_keys.size(); ++i)
            if (old_keys[i] != kEmptySlot) {
                const size_t at = find(old_keys[i]);
                keys[at] = old_keys[i];
                counts[at] = old_counts[i];
            }
    }

    size_t find(uint64_t key) const {
        const size_t mask = keys.size() - 1;
        size_t at = (key * kGolden64) >> 32 & mask;
        while (keys[at] != kEmptySlot && keys[at] != key) at = (at + 1) & mask;
        return at;
    }
};

// The partition's n-grams that stand in at least min_df and at most max_df texts, ordered by key.
std::vector<NgramCount> count_partition(const std::vector<Chunk>& chunks, size_t p, int32_t min_df, int32_t max_df,
                                        Counter& counter) {
    size_t n_distinct = 0;
    if (counter.keys.empty()) counter.grow();
    std::fill(counter.keys.begin(), counter.keys.end(), kEmptySlot);
    for (const Chunk& chunk : chunks)
        for (size_t i = chunk.partition_ptr[p]; i < chunk.partition_ptr[p + 1]; ++i) {
            const size_t at = counter.find(chunk.keys[i]);
            if (counter.keys[at] != kEmptySlot) {
                ++counter.counts[at];
                continue;
            }
            counter.keys[at] = chunk.keys[i];
            counter.counts[at] = 1;
            if (2 * ++n_distinct > counter.keys.size()) counter.grow();
        }
    std::vector<NgramCount> kept;
    kept.reserve(n_distinct);
    for (size_t i = 0; i < counter.keys.size(); ++i)
        if (counter.keys[i] != kEmptySlot && counter.counts[i] >= min_df && counter.counts[i] <= max_df)
            kept.push_back({counter.keys[i], counter.counts[i]});
    std::sort(kept.begin(), kept.end(), [](const NgramCount& a, const NgramCount& b) { return a.key < b.key; });
    return kept;
}

class TfidfFit {
public:
    TfidfFit(const Texts& texts, TfidfSettings settings, int32_t min_df, double max_df, int n_threads)
        : texts_(texts), settings_(settings), min_df_(min_df), n_threads_(n_threads) {
        if (texts.size() > std::numeric_limits<int32_t>::max())
            refuse("offsets has ", texts.size(), " texts; 2^31 - 1 are the most.");
        // One text alone must be allowed, or a corpus of one text would have no features.
        max_df_ = static_cast<int32_t>(std::max(1.0, std::floor(max_df * static_cast<double>(texts.size()))));
    }

    ArraysByName run() {
        {
            nb::gil_scoped_release released;
            read();
            merge();
            if (settings_.has_chars()) count_char_ngrams();
            global_ = TokenBuilder();
            for (int n = 2; n <= settings_.ngrams_max; ++n) grow_trie(n, n == settings_.ngrams_max);
            give_columns();
        }
        ArraysByName arrays;
        put_tokens(arrays, "tokens", tokens_);
        put_tokens(arrays, "grams", grams_);
        arrays["trie.child_ptr"] = to_numpy(std::move(child_ptr_));
        arrays["trie.labels"] = to_numpy(std::move(labels_));
        arrays["dropped"] = to_numpy(std::move(dropped_));
        arrays["idf"] = to_numpy(std::move(idf_));
        return arrays;
    }

private:
    void read() {
        bounds_ = texts_.chunks(kChunkBytes);
        chunks_.resize(bounds_.size() - 1);
        const bool keeps_stream = settings_.has_chars() || settings_.ngrams_max > 1;
        parallel_for(chunks_.size(), n_threads_, [&](size_t c) {
            read_chunk(texts_, bounds_[c], bounds_[c + 1], settings_.fold, keeps_stream, chunks_[c]);
        });
    }

    // Merges the chunks' tables in order and renumbers the streams; rare tokens leave, no n-gram with them can stay.
    void merge() {
        for (Chunk& chunk : chunks_) {
            for (size_t id = 0; id < chunk.tokens.size(); ++id) {
                const std::string_view text = chunk.tokens.text(id);
                const uint32_t merged = global_.add(text.data(), text.size(), chunk.tokens.hash(id));
                if (merged == n_texts_.size()) n_texts_.push_back(0);
                n_texts_[merged] += chunk.n_texts[id];
                chunk.to_global.push_back(static_cast<int32_t>(merged));
            }
            chunk.tokens = TokenBuilder();
            n_stream_ += chunk.stream.size();
        }
        std::vector<int32_t> to_kept(n_texts_.size(), -1);
        for (size_t id = 0; id < n_texts_.size(); ++id)
            if (n_texts_[id] >= min_df_) {
                to_kept[id] = static_cast<int32_t>(node_df_.size());
                node_df_.push_back(n_texts_[id]);
            }
        tokens_ = TokenArrays(global_, [&](size_t id) { return to_kept[id] >= 0; });
        n_tokens_ = node_df_.size();
        child_ptr_.assign(1, 0);
        parallel_for(chunks_.size(), n_threads_, [&](size_t c) {
            for (int32_t& id : chunks_[c].to_global) id = settings_.has_chars() ? id : to_kept[id];
            for (int32_t& id : chunks_[c].stream) id = chunks_[c].to_global[id];
        });
        if (settings_.has_chars()) to_kept_ = std::move(to_kept);
    }

    // Counts the texts with each character n-gram: the n-grams of a token are listed once, then its texts walked.
    void count_char_ngrams() {
        TokenBuilder grams;
        std::vector<uint32_t> gram_ids, token_grams;
        std::vector<size_t> gram_ptr{0}, starts;
        std::string padded;
        for (size_t id = 0; id < global_.size(); ++id) {
            const std::string_view text = global_.text(id);
            token_grams.clear();
            for_each_char_ngram(text.data(), text.size(), settings_.char_ngrams_min, settings_.char_ngrams_max, padded,
                                starts, [&](const char* gram, size_t size) {
                                    token_grams.push_back(grams.add(gram, size, hash_bytes(gram, size)));
                                });
            std::sort(token_grams.begin(), token_grams.end());
            token_grams.erase(std::unique(token_grams.begin(), token_grams.end()), token_grams.end());
            gram_ids.insert(gram_ids.end(), token_grams.begin(), token_grams.end());
            gram_ptr.push_back(gram_ids.size());
        }
        const size_t n_workers = worker_count(chunks_.size(), n_threads_);
        std::vector<std::vector<int32_t>> counts(n_workers), last_text(n_workers);
        for (size_t w = 0; w < n_workers; ++w) {
            counts[w].assign(grams.size(), 0);
            last_text[w].assign(grams.size(), -1);
        }
        parallel_for(chunks_.size(), n_threads_, [&](size_t c, int worker) {
            size_t begin = 0;
            for (size_t t = 0; t < chunks_[c].text_ends.size(); ++t) {
                const size_t end = chunks_[c].text_ends[t];
                const auto text_number = static_cast<int32_t>(bounds_[c] + t);
                for (; begin < end; ++begin) {
                    const int32_t token = chunks_[c].stream[begin];
                    for (size_t g = gram_ptr[token]; g < gram_ptr[token + 1]; ++g) {
                        int32_t& last = last_text[worker][gram_ids[g]];
                        counts[worker][gram_ids[g]] += last != text_number;
                        last = text_number;
                    }
                }
            }
            for (int32_t& id : chunks_[c].stream) id = to_kept_[id];
        });
        for (size_t w = 1; w < n_workers; ++w)
            for (size_t g = 0; g < grams.size(); ++g) counts[0][g] += counts[w][g];
        const auto is_kept = [&](size_t g) { return counts[0][g] >= min_df_ && counts[0][g] <= max_df_; };
        grams_ = TokenArrays(grams, is_kept);
        for (size_t g = 0; g < grams.size(); ++g)
            if (is_kept(g)) gram_df_.push_back(counts[0][g]);
    }

    int partition_bits() const {
        int bits = 0;
        while (bits < kMaxPartitionBits && (n_stream_ >> bits) > kNgramsPerPartition) ++bits;
        return bits;
    }

    // Adds the n-grams of length n as children of those of length n - 1.
    void grow_trie(int n, bool is_last) {
        const int bits = partition_bits();
        const size_t n_partitions = size_t{1} << bits;
        std::vector<std::vector<uint64_t>> found(worker_count(chunks_.size(), n_threads_));
        std::vector<SmallSet> seen(found.size());
        parallel_for(chunks_.size(), n_threads_, [&](size_t c, int worker) {
            if (n == 2) chunks_[c].nodes = chunks_[c].stream;
            deal_ngrams(chunks_[c], n, bits, found[worker], seen[worker]);
        });
        std::vector<std::vector<NgramCount>> partitions(n_partitions);
        std::vector<Counter> counters(worker_count(n_partitions, n_threads_));
        // Too frequent ones leave only if nothing longer can begin with them.
        const int32_t most = is_last ? max_df_ : std::numeric_limits<int32_t>::max();
        parallel_for(n_partitions, n_threads_, [&](size_t p, int worker) {
            partitions[p] = count_partition(chunks_, p, min_df_, most, counters[worker]);
        });
        for (Chunk& chunk : chunks_) std::vector<uint64_t>().swap(chunk.keys);
        append_level(partitions);
        if (!is_last) step_nodes(n);
    }

    void append_level(const std::vector<std::vector<NgramCount>>& partitions) {
        const size_t first_parent = child_ptr_.size() - 1, n_parents = node_df_.size() - first_parent;
        size_t n_new = 0;
        for (const auto& partition : partitions) n_new += partition.size();
        if (node_df_.size() + n_new > std::numeric_limits<int32_t>::max())
            refuse("The texts have more than 2^31 - 1 n-grams; raise min_df or lower ngrams_max.");
        std::vector<int32_t> n_children(n_parents, 0);
        for (const auto& partition : partitions)
            for (const NgramCount& ngram : partition) ++n_children[(ngram.key >> 32) - first_parent];
        child_ptr_.reserve(child_ptr_.size() + n_parents);
        for (const int32_t count : n_children) child_ptr_.push_back(child_ptr_.back() + count);
        labels_.resize(labels_.size() + n_new);
        node_df_.resize(node_df_.size() + n_new);
        parallel_for(partitions.size(), n_threads_, [&](size_t p) {
            uint64_t before = ~uint64_t{0};
            int32_t place = 0;
            for (const NgramCount& ngram : partitions[p]) {
                if (const uint64_t parent = ngram.key >> 32; parent != before) {
                    place = child_ptr_[parent];
                    before = parent;
                }
                labels_[place] = static_cast<uint32_t>(ngram.key);
                node_df_[n_tokens_ + place] = ngram.n_texts;
                ++place;
            }
        });
    }

    // Every place of the streams moves from its n-1-gram to its n-gram.
    void step_nodes(int n) {
        const TokenTrie trie(child_ptr_.data(), child_ptr_.size() - 1, labels_.data(), labels_.size(), n_tokens_);
        parallel_for(chunks_.size(), n_threads_, [&](size_t c) {
            Chunk& chunk = chunks_[c];
            size_t i = 0;
            for (const size_t end : chunk.text_ends)
                for (; i < end; ++i) {
                    const int32_t token = i + n <= end ? chunk.stream[i + n - 1] : -1;
                    chunk.nodes[i] = chunk.nodes[i] < 0 || token < 0 ? -1 : trie.child(chunk.nodes[i], token);
                }
        });
    }

    void give_columns() {
        const double n_texts = static_cast<double>(texts_.size());
        const auto idf = [&](int32_t df) { return static_cast<float>(std::log((1 + n_texts) / (1.0 + df)) + 1); };
        idf_.reserve(node_df_.size() + gram_df_.size());
        for (size_t node = 0; node < node_df_.size(); ++node) {
            if (node_df_[node] > max_df_)
                dropped_.push_back(static_cast<int32_t>(node));
            else
                idf_.push_back(idf(node_df_[node]));
        }
        for (const int32_t df : gram_df_) idf_.push_back(idf(df));
        if (idf_.size() > std::numeric_limits<int32_t>::max())
            refuse("The texts have more than 2^31 - 1 features; raise min_df or lower ngrams_max.");
    }

    const Texts& texts_;
    TfidfSettings settings_;
    int32_t min_df_, max_df_;
    int n_threads_;
    size_t n_stream_ = 0, n_tokens_ = 0;
    std::vector<size_t> bounds_;
    std::vector<Chunk> chunks_;
    TokenBuilder global_;
    TokenArrays tokens_, grams_;
    std::vector<int32_t> n_texts_, to_kept_;  // of merged tokens: texts with it; its number, if kept
    std::vector<int32_t> node_df_, gram_df_;  // texts with each node of the trie, each character n-gram
    std::vector<int32_t> child_ptr_, dropped_;
    std::vector<uint32_t> labels_;
    std::vector<float> idf_;
};

ArraysByName tfidf_fit(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, int ngrams_max, double max_df, int min_df,
                       int char_ngrams_min, int char_ngrams_max, bool nfkc, bool casefold, int n_threads) {
    const Texts texts(data, offsets);
    const TfidfSettings settings{ngrams_max, char_ngrams_min, char_ngrams_max, {nfkc, casefold}};
    return TfidfFit(texts, settings, min_df, max_df, n_threads).run();
}

}  // namespace

void bind_tfidf_fit(nb::module_& m) {
    define(m, "tfidf_fit", &tfidf_fit,
           {"data", "offsets", "ngrams_max", "max_df", "min_df", "char_ngrams_min", "char_ngrams_max", "nfkc",
            "casefold", "n_threads"},
           "The arrays of a vocabulary learned from texts.");
}

}  // namespace deixis
