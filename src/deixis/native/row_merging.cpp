// Sparse rows of a batch put together: lists of several sources as one, a column more, or some entries less.
#include <algorithm>

#include "border.hpp"

namespace deixis {
namespace {

constexpr size_t kMaxLists = 256;

// The different columns of each row of any list, rising; and for each list its value there, 0 where it has none, one
// list after the other.
auto merged_rows(const std::vector<ArrayIn<int64_t>>& indptrs, const std::vector<ArrayIn<int32_t>>& indices,
                 const std::vector<ArrayIn<float>>& data) {
    const size_t n_lists = indptrs.size();
    if (n_lists == 0 || n_lists > kMaxLists) refuse("indptrs has ", n_lists, " items; it needs 1 to ", kMaxLists, ".");
    if (indices.size() != n_lists || data.size() != n_lists) refuse("Each list needs its indptr, indices and data.");
    const size_t n_rows = n_rows_of("indptrs", indptrs[0]);
    size_t n_items = 0;
    for (size_t list = 0; list < n_lists; ++list) {
        check_starts("indptrs", indptrs[list], n_rows, indices[list].shape(0));
        check_size("data", data[list], indices[list].shape(0), "one for each column");
        n_items += indices[list].shape(0);
    }
    struct Item {
        int32_t column;
        uint32_t list;
        float value;
    };
    std::vector<Item> own;
    std::vector<int64_t> starts{0}, columns;
    columns.reserve(n_items);
    std::vector<std::pair<size_t, Item>> items;  // with the position of each among all columns
    items.reserve(n_items);
    for (size_t row = 0; row < n_rows; ++row) {
        own.clear();
        for (size_t list = 0; list < n_lists; ++list)
            for (int64_t i = indptrs[list].data()[row]; i < indptrs[list].data()[row + 1]; ++i)
                own.push_back({indices[list].data()[i], static_cast<uint32_t>(list), data[list].data()[i]});
        std::sort(own.begin(), own.end(), [](const Item& a, const Item& b) { return a.column < b.column; });
        for (size_t i = 0; i < own.size(); ++i) {
            if (i == 0 || own[i].column != own[i - 1].column) columns.push_back(own[i].column);
            items.emplace_back(columns.size() - 1, own[i]);
        }
        starts.push_back(static_cast<int64_t>(columns.size()));
    }
    std::vector<float> values(n_lists * columns.size(), 0.0f);
    for (const auto& [position, item] : items) values[item.list * columns.size() + position] = item.value;
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)), to_numpy(std::move(values)));
}

// The best `k` of each row of two lists by the greater of a column's two values, best first; the smaller column first
// among equals.
auto best_of_both(ArrayIn<int64_t> first_indptr, ArrayIn<int32_t> first_indices, ArrayIn<float> first_data,
                  ArrayIn<int64_t> second_indptr, ArrayIn<int32_t> second_indices, ArrayIn<float> second_data,
                  int64_t k) {
    const size_t n_rows = n_rows_of("first_indptr", first_indptr);
    check_starts("first_indptr", first_indptr, n_rows, first_indices.shape(0));
    check_size("first_data", first_data, first_indices.shape(0), "one for each column");
    check_starts("second_indptr", second_indptr, n_rows, second_indices.shape(0));
    check_size("second_data", second_data, second_indices.shape(0), "one for each column");
    check_at_least("k", k, 0);
    std::vector<std::pair<int32_t, float>> own;
    std::vector<int64_t> starts{0};
    std::vector<int32_t> columns;
    std::vector<float> values;
    const auto is_better = [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    for (size_t row = 0; row < n_rows; ++row) {
        own.clear();
        for (int64_t i = first_indptr.data()[row]; i < first_indptr.data()[row + 1]; ++i)
            own.emplace_back(first_indices.data()[i], first_data.data()[i]);
        for (int64_t i = second_indptr.data()[row]; i < second_indptr.data()[row + 1]; ++i)
            own.emplace_back(second_indices.data()[i], second_data.data()[i]);
        // Of a column's two values the greater comes first; one that a list lacks is 0.
        std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : a.second > b.second;
        });
        size_t n_different = 0;
        for (size_t i = 0; i < own.size(); ++i) {
            const bool has_both = i + 1 < own.size() && own[i + 1].first == own[i].first;
            own[n_different++] = {own[i].first, has_both ? own[i].second : std::max(own[i].second, 0.0f)};
            i += has_both;
        }
        own.resize(n_different);
        std::sort(own.begin(), own.end(), is_better);
        for (size_t i = 0; i < std::min(own.size(), static_cast<size_t>(k)); ++i)
            columns.push_back(own[i].first), values.push_back(own[i].second);
        starts.push_back(static_cast<int64_t>(columns.size()));
    }
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)), to_numpy(std::move(values)));
}

// The rows, best first, whose best value is below `enough`, and the last of the best `k` of each: 0 where there are
// less.
auto open_rows(ArrayIn<int64_t> indptr, ArrayIn<float> data, int64_t k, double enough) {
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, data.shape(0));
    std::vector<int64_t> rows;
    std::vector<double> lasts;
    for (size_t row = 0; row < n_rows; ++row) {
        const int64_t begin = indptr.data()[row], end = indptr.data()[row + 1];
        if (end > begin && !(data.data()[begin] < enough)) continue;
        rows.push_back(static_cast<int64_t>(row));
        lasts.push_back(end > begin && end - begin == k ? static_cast<double>(data.data()[end - 1]) : 0.0);
    }
    return std::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(lasts)));
}

// The rows with one more column at the end, stored where its value is not 0.
auto with_last_column(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, ArrayIn<float> values,
                      int32_t column) {
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, indices.shape(0));
    check_size("data", data, indices.shape(0), "one for each column");
    check_size("values", values, n_rows, "one for each row");
    std::vector<int64_t> starts{0};
    std::vector<int32_t> columns;
    std::vector<float> weights;
    columns.reserve(indices.shape(0) + n_rows), weights.reserve(indices.shape(0) + n_rows);
    for (size_t row = 0; row < n_rows; ++row) {
        const int64_t begin = indptr.data()[row], end = indptr.data()[row + 1];
        columns.insert(columns.end(), indices.data() + begin, indices.data() + end);
        weights.insert(weights.end(), data.data() + begin, data.data() + end);
        if (values.data()[row] != 0) columns.push_back(column), weights.push_back(values.data()[row]);
        starts.push_back(static_cast<int64_t>(columns.size()));
    }
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)), to_numpy(std::move(weights)));
}

// The rows without the columns from the last one on, and 1 in the last one where anything is left.
auto with_last_one(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, int32_t last) {
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, indices.shape(0));
    check_size("data", data, indices.shape(0), "one for each column");
    std::vector<int64_t> starts{0};
    std::vector<int32_t> columns;
    std::vector<float> weights;
    starts.reserve(n_rows + 1), columns.reserve(indices.shape(0) + n_rows), weights.reserve(indices.shape(0) + n_rows);
    for (size_t row = 0; row < n_rows; ++row) {
        const size_t n_before = columns.size();
        for (int64_t i = indptr.data()[row]; i < indptr.data()[row + 1]; ++i)
            if (indices.data()[i] < last) columns.push_back(indices.data()[i]), weights.push_back(data.data()[i]);
        if (columns.size() > n_before) columns.push_back(last), weights.push_back(1.0f);
        starts.push_back(static_cast<int64_t>(columns.size()));
    }
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)), to_numpy(std::move(weights)));
}

// Without the entries that are not above `least` once what their column gains is taken off.
auto rows_above(ArrayIn<int64_t> indptr, ArrayIn<int32_t> indices, ArrayIn<float> data, ArrayIn<float> gains,
                float least) {
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, indices.shape(0));
    check_size("data", data, indices.shape(0), "one for each column");
    check_numbers("indices", indices, static_cast<int64_t>(gains.shape(0)));
    std::vector<int64_t> starts{0};
    std::vector<int32_t> columns;
    std::vector<float> weights;
    columns.reserve(indices.shape(0)), weights.reserve(indices.shape(0));
    for (size_t row = 0; row < n_rows; ++row) {
        for (int64_t i = indptr.data()[row]; i < indptr.data()[row + 1]; ++i) {
            const int32_t column = indices.data()[i];
            if (!(data.data()[i] - gains.data()[column] > least)) continue;
            columns.push_back(column), weights.push_back(data.data()[i]);
        }
        starts.push_back(static_cast<int64_t>(columns.size()));
    }
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)), to_numpy(std::move(weights)));
}

// The sum of the values of each row, one value after the other.
ArrayOut<double> row_sums(ArrayIn<int64_t> indptr, ArrayIn<float> data) {
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, data.shape(0));
    std::vector<double> sums(n_rows, 0.0);
    for (size_t row = 0; row < n_rows; ++row)
        for (int64_t i = indptr.data()[row]; i < indptr.data()[row + 1]; ++i)
            sums[row] += static_cast<double>(data.data()[i]);
    return to_numpy(std::move(sums));
}

// The values of each row as fractions of their sum.
ArrayOut<float> row_fractions(ArrayIn<int64_t> indptr, ArrayIn<float> data) {
    const size_t n_rows = n_rows_of("indptr", indptr);
    check_starts("indptr", indptr, n_rows, data.shape(0));
    std::vector<float> fractions(data.shape(0));
    for (size_t row = 0; row < n_rows; ++row) {
        const int64_t begin = indptr.data()[row], end = indptr.data()[row + 1];
        double sum = 0;
        for (int64_t i = begin; i < end; ++i) sum += static_cast<double>(data.data()[i]);
        const double divisor = std::max(sum, 1e-9);
        for (int64_t i = begin; i < end; ++i)
            fractions[static_cast<size_t>(i)] = static_cast<float>(static_cast<double>(data.data()[i]) / divisor);
    }
    return to_numpy(std::move(fractions));
}

}  // namespace

void bind_row_merging(nb::module_& m) {
    define(m, "merged_rows", &merged_rows, {"indptrs", "indices", "data"},
           "The rows of several lists as one: row starts, columns, and the values of each list, one after the other.");
    define(m, "best_of_both", &best_of_both,
           {"first_indptr", "first_indices", "first_data", "second_indptr", "second_indices", "second_data", "k"},
           "The best of each row by the greater of two values, best first: row starts, columns, values.");
    define(
        m, "open_rows", &open_rows, {"indptr", "data", "k", "enough"},
        "The rows whose best value is below `enough`, and the last of the best `k` of each, 0 where there are less.");
    define(m, "with_last_column", &with_last_column, {"indptr", "indices", "data", "values", "column"},
           "The rows with one more column at the end: row starts, columns, values.");
    define(m, "with_last_one", &with_last_one, {"indptr", "indices", "data", "last"},
           "The rows up to the last column, and 1 in that one where anything is left: row starts, columns, values.");
    define(m, "row_sums", &row_sums, {"indptr", "data"}, "The sum of the values of each row.");
    define(m, "row_fractions", &row_fractions, {"indptr", "data"}, "The values of each row as fractions of their sum.");
    define(m, "rows_above", &rows_above, {"indptr", "indices", "data", "gains", "least"},
           "The entries that are above `least` without what their column gains: row starts, columns, values.");
}

}  // namespace deixis
