// Lines of sparse rows, `label,label column:value column:value`, to arrays.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "border.hpp"

namespace deixis {
namespace {

enum class LineProblem : int { kNone = 0, kNoPair, kBadValue, kColumnOutside, kBadLabel, kLabelOutside, kColumnTwice };

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool ends_token(const char* p, const char* end) { return p == end || is_blank(*p) || *p == '\n' || *p == '#'; }

// A whole number of at most 18 digits; `p` moves behind it. False if there is none.
bool parse_whole(const char*& p, const char* end, int64_t& value) {
    const char* start = p;
    value = 0;
    while (p < end && is_digit(*p) && p - start < 18) value = value * 10 + (*p++ - '0');
    return p > start && (p == end || !is_digit(*p));
}

// A finite number up to the end of its token, rounded as Python rounds it; `p` moves behind it.
bool parse_number(const char*& p, const char* end, double& value) {
    const char* start = p;
    const bool is_negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    uint64_t digits = 0;
    int n_digits = 0, exponent = 0;
    bool has_digits = false, has_point = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !has_point)); ++p) {
        if (*p == '.') {
            has_point = true;
            continue;
        }
        has_digits = true;
        if (digits != 0 || *p != '0') ++n_digits;
        if (n_digits <= 19) digits = digits * 10 + static_cast<uint64_t>(*p - '0');
        exponent -= has_point;
    }
    if (!has_digits) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        ++p;
        const bool is_small = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) ++p;
        int64_t power;
        if (!parse_whole(p, end, power)) return false;
        exponent += static_cast<int>(std::min<int64_t>(power, 100000)) * (is_small ? -1 : 1);
    }
    if (!ends_token(p, end)) return false;
    // Exact: both numbers are doubles without rounding, so that one rounding is left (Clinger 1990).
    if (n_digits <= 19 && digits <= (1ull << 53) && exponent >= -22 && exponent <= 22) {
        value = static_cast<double>(digits);
        value = exponent < 0 ? value / kPowers[-exponent] : value * kPowers[exponent];
        if (is_negative) value = -value;
    } else {
        const std::string token(start, p);
        char* behind = nullptr;
        value = std::strtod(token.c_str(), &behind);
        if (behind != token.c_str() + token.size()) return false;
    }
    return std::isfinite(static_cast<float>(value));
}

struct Rules {
    bool has_labels;
    int64_t first_label, first_column, n_labels, n_columns;
};

// Parses lines one after another until one is wrong; then `problem` says how, and `line` and `bad_at` where.
class Parser {
public:
    explicit Parser(const Rules& rules) : rules_(rules) {}

    void parse(const char* text, const char* end) {
        for (const char* p = text; p < end; ++p, ++line) {
            if (*p != '#' && !parse_line(p, end)) {
                bad_at = bad_ - text;
                return;
            }
            while (p < end && *p != '\n') ++p;  // a comment, or nothing
        }
    }

    std::vector<int64_t> n_labels, n_columns;
    std::vector<int32_t> labels, columns;
    std::vector<float> values;
    LineProblem problem = LineProblem::kNone;
    int64_t line = 0, bad_at = -1;

private:
    bool parse_line(const char*& p, const char* end) {
        const size_t first_label = labels.size(), first = columns.size();
        const char* start = p;
        if (rules_.has_labels && !ends_token(p, end) && !parse_labels(p, end)) return false;
        while (true) {
            while (p < end && is_blank(*p)) ++p;
            if (p == end || *p == '\n' || *p == '#') break;
            if (!parse_pair(p, end)) return false;
        }
        std::sort(labels.begin() + first_label, labels.end());
        labels.erase(std::unique(labels.begin() + first_label, labels.end()), labels.end());
        if (!sort_row(first)) return fail(LineProblem::kColumnTwice, start);
        n_labels.push_back(static_cast<int64_t>(labels.size() - first_label));
        n_columns.push_back(static_cast<int64_t>(columns.size() - first));
        return true;
    }

    // The labels that a line begins with; none if it begins with a pair.
    bool parse_labels(const char*& p, const char* end) {
        const char* start = p;
        const size_t before = labels.size();
        while (true) {
            const char* token = p;
            int64_t label;
            if (!parse_whole(p, end, label)) return fail(LineProblem::kBadLabel, token);
            if (p < end && *p == ':' && token == start) {
                p = start;
                return true;
            }
            label -= rules_.first_label;
            if (label < 0 || label >= rules_.n_labels) return fail(LineProblem::kLabelOutside, token);
            labels.push_back(static_cast<int32_t>(label));
            if (ends_token(p, end)) return true;
            if (*p != ',') {
                labels.resize(before);
                return fail(LineProblem::kBadLabel, token);
            }
            ++p;
            if (ends_token(p, end)) return true;  // a comma too many, as some published files have
        }
    }

    bool parse_pair(const char*& p, const char* end) {
        const char* token = p;
        int64_t column;
        double value;
        if (!parse_whole(p, end, column) || p == end || *p != ':') return fail(LineProblem::kNoPair, token);
        ++p;
        if (!parse_number(p, end, value)) return fail(LineProblem::kBadValue, token);
        column -= rules_.first_column;
        if (column < 0 || column >= rules_.n_columns) return fail(LineProblem::kColumnOutside, token);
        columns.push_back(static_cast<int32_t>(column));
        values.push_back(static_cast<float>(value));
        return true;
    }

    // Puts the last row's columns in order; false if one comes twice.
    bool sort_row(size_t first) {
        bool is_ascending = true;
        for (size_t i = first + 1; i < columns.size(); ++i) is_ascending &= columns[i] > columns[i - 1];
        if (is_ascending) return true;
        std::vector<std::pair<int32_t, float>> row;
        for (size_t i = first; i < columns.size(); ++i) row.emplace_back(columns[i], values[i]);
        std::sort(row.begin(), row.end());
        for (size_t i = 0; i < row.size(); ++i) {
            if (i > 0 && row[i].first == row[i - 1].first) return false;
            columns[first + i] = row[i].first;
            values[first + i] = row[i].second;
        }
        return true;
    }

    bool fail(LineProblem what, const char* where) {
        problem = what;
        bad_ = where;
        return false;
    }

    Rules rules_;
    const char* bad_ = nullptr;
};

nb::typed<nb::dict, nb::str, nb::any> parse_sparse_lines(nb::bytes text, bool has_labels, int64_t first_label,
                                                         int64_t first_column, int64_t n_labels, int64_t n_columns) {
    Parser parser(Rules{has_labels, first_label, first_column, n_labels, n_columns});
    {
        nb::gil_scoped_release released;
        parser.parse(text.c_str(), text.c_str() + text.size());
    }
    nb::typed<nb::dict, nb::str, nb::any> found;
    found["problem"] = parser.problem;
    found["bad_at"] = parser.bad_at;
    found["n_lines"] = parser.line;
    found["n_labels"] = to_numpy(std::move(parser.n_labels));
    found["labels"] = to_numpy(std::move(parser.labels));
    found["n_columns"] = to_numpy(std::move(parser.n_columns));
    found["columns"] = to_numpy(std::move(parser.columns));
    found["values"] = to_numpy(std::move(parser.values));
    return found;
}

}  // namespace

void bind_sparse_text(nb::module_& m) {
    nb::enum_<LineProblem>(m, "LineProblem", nb::is_arithmetic(), "What is wrong with a line of sparse rows.")
        .value("NONE", LineProblem::kNone)
        .value("NO_PAIR", LineProblem::kNoPair)
        .value("BAD_VALUE", LineProblem::kBadValue)
        .value("COLUMN_OUTSIDE", LineProblem::kColumnOutside)
        .value("BAD_LABEL", LineProblem::kBadLabel)
        .value("LABEL_OUTSIDE", LineProblem::kLabelOutside)
        .value("COLUMN_TWICE", LineProblem::kColumnTwice);
    define(m, "parse_sparse_lines", &parse_sparse_lines,
           {"text", "has_labels", "first_label", "first_column", "n_labels", "n_columns"},
           "Labels, columns and values of lines; or what is wrong, and where.");
}

}  // namespace deixis
