// Makes the packed weights of a parent (packed_weights.hpp) from entries in the order of their hashed features.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "border.hpp"
#include "packed_weights.hpp"

namespace deixis {

// Entries of one parent: those of group g are from `starts[g]` on; hashes ascend, and so do children in a group.
struct GroupedWeights {
    std::vector<uint32_t> hashes;
    std::vector<size_t> starts{0};
    std::vector<uint8_t> children;
    std::vector<uint16_t> weights;
};

struct PackedParent {
    std::vector<uint64_t> blocks;
    std::vector<uint8_t> bytes;
    uint8_t entry_size = LongEntry::kSize;
};

class ParentPacker {
public:
    ParentPacker(const GroupedWeights& groups, int64_t n_children, int n_bits) : groups_(groups), n_bits_(n_bits) {
        is_short_ = n_children <= ShortEntry::kMostChildren &&
                    std::all_of(groups.weights.begin(), groups.weights.end(), ShortEntry::fits);
    }

    PackedParent packed() {
        PackedParent parent;
        // Powers of two: three to six features in a block.
        int block_bits = std::max(0, n_bits_ - kMaxKeyBits);
        while ((size_t{6} << block_bits) < groups_.hashes.size() && block_bits < n_bits_) ++block_bits;
        while (!fits_in(size_t{1} << block_bits)) ++block_bits;
        parent.blocks.assign(size_t{1} << block_bits, 0);
        parent.entry_size = is_short_ ? ShortEntry::kSize : LongEntry::kSize;
        parent.bytes.reserve(n_bytes(parent));
        size_t begin = 0;
        for (size_t b = 0; b < parent.blocks.size(); ++b) {
            const size_t end = end_of_block(begin, b);
            parent.blocks[b] = static_cast<uint64_t>(parent.bytes.size()) << 32 | filter(begin, end);
            if (begin < end) append(begin, end, parent.bytes);
            begin = end;
        }
        if (parent.bytes.size() > std::numeric_limits<uint32_t>::max())
            refuse("A node of the label tree needs ", parent.bytes.size(), " bytes of weights; 4 GB are the most.");
        return parent;
    }

private:
    size_t n_headers(size_t group) const {
        return ((groups_.starts[group + 1] - groups_.starts[group] - 1) >> bits_.count) + 1;
    }

    size_t end_of_block(size_t group, size_t block) const {
        while (group < groups_.hashes.size() && bits_.block(groups_.hashes[group]) == block) ++group;
        return group;
    }

    // Whether no block has more headers than a byte can count; ever smaller blocks have few keys at last.
    bool fits_in(size_t n_blocks) {
        bits_ = HashBits(n_bits_, n_blocks);
        size_t block = 0, n = 0;
        for (size_t group = 0; group < groups_.hashes.size(); ++group) {
            if (bits_.block(groups_.hashes[group]) != block) n = 0;
            block = bits_.block(groups_.hashes[group]);
            n += n_headers(group);
            if (n > 255) return false;
        }
        return true;
    }

    size_t n_bytes(const PackedParent& parent) const {
        size_t n = std::min(parent.blocks.size(), groups_.hashes.size());
        for (size_t group = 0; group < groups_.hashes.size(); ++group) n += 2 * n_headers(group);
        return n + parent.entry_size * groups_.children.size();
    }

    uint32_t filter(size_t begin, size_t end) const {
        uint32_t filter = 0;
        for (; begin < end; ++begin) filter |= 1u << bits_.filter_bit(groups_.hashes[begin]);
        return filter;
    }

    void append(size_t begin, size_t end, std::vector<uint8_t>& bytes) const {
        const size_t offset = bytes.size();
        bytes.push_back(0);
        for (size_t group = begin; group < end; ++group) {
            size_t n_left = groups_.starts[group + 1] - groups_.starts[group];
            for (const size_t n = n_headers(group), last = bytes.size() + 2 * n; bytes.size() < last;) {
                const size_t n_own = std::min(n_left, size_t{1} << bits_.count);
                const uint32_t header = bits_.header(groups_.hashes[group]) | static_cast<uint32_t>(n_own - 1);
                bytes.push_back(static_cast<uint8_t>(header & 0xffu));
                bytes.push_back(static_cast<uint8_t>(header >> 8));
                n_left -= n_own;
                ++bytes[offset];
            }
        }
        if (is_short_)
            append_entries<ShortEntry>(begin, end, bytes);
        else
            append_entries<LongEntry>(begin, end, bytes);
    }

    template <typename Entry>
    void append_entries(size_t begin, size_t end, std::vector<uint8_t>& bytes) const {
        size_t offset = bytes.size();
        bytes.resize(offset + Entry::kSize * (groups_.starts[end] - groups_.starts[begin]));
        for (size_t e = groups_.starts[begin]; e < groups_.starts[end]; ++e, offset += Entry::kSize)
            Entry::write(bytes.data() + offset, groups_.children[e], groups_.weights[e]);
    }

    const GroupedWeights& groups_;
    int n_bits_;
    bool is_short_;
    HashBits bits_{};
};

// The packed weights of several parents as arrays; the memory of each parent is freed.
inline ArraysByName packed_arrays(std::vector<PackedParent>& parents) {
    std::vector<int64_t> block_starts{0}, byte_starts{0};
    std::vector<uint64_t> blocks;
    std::vector<uint8_t> bytes, entry_sizes;
    for (PackedParent& parent : parents) {
        entry_sizes.push_back(parent.entry_size);
        move_to_end(blocks, parent.blocks);
        move_to_end(bytes, parent.bytes);
        block_starts.push_back(static_cast<int64_t>(blocks.size()));
        byte_starts.push_back(static_cast<int64_t>(bytes.size()));
    }
    ArraysByName out;
    out["block_starts"] = to_numpy(std::move(block_starts));
    out["blocks"] = to_numpy(std::move(blocks));
    out["byte_starts"] = to_numpy(std::move(byte_starts));
    out["bytes"] = to_numpy(std::move(bytes));
    out["entry_sizes"] = to_numpy(std::move(entry_sizes));
    return out;
}

}  // namespace deixis
