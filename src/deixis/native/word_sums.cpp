// What candidates have of the words of several queries at once: each candidate's words are read once, whatever the
// number of queries. Candidates lie all over memory, so those that come next are asked for ahead.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "border.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"

namespace deixis {
namespace {

constexpr size_t kMaxQueries = 8;
constexpr int64_t kAhead = 6;  // candidates whose words are asked for before they are read

// The weights of a mention's words in all queries, looked up by column. Most words that are looked up are not there:
// a small table of bits, which stays in the nearest cache, says so without a search.
class WeightTable {
public:
    void clear(size_t n_words) {
        const auto n_slots = std::bit_ceil(static_cast<uint32_t>(2 * n_words + 2));
        shift_ = 32 - std::countr_zero(n_slots);
        last_ = n_slots - 1;
        slots_.assign(n_slots, Slot{});
        is_there_.fill(0);
        weights_.clear();
        weights_.reserve(n_words);
    }

    void add(int32_t column, size_t query, float weight) { weights_[number_of(column)][query] = weight; }

    // Words that one query has do not count for another.
    void leave_out(size_t query, size_t without) {
        for (auto& weights : weights_)
            if (weights[without] != 0) weights[query] = 0;
    }

    template <size_t n_queries>
    void sum(const int32_t* columns, int64_t n, std::array<double, kMaxQueries>& sums) const {
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t hash = hashed(columns[i]);
            if (!(is_there_[hash >> 24] >> (hash >> 18 & 63) & 1)) continue;
            for (uint32_t at = hash >> shift_;; at = (at + 1) & last_) {
                const Slot slot = slots_[at];
                if (slot.column == kEmpty) break;
                if (slot.column != columns[i]) continue;
                const auto& weights = weights_[static_cast<size_t>(slot.number)];
                for (size_t query = 0; query < n_queries; ++query) sums[query] += weights[query];
                break;
            }
        }
    }

private:
    static constexpr int32_t kEmpty = -1;
    struct Slot {
        int32_t column = kEmpty;
        int32_t number = 0;
    };

    static uint32_t hashed(int32_t column) { return static_cast<uint32_t>(column) * 2654435769u; }

    size_t number_of(int32_t column) {
        const uint32_t hash = hashed(column);
        uint32_t at = hash >> shift_;
        for (; slots_[at].column != kEmpty; at = (at + 1) & last_)
            if (slots_[at].column == column) return static_cast<size_t>(slots_[at].number);
        slots_[at] = {column, static_cast<int32_t>(weights_.size())};
        is_there_[hash >> 24] |= uint64_t{1} << (hash >> 18 & 63);
        weights_.push_back({});
        return weights_.size() - 1;
    }

    std::vector<Slot> slots_;
    std::vector<std::array<float, kMaxQueries>> weights_;
    std::array<uint64_t, 256> is_there_{};
    uint32_t last_ = 0;
    int shift_ = 31;
};

using Summing = void (WeightTable::*)(const int32_t*, int64_t, std::array<double, kMaxQueries>&) const;

constexpr std::array<Summing, kMaxQueries> kSummings{&WeightTable::sum<1>, &WeightTable::sum<2>, &WeightTable::sum<3>,
                                                     &WeightTable::sum<4>, &WeightTable::sum<5>, &WeightTable::sum<6>,
                                                     &WeightTable::sum<7>, &WeightTable::sum<8>};

// Queries are rows of sparse matrices: mention `i` has row `rows[q][i]` of matrix `q`.
struct Queries {
    std::vector<CsrView> matrices;
    std::vector<const int64_t*> rows;
    const std::vector<int64_t>& without;

    void fill(size_t mention, WeightTable& table) const {
        size_t n_words = 0;
        for (size_t q = 0; q < matrices.size(); ++q) n_words += static_cast<size_t>(matrices[q].nnz(rows[q][mention]));
        if (n_words >= (1u << 28)) refuse("Mention ", mention, " has 2^28 words or more in its queries.");
        table.clear(n_words);
        for (size_t q = 0; q < matrices.size(); ++q) {
            const CsrView& matrix = matrices[q];
            const int64_t row = rows[q][mention];
            for (auto i = matrix.indptr[row]; i < matrix.indptr[row + 1]; ++i)
                table.add(matrix.indices[i], q, matrix.data[i]);
        }
        for (size_t q = 0; q < without.size(); ++q)
            if (without[q] >= 0) table.leave_out(q, static_cast<size_t>(without[q]));
    }
};

ArrayOut<float> word_sums(const std::vector<ArrayIn<int64_t>>& indptrs, const std::vector<ArrayIn<int32_t>>& indices,
                          const std::vector<ArrayIn<float>>& data, const std::vector<ArrayIn<int64_t>>& rows,
                          const std::vector<int64_t>& without, ArrayIn<int64_t> starts, ArrayIn<int64_t> entity_indptr,
                          ArrayIn<int32_t> entity_words, ArrayIn<int64_t> entities, int n_threads) {
    const size_t n_queries = indptrs.size(), n_pairs = entities.shape(0), n_mentions = n_rows_of("starts", starts);
    if (n_queries < 1 || n_queries > kMaxQueries)
        refuse("indptrs has ", n_queries, " items; it must have 1 to ", kMaxQueries, ".");
    if (indices.size() != n_queries || data.size() != n_queries || rows.size() != n_queries ||
        without.size() != n_queries)
        refuse("indices, data, rows and without need ", n_queries, " items each, as many as indptrs.");
    Queries queries{{}, {}, without};
    for (size_t q = 0; q < n_queries; ++q) {
        queries.matrices.push_back(csr_view({"indptrs", "indices", "data"}, indptrs[q], indices[q], data[q]));
        check_size("rows", rows[q], n_mentions, "one for each mention");
        check_numbers("rows", rows[q], queries.matrices[q].n_rows);
        queries.rows.push_back(rows[q].data());
        if (without[q] >= static_cast<int64_t>(n_queries)) refuse("without[", q, "] is ", without[q], ".");
    }
    check_starts("starts", starts, n_mentions, n_pairs);
    check_ends("entity_indptr", entity_indptr, n_rows_of("entity_indptr", entity_indptr), entity_words.shape(0));
    check_numbers("entities", entities, static_cast<int64_t>(entity_indptr.shape(0)) - 1);
    const int64_t *begins = entity_indptr.data(), *partners = entities.data();
    const int32_t* words = entity_words.data();
    std::vector<float> sums(n_queries * n_pairs);
    std::vector<WeightTable> tables(worker_count(n_mentions, n_threads));
    parallel_for(n_mentions, n_threads, [&](size_t mention, int worker) {
        const int64_t first = starts.data()[mention], last = starts.data()[mention + 1];
        if (first == last) return;
        WeightTable& table = tables[worker];
        queries.fill(mention, table);
        for (auto pair = first; pair < last; ++pair) {
            if (pair + 2 * kAhead < last) prefetch(begins + partners[pair + 2 * kAhead]);
            if (pair + kAhead < last) {
                const int32_t* next = words + begins[partners[pair + kAhead]];
                prefetch(next);
                prefetch(next + 16);
                prefetch(next + 32);
            }
            const int64_t begin = begins[partners[pair]];
            std::array<double, kMaxQueries> own{};
            (table.*kSummings[n_queries - 1])(words + begin, begins[partners[pair] + 1] - begin, own);
            for (size_t q = 0; q < n_queries; ++q)
                sums[q * n_pairs + static_cast<size_t>(pair)] = static_cast<float>(own[q]);
        }
    });
    return to_numpy(std::move(sums));
}

}  // namespace

void bind_word_sums(nb::module_& m) {
    define(m, "word_sums", &word_sums,
           {"indptrs", "indices", "data", "rows", "without", "starts", "entity_indptr", "entity_words", "entities",
            "n_threads"},
           "The sum of the weights of each query's words that each candidate has, a query after the other. Words of "
           "query without[q] do not count for query q, if that is not negative.");
}

}  // namespace deixis
