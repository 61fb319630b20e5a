// Keys to the entries of a table of sorted hashes, and entries to what share of a key each row has.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "border.hpp"
#include "string_hash.hpp"
#include "texts.hpp"

namespace deixis {
namespace {

// The table's entries of each key, in order, and the number of its key. The table may be a damaged file: what is met of
// it is checked.
auto key_entries(ArrayIn<uint64_t> hashes, ArrayIn<uint32_t> starts, ArrayIn<int32_t> rows, ArrayIn<int16_t> kinds,
                 ArrayIn<uint32_t> spellings, ArrayIn<float> weights, ArrayIn<float> counts, int64_t n_rows,
                 ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets) {
    const Texts keys(data, offsets);
    check_size("starts", starts, hashes.shape(0) + 1, "one for each hash and one more");
    for (const size_t size : {kinds.shape(0), spellings.shape(0), weights.shape(0), counts.shape(0)})
        if (size != rows.shape(0)) refuse("rows has ", rows.shape(0), " items, another column has ", size, ".");
    const uint64_t *first_hash = hashes.data(), *last_hash = first_hash + hashes.shape(0);
    std::vector<int64_t> numbers;
    std::vector<size_t> positions;
    for (size_t i = 0; i < keys.size(); ++i) {
        if (keys.length(i) == 0) continue;
        const uint64_t hash = string_hash(keys.text(i), keys.length(i));
        const uint64_t* found = std::lower_bound(first_hash, last_hash, hash);
        if (found == last_hash || *found != hash) continue;
        const size_t begin = starts.data()[found - first_hash], end = starts.data()[found - first_hash + 1];
        if (end < begin || end > rows.shape(0)) refuse("entries of a key lie outside of the table");
        for (size_t position = begin; position < end; ++position) {
            numbers.push_back(static_cast<int64_t>(i));
            positions.push_back(position);
        }
    }
    const auto column = [&](const auto& values) {
        std::vector<std::remove_cvref_t<decltype(values.data()[0])>> own;
        own.reserve(positions.size());
        for (const size_t position : positions) own.push_back(values.data()[position]);
        return own;
    };
    for (const size_t position : positions) {
        if (rows.data()[position] < 0 || rows.data()[position] >= n_rows) refuse("a key has a row beyond ", n_rows);
        for (const float number : {weights.data()[position], counts.data()[position]})
            if (!(number >= 0 && std::isfinite(number))) refuse("a key has a number below 0 or none at all");
    }
    return std::make_tuple(to_numpy(std::move(numbers)), to_numpy(column(rows)), to_numpy(column(kinds)),
                           to_numpy(column(spellings)), to_numpy(column(weights)), to_numpy(column(counts)));
}

// A sum of many numbers by halves, of few in eight lanes: rounding errors grow with the logarithm of their number.
double pairwise_sum(const double* values, size_t n) {
    if (n < 8) return std::accumulate(values, values + n, 0.0);
    if (n > 128) {
        const size_t half = n / 2 - n / 2 % 8;
        return pairwise_sum(values, half) + pairwise_sum(values + half, n - half);
    }
    double lanes[8];
    std::copy(values, values + 8, lanes);
    size_t i = 8;
    for (; i < n - n % 8; i += 8)
        for (size_t lane = 0; lane < 8; ++lane) lanes[lane] += values[i + lane];
    double sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    for (; i < n; ++i) sum += values[i];
    return sum;
}

// The entries of a batch as rows of keys: entries of one key and row are one.
class KeyRows {
public:
    KeyRows(const ArrayIn<int64_t>& keys, const ArrayIn<int32_t>& rows, size_t n_keys) : starts_(n_keys + 1, 0) {
        const size_t n = keys.shape(0);
        order_.resize(n);
        std::iota(order_.begin(), order_.end(), size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
            return keys.data()[a] != keys.data()[b] ? keys.data()[a] < keys.data()[b] : rows.data()[a] < rows.data()[b];
        });
        for (size_t i = 0; i < n; ++i) {
            const size_t entry = order_[i];
            const int64_t key = keys.data()[entry], row = rows.data()[entry];
            if (i == 0 || key != keys.data()[order_[i - 1]] || row != rows_.back()) {
                firsts_.push_back(i);
                rows_.push_back(row);
                ++starts_[static_cast<size_t>(key) + 1];
            }
        }
        firsts_.push_back(n);
        accumulate(starts_);
    }

    // The share of each row in its key: counts, and weights as if counted `strength` times in all; of some entries.
    template <typename IsMeant>
    void add_shares(const float* weights, const float* counts, double strength, IsMeant&& is_meant,
                    std::vector<float>& shares) {
        shares.resize(rows_.size());
        for (size_t key = 0; key + 1 < starts_.size(); ++key) {
            const auto begin = static_cast<size_t>(starts_[key]), end = static_cast<size_t>(starts_[key + 1]);
            double all_weights = 0, all_counts = 0;
            row_weights_.clear(), row_counts_.clear();
            for (size_t i = begin; i < end; ++i) {
                row_weights_.push_back(sum(i, weights, is_meant));
                row_counts_.push_back(sum(i, counts, is_meant));
                all_weights += static_cast<double>(row_weights_.back());
                all_counts += static_cast<double>(row_counts_.back());
            }
            const double own_strength = all_weights > 0 ? strength : 0.0;
            const double total = all_counts + own_strength;
            for (size_t i = begin; i < end; ++i) {
                const double weighed =
                    own_strength * static_cast<double>(row_weights_[i - begin]) / (all_weights > 0 ? all_weights : 1.0);
                const double share =
                    (static_cast<double>(row_counts_[i - begin]) + weighed) / (total > 0 ? total : 1.0);
                shares[i] = static_cast<float>(std::min(share, 1.0));
            }
        }
    }

    // Where any entry of a key is meant, those share a part of it among them alone.
    template <typename IsMeant>
    void prefer(const float* weights, const float* counts, double strength, float part, IsMeant&& is_meant,
                std::vector<float>& priors) {
        add_shares(weights, counts, strength, is_meant, close_);
        for (size_t key = 0; key + 1 < starts_.size(); ++key) {
            const auto begin = static_cast<size_t>(starts_[key]), end = static_cast<size_t>(starts_[key + 1]);
            if (begin == end) continue;
            const bool has_close = std::any_of(order_.begin() + static_cast<ptrdiff_t>(firsts_[begin]),
                                               order_.begin() + static_cast<ptrdiff_t>(firsts_[end]), is_meant);
            const float share = has_close ? part : 0.0f;
            for (size_t i = begin; i < end; ++i) {
                const float kept = (1.0f - share) * priors[i], own = share * close_[i];
                priors[i] = kept + own;
            }
        }
    }

    std::vector<int64_t>& starts() { return starts_; }
    std::vector<int64_t>& rows() { return rows_; }

private:
    template <typename IsMeant>
    float sum(size_t i, const float* numbers, IsMeant&& is_meant) {
        const size_t begin = firsts_[i], end = firsts_[i + 1];
        if (end == begin + 1) return is_meant(order_[begin]) ? numbers[order_[begin]] : 0.0f;
        values_.clear();
        for (size_t at = begin; at < end; ++at)
            values_.push_back(is_meant(order_[at]) ? static_cast<double>(numbers[order_[at]]) : 0.0);
        return static_cast<float>(values_[0] + pairwise_sum(values_.data() + 1, values_.size() - 1));
    }

    std::vector<size_t> order_, firsts_;  // entries by key and row; where each row's begin
    std::vector<int64_t> starts_, rows_;
    std::vector<double> values_;
    std::vector<float> row_weights_, row_counts_, close_;
};

// The rows of each key, rising, and the share of each. Entries spelled as the key is, first in whichever case, then to
// the letter, decide `close_share` of it alone.
auto key_priors(ArrayIn<int64_t> keys, ArrayIn<int32_t> rows, ArrayIn<uint32_t> spellings, ArrayIn<float> weights,
                ArrayIn<float> counts, ArrayIn<uint32_t> own_spellings, double strength, float close_share) {
    const size_t n = keys.shape(0), n_keys = own_spellings.shape(0);
    for (const size_t size : {rows.shape(0), spellings.shape(0), weights.shape(0), counts.shape(0)})
        if (size != n) refuse("keys has ", n, " items, another column has ", size, ".");
    check_numbers("keys", keys, static_cast<int64_t>(n_keys));
    KeyRows by_row(keys, rows, n_keys);
    std::vector<float> priors;
    by_row.add_shares(weights.data(), counts.data(), strength, [](size_t) { return true; }, priors);
    if (close_share > 0) {
        for (const uint32_t bits : {0xFFFFu, 0xFFFFFFFFu}) {
            const auto is_close = [&](size_t entry) {
                return ((own_spellings.data()[keys.data()[entry]] ^ spellings.data()[entry]) & bits) == 0;
            };
            by_row.prefer(weights.data(), counts.data(), strength, close_share, is_close, priors);
        }
    }
    return std::make_tuple(to_numpy(std::move(by_row.starts())), to_numpy(std::move(by_row.rows())),
                           to_numpy(std::move(priors)));
}

}  // namespace

void bind_key_table(nb::module_& m) {
    define(m, "key_entries", &key_entries,
           {"hashes", "starts", "rows", "kinds", "spellings", "weights", "counts", "n_rows", "data", "offsets"},
           "The entries of each key of a table of sorted hashes: the key's number, and the columns.");
    define(m, "key_priors", &key_priors,
           {"keys", "rows", "spellings", "weights", "counts", "own_spellings", "strength", "close_share"},
           "Where the rows of each key begin, the rows, and the share of each.");
}

}  // namespace deixis
