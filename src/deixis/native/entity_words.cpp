// The words of entities from columns to what is stored, and back.
#include "entity_words.hpp"

#include <vector>

#include "arrays.hpp"
#include "border.hpp"

namespace deixis {
namespace {

// Row `i` of every matrix, then row `i + 1` of every matrix.
auto pack_words(const std::vector<ArrayIn<int64_t>>& indptrs, const std::vector<ArrayIn<int32_t>>& columns) {
    if (indptrs.empty() || columns.size() != indptrs.size())
        refuse("indptrs has ", indptrs.size(), " arrays and columns ", columns.size(),
               "; they need one for each kind.");
    const size_t n_rows = n_rows_of("indptrs", indptrs[0]);
    for (size_t kind = 0; kind < indptrs.size(); ++kind) {
        check_starts("indptrs", indptrs[kind], n_rows, columns[kind].shape(0));
        check_numbers("columns", columns[kind], kMaxWords);
    }
    std::vector<int64_t> starts{0};
    std::vector<uint16_t> words;
    for (size_t row = 0; row < n_rows; ++row)
        for (size_t kind = 0; kind < indptrs.size(); ++kind) {
            int32_t last = 0;
            for (auto i = indptrs[kind].data()[row]; i < indptrs[kind].data()[row + 1]; ++i) {
                const int32_t column = columns[kind].data()[i], section = column / kSectionWords;
                if (section != last) words.push_back(static_cast<uint16_t>(kSectionWords + section));
                words.push_back(static_cast<uint16_t>(column % kSectionWords));
                last = section;
            }
            starts.push_back(static_cast<int64_t>(words.size()));
        }
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(words)));
}

// Row starts and columns of some of the rows.
auto unpack_words(ArrayIn<uint32_t> starts, ArrayIn<uint16_t> words, ArrayIn<int64_t> rows) {
    const size_t n_rows = n_rows_of("starts", starts);
    check_ends("starts", starts, n_rows, words.shape(0));
    check_numbers("rows", rows, static_cast<int64_t>(n_rows));
    std::vector<int64_t> indptr{0};
    std::vector<int32_t> columns;
    for (size_t i = 0; i < rows.shape(0); ++i) {
        const uint32_t* row = starts.data() + rows.data()[i];
        if (row[0] > row[1] || row[1] > words.shape(0)) refuse_damaged("list of words");
        for_each_word(words.data() + row[0], words.data() + row[1], [&](int32_t word) { columns.push_back(word); });
        indptr.push_back(static_cast<int64_t>(columns.size()));
    }
    return std::make_tuple(to_numpy(std::move(indptr)), to_numpy(std::move(columns)));
}

}  // namespace

void bind_entity_words(nb::module_& m) {
    define(
        m, "pack_words", &pack_words, {"indptrs", "columns"},
        "The words of entities, two bytes each: where rows start, and the words. Rows of several matrices alternate.");
    define(m, "unpack_words", &unpack_words, {"starts", "words", "rows"},
           "Row starts and columns of some of the rows.");
}

}  // namespace deixis
