// Packed weights of a level (packed_weights.hpp) from entries, back to entries, and whether arrays can be such.
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "border.hpp"
#include "packed_build.hpp"
#include "packed_weights.hpp"

namespace deixis {
namespace {

ArraysByName pack_level(ArrayIn<int64_t> child_starts, ArrayIn<int64_t> entry_starts, ArrayIn<uint32_t> hashes,
                        ArrayIn<uint8_t> children, ArrayIn<uint16_t> weights, int64_t n_features) {
    const size_t n_parents = n_rows_of("child_starts", child_starts);
    check_starts("entry_starts", entry_starts, n_parents, hashes.shape(0));
    check_size("children", children, hashes.shape(0), "one for each of hashes");
    check_size("weights", weights, hashes.shape(0), "one for each of hashes");
    const int n_bits = bits_for(n_features);
    std::vector<PackedParent> parents;
    for (size_t v = 0; v < n_parents; ++v) {
        GroupedWeights groups;
        const auto begin = static_cast<size_t>(entry_starts.data()[v]),
                   end = static_cast<size_t>(entry_starts.data()[v + 1]);
        for (size_t e = begin; e < end; ++e) {
            const uint32_t hash = hashes.data()[e];
            if (hash >> n_bits != 0 || (e > begin && hash < hashes.data()[e - 1]))
                refuse("The hashes of parent ", v, " do not ascend below 2^", n_bits, ".");
            if (e == begin || hash != hashes.data()[e - 1]) {
                groups.hashes.push_back(hash);
                groups.starts.push_back(groups.starts.back());
            }
            ++groups.starts.back();
        }
        groups.children.assign(children.data() + begin, children.data() + end);
        groups.weights.assign(weights.data() + begin, weights.data() + end);
        parents.push_back(ParentPacker(groups, child_starts.data()[v + 1] - child_starts.data()[v], n_bits).packed());
    }
    return packed_arrays(parents);
}

// The arrays of a level, as they lie.
struct PackedLevel {
    ArrayIn<int64_t> block_starts;
    ArrayIn<uint64_t> blocks;
    ArrayIn<int64_t> byte_starts;
    ArrayIn<uint8_t> bytes, entry_sizes;
    int n_bits;

    // Calls `use` with hash, number of entries, their bytes and the size of one, for every header of a block that has
    // been checked before.
    template <typename Use>
    void for_each_group(size_t parent, size_t block, Use&& use) const {
        const auto first = static_cast<size_t>(block_starts.data()[parent]);
        const HashBits bits(n_bits, static_cast<size_t>(block_starts.data()[parent + 1]) - first);
        const uint64_t own = blocks.data()[first + block];
        if (filter_of(own) == 0) return;
        const uint8_t* const begin = bytes.data() + byte_starts.data()[parent] + offset_of(own);
        const uint8_t* entry = begin + 1 + 2 * size_t{begin[0]};
        for (size_t h = 0; h < begin[0]; ++h) {
            const uint32_t header = read_16(begin + 1 + 2 * h), n = (header & bits.count_mask()) + 1;
            use(static_cast<uint32_t>(block << bits.key) | (header >> bits.count), n, entry);
            entry += size_t{entry_sizes.data()[parent]} * n;
        }
    }
};

// Hashed feature, child and weight of every entry of the parents from `first` to before `last`, and where those of each
// begin.
auto unpack_level(ArrayIn<int64_t> block_starts, ArrayIn<uint64_t> blocks, ArrayIn<int64_t> byte_starts,
                  ArrayIn<uint8_t> bytes, ArrayIn<uint8_t> entry_sizes, int64_t n_features, int64_t first,
                  int64_t last) {
    const PackedLevel level{block_starts, blocks, byte_starts, bytes, entry_sizes, bits_for(n_features)};
    const auto n_parents = static_cast<double>(n_rows_of("block_starts", block_starts));
    check_within("first", static_cast<double>(first), 0, n_parents);
    check_within("last", static_cast<double>(last), static_cast<double>(first), n_parents);
    std::vector<int64_t> starts{0};
    std::vector<uint32_t> hashes;
    std::vector<uint8_t> children;
    std::vector<uint16_t> weights;
    for (auto v = static_cast<size_t>(first); v < static_cast<size_t>(last); ++v) {
        const bool is_short = entry_sizes.data()[v] == ShortEntry::kSize;
        const auto n_blocks = static_cast<size_t>(block_starts.data()[v + 1] - block_starts.data()[v]);
        for (size_t b = 0; b < n_blocks; ++b)
            level.for_each_group(v, b, [&](uint32_t hash, uint32_t n, const uint8_t* entry) {
                for (uint32_t e = 0; e < n; ++e, entry += entry_sizes.data()[v]) {
                    hashes.push_back(hash);
                    children.push_back(is_short ? ShortEntry::child(entry) : LongEntry::child(entry));
                    weights.push_back(is_short ? ShortEntry::weight(entry) : LongEntry::weight(entry));
                }
            });
        starts.push_back(static_cast<int64_t>(hashes.size()));
    }
    return std::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(hashes)), to_numpy(std::move(children)),
                           to_numpy(std::move(weights)));
}

// What is wrong with a parent's blocks, or nothing.
std::string damage_of(const PackedLevel& level, size_t v, int64_t n_children) {
    const std::string name = "parent " + std::to_string(v);
    const auto first = static_cast<size_t>(level.block_starts.data()[v]);
    const auto n_blocks = static_cast<size_t>(level.block_starts.data()[v + 1]) - first;
    if (!std::has_single_bit(n_blocks)) return name + " has a wrong number of blocks";
    const HashBits bits(level.n_bits, n_blocks);
    if (bits.key < 0 || bits.key > kMaxKeyBits) return name + " has too few or too many blocks";
    const size_t entry_size = level.entry_sizes.data()[v];
    if (entry_size != ShortEntry::kSize && entry_size != LongEntry::kSize) return name + " has entries of a wrong size";
    const uint8_t* const bytes = level.bytes.data() + level.byte_starts.data()[v];
    const auto n_bytes = static_cast<size_t>(level.byte_starts.data()[v + 1] - level.byte_starts.data()[v]);
    if (offset_of(level.blocks.data()[first]) != 0) return "the blocks of " + name + " miss bytes";
    for (size_t b = 0; b < n_blocks; ++b) {
        const uint64_t block = level.blocks.data()[first + b];
        const size_t begin = offset_of(block);
        const size_t end = b + 1 < n_blocks ? offset_of(level.blocks.data()[first + b + 1]) : n_bytes;
        if (begin > end || end > n_bytes) return "the blocks of " + name + " are out of order";
        if ((filter_of(block) == 0) != (begin == end)) return "the blocks of " + name + " miss entries";
        if (begin == end) continue;
        const size_t n_headers = bytes[begin];
        if (n_headers == 0 || begin + 1 + 2 * n_headers > end) return "the blocks of " + name + " miss entries";
        size_t n_entries = 0;
        for (size_t h = 0; h < n_headers; ++h)
            n_entries += (read_16(bytes + begin + 1 + 2 * h) & bits.count_mask()) + 1;
        if (begin + 1 + 2 * n_headers + entry_size * n_entries != end) return "the blocks of " + name + " miss entries";
        for (size_t e = begin + 1 + 2 * n_headers; e < end; e += entry_size)
            if ((entry_size == ShortEntry::kSize ? ShortEntry::child(bytes + e) : LongEntry::child(bytes + e)) >=
                n_children)
                return name + " names a child it does not have";
    }
    return "";
}

// What is wrong with a level's arrays, or nothing: a search of them must never leave their memory.
std::string find_damage(ArrayIn<int64_t> child_starts, ArrayIn<int64_t> block_starts, ArrayIn<uint64_t> blocks,
                        ArrayIn<int64_t> byte_starts, ArrayIn<uint8_t> bytes, ArrayIn<uint8_t> entry_sizes,
                        int64_t n_features) {
    const size_t n_parents = n_rows_of("child_starts", child_starts);
    check_size("block_starts", block_starts, n_parents + 1, "one for each of child_starts");
    check_size("byte_starts", byte_starts, n_parents + 1, "one for each of child_starts");
    check_size("entry_sizes", entry_sizes, n_parents, "one for each parent");
    const auto covers = [&](const ArrayIn<int64_t>& starts, size_t n) {
        return starts.data()[0] == 0 && starts.data()[n_parents] == static_cast<int64_t>(n);
    };
    if (!covers(block_starts, blocks.shape(0))) return "the parents do not cover the blocks";
    if (!covers(byte_starts, bytes.shape(0))) return "the parents do not cover the bytes";
    for (size_t v = 0; v < n_parents; ++v)  // first of all: what follows reads where these point
        if (block_starts.data()[v] > block_starts.data()[v + 1] || byte_starts.data()[v] > byte_starts.data()[v + 1])
            return "parent " + std::to_string(v) + " ends before it begins";
    const PackedLevel level{block_starts, blocks, byte_starts, bytes, entry_sizes, bits_for(n_features)};
    for (size_t v = 0; v < n_parents; ++v)
        if (std::string damage = damage_of(level, v, child_starts.data()[v + 1] - child_starts.data()[v]);
            !damage.empty())
            return damage;
    return "";
}

}  // namespace

void bind_packed_levels(nb::module_& m) {
    m.attr("FEATURE_HASH") = kFeatureHash;
    define(m, "pack_level", &pack_level,
           {"child_starts", "entry_starts", "hashes", "children", "weights", "n_features"},
           "The packed weights of a level whose entries are in the order of their hashed features, parent by parent.");
    define(m, "unpack_level", &unpack_level,
           {"block_starts", "blocks", "byte_starts", "bytes", "entry_sizes", "n_features", "first", "last"},
           "Where the entries of each parent begin; hashed feature, child and weight of each.");
    define(m, "find_damage", &find_damage,
           {"child_starts", "block_starts", "blocks", "byte_starts", "bytes", "entry_sizes", "n_features"},
           "What is wrong with a level's arrays, or nothing.");
}

}  // namespace deixis
