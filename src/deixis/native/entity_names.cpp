// What the names of entities say of mentions: whether a mention is a title or an id, initials of a title, a name that a
// description states, or begins as a name does; and what is known of an entity whatever the mention. Candidates lie all
// over memory, so those that come next are prefetched.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "border.hpp"
#include "name_keys.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "string_hash.hpp"
#include "texts.hpp"

namespace deixis {
namespace {

constexpr int64_t kAhead = 8;  // candidates whose facts are prefetched before they are read

// In the order of `deixis.ranking.own_names.NameColumns`.
enum Column { kTitle, kId, kInitials, kStated, kNamed, kPeople, kThing, kPopularity, kDescription, kAliases, kColumns };

// Values of each row, those of row `r` from `starts[r]` to `starts[r + 1]`.
struct Ragged {
    ArrayIn<uint32_t> starts;
    ArrayIn<uint64_t> values;

    bool holds(int64_t row, uint64_t value) const {
        const size_t begin = starts.data()[row], end = starts.data()[row + 1];
        return std::find(values.data() + begin, values.data() + end, value) != values.data() + end;
    }
};

template <typename T>
using Parts = std::vector<ArrayIn<T>>;

// Facts of all entities by row, in one part or several, one after the other.
class EntityNames {
public:
    EntityNames(Parts<uint64_t> keys, Parts<float> popularity, Parts<float> log_sizes, Parts<uint64_t> initials,
                Parts<uint8_t> is_name_page, Parts<uint32_t> stated_starts, Parts<uint64_t> stated,
                Parts<uint32_t> begun_starts, Parts<uint64_t> begun) {
        has_own_ = !initials.empty();
        for (const size_t n : {popularity.size(), log_sizes.size()})
            if (n != keys.size() || n == 0) refuse("Each part needs its keys, popularity and sizes; one is missing.");
        for (const size_t n : {is_name_page.size(), stated_starts.size(), stated.size(), begun_starts.size(),
                               begun.size(), has_own_ ? keys.size() : 0})
            if (n != initials.size()) refuse("Each part needs all names of its own, or none has any.");
        for (size_t i = 0; i < keys.size(); ++i) {
            const size_t n_rows = popularity[i].shape(0);
            check_size("keys", keys[i], 2 * n_rows, "two for each row");
            check_size("log_sizes", log_sizes[i], 2 * n_rows, "two for each row");
            Part part{n_rows_, keys[i], popularity[i], log_sizes[i], {}, {}, {}, {}};
            if (has_own_) {
                check_size("initials", initials[i], n_rows, "one for each row");
                check_size("is_name_page", is_name_page[i], n_rows, "one for each row");
                check_ends("stated_starts", stated_starts[i], n_rows, stated[i].shape(0));
                check_ends("begun_starts", begun_starts[i], n_rows, begun[i].shape(0));
                part.initials = initials[i], part.is_name_page = is_name_page[i];
                part.stated = {stated_starts[i], stated[i]}, part.begun = {begun_starts[i], begun[i]};
            }
            parts_.push_back(part);
            n_rows_ += static_cast<int64_t>(n_rows);
        }
    }

    // A number of each kind for every candidate, one kind after the other. `initials` are hashes of mentions that are
    // written like initials, 1 for others; none if there is none. `alias` has a positive number for candidates that
    // the mention is a name of; it is empty where that is not known.
    ArrayOut<float> columns(ArrayIn<uint8_t> data, ArrayIn<int64_t> offsets, ArrayIn<uint64_t> initials,
                            ArrayIn<int64_t> starts, ArrayIn<int64_t> rows, ArrayIn<float> alias, int n_threads) const {
        const Texts names(data, offsets);
        const size_t n = rows.shape(0);
        check_starts("starts", starts, names.size(), n);
        check_numbers("rows", rows, n_rows_);
        const bool has_initials = initials.shape(0) > 0, has_alias = alias.shape(0) > 0;
        if (has_initials) check_size("initials", initials, names.size(), "one for each mention");
        if (has_alias) check_size("alias", alias, n, "one for each candidate");
        std::unique_ptr<float[]> values(new float[kColumns * n]);
        std::vector<KeyMaker> makers(static_cast<size_t>(worker_count(names.size(), n_threads)));
        parallel_for(names.size(), n_threads, [&](size_t i, int worker) {
            const int64_t first = starts.data()[i], last = starts.data()[i + 1];
            if (first == last) return;
            std::string key;
            makers[static_cast<size_t>(worker)].append(names.text(i), names.length(i), kLoose, false, key);
            const auto* bytes = reinterpret_cast<const uint8_t*>(key.data());
            const Mention mention{string_hash(bytes, key.size()), beginning_of(bytes, key.size()),
                                  has_initials ? initials.data()[i] : kNoInitials};
            for (int64_t at = first; at < last; ++at) {
                if (at + 2 * kAhead < last) prefetch_row(rows.data()[at + 2 * kAhead]);
                if (at + kAhead < last && has_own_ && mention.beginning != 0) prefetch_begun(rows.data()[at + kAhead]);
                const std::array<float, kColumns> own =
                    compared(mention, rows.data()[at], has_alias, has_alias && alias.data()[at] > 0);
                for (size_t column = 0; column < kColumns; ++column)
                    values[column * n + static_cast<size_t>(at)] = own[column];
            }
        });
        return to_numpy(std::move(values), kColumns * n);
    }

private:
    static constexpr uint64_t kNoInitials = 1;  // what mentions have that are not written like initials

    struct Part {
        int64_t first_row;
        ArrayIn<uint64_t> keys;
        ArrayIn<float> popularity, log_sizes;
        ArrayIn<uint64_t> initials;
        ArrayIn<uint8_t> is_name_page;
        Ragged stated, begun;
    };

    struct Mention {
        uint64_t key, beginning, initials;
    };

    const Part& part_of(int64_t row) const {
        size_t i = parts_.size() - 1;
        while (row < parts_[i].first_row) --i;
        return parts_[i];
    }

    void prefetch_row(int64_t row) const {
        const Part& part = part_of(row);
        const int64_t own = row - part.first_row;
        prefetch(part.keys.data() + 2 * own);
        prefetch(part.popularity.data() + own);
        prefetch(part.log_sizes.data() + 2 * own);
        if (!has_own_) return;
        prefetch(part.initials.data() + own);
        prefetch(part.is_name_page.data() + own);
        prefetch(part.stated.starts.data() + own);
        prefetch(part.begun.starts.data() + own);
    }

    void prefetch_begun(int64_t row) const {
        const Part& part = part_of(row);
        prefetch(part.begun.values.data() + part.begun.starts.data()[row - part.first_row]);
    }

    std::array<float, kColumns> compared(const Mention& mention, int64_t row, bool has_alias, bool is_alias) const {
        const Part& part = part_of(row);
        const int64_t own = row - part.first_row;
        std::array<float, kColumns> values{};
        values[kTitle] = part.keys.data()[2 * own] == mention.key;
        values[kId] = part.keys.data()[2 * own + 1] == mention.key;
        values[kPopularity] = part.popularity.data()[own];
        values[kDescription] = part.log_sizes.data()[2 * own];
        values[kAliases] = part.log_sizes.data()[2 * own + 1];
        values[kThing] = 1;
        if (has_own_) {
            values[kInitials] = mention.initials != kNoInitials && part.initials.data()[own] == mention.initials;
            values[kStated] = (is_alias || !has_alias) && part.stated.holds(own, mention.key);
            values[kThing] = static_cast<float>(1 - part.is_name_page.data()[own]);
        }
        // Initials and what a description states are less than a name of the list or of annotated text.
        const bool is_named = is_alias && values[kInitials] == 0 && values[kStated] == 0;
        values[kNamed] = is_named;
        if (has_own_ && !is_named && mention.beginning != 0 && part.begun.holds(own, mention.beginning))
            values[kPeople] = values[kPopularity];
        return values;
    }

    std::vector<Part> parts_;
    int64_t n_rows_ = 0;
    bool has_own_ = false;
};

}  // namespace

void bind_entity_names(nb::module_& m) {
    nb::class_<EntityNames> names(m, "EntityNames", "What is compared with mentions of each entity, by row.");
    define_init<Parts<uint64_t>, Parts<float>, Parts<float>, Parts<uint64_t>, Parts<uint8_t>, Parts<uint32_t>,
                Parts<uint64_t>, Parts<uint32_t>, Parts<uint64_t>>(
        names, {"keys", "popularity", "log_sizes", "initials", "is_name_page", "stated_starts", "stated",
                "begun_starts", "begun"});
    define(names, "columns", &EntityNames::columns,
           {"data", "offsets", "initials", "starts", "rows", "alias", "n_threads"},
           "What the names of candidates say of mentions, one kind of numbers after the other.");
}

}  // namespace deixis
