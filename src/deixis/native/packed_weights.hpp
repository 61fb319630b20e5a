// How the rankers of one tree level are kept, in memory as on disk.
//
// A parent's weights are grouped by feature. The hash of a feature is a bijection on `n_bits` bits: its high bits
// choose a block of about five features, the low ones, at most 16, are the key kept with the feature, so a lookup is
// exact. A block is one number: a filter of 32 bits, one for each 32nd of its hashes, since most features of a query
// are not among a parent's; and where its bytes begin. These are the number of its groups, a header for each (the key
// and how many entries it has), and all entries, in the order of the headers. An entry is a child and a weight. Weights
// are bfloat16: an entry has three bytes, or two where children are 16 at most and all weights are of common size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace deixis {

inline constexpr uint32_t kFeatureHash = 0x9e3779b1u;  // odd, hence invertible modulo any power of two
inline constexpr int kMaxKeyBits = 16;
inline constexpr int kMaxCountBits = 8;
inline constexpr int64_t kMaxChildren = 256;  // of a parent: a child's number has one byte

inline uint32_t hash_feature(uint32_t feature, int n_bits) {
    return (feature * kFeatureHash) & static_cast<uint32_t>((uint64_t{1} << n_bits) - 1);
}

inline int bits_for(int64_t n_features) {
    int n_bits = 1;
    while ((int64_t{1} << n_bits) < n_features) ++n_bits;
    return n_bits;
}

// How a parent's blocks divide a hash; headers have the key above the count, which is one less than the entries.
struct HashBits {
    int key, count, filter;

    HashBits() = default;
    HashBits(int n_bits, size_t n_blocks)
        : key(n_bits - std::countr_zero(n_blocks)),
          count(std::min(kMaxKeyBits - key, kMaxCountBits)),
          filter(std::max(key - 5, 0)) {}

    uint32_t block(uint32_t hash) const { return hash >> key; }
    uint32_t filter_bit(uint32_t hash) const { return (hash >> filter) & 31u; }
    uint16_t header(uint32_t hash) const { return static_cast<uint16_t>((hash & ((1u << key) - 1)) << count); }
    uint32_t count_mask() const { return (1u << count) - 1; }
};

// A block: the filter in the lower half, the offset of its bytes in the upper.
inline uint32_t filter_of(uint64_t block) { return static_cast<uint32_t>(block); }
inline uint32_t offset_of(uint64_t block) { return static_cast<uint32_t>(block >> 32); }

static_assert(std::endian::native == std::endian::little, "packed weights are read as they lie on disk, little-endian");

inline uint16_t to_bfloat16(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    bits += 0x7fffu + ((bits >> 16) & 1u);  // round to nearest, ties to even
    return static_cast<uint16_t>(bits >> 16);
}

inline uint16_t read_16(const uint8_t* bytes) {
    uint16_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// Child in a byte, weight in two.
struct LongEntry {
    static constexpr size_t kSize = 3;

    static uint8_t child(const uint8_t* bytes) { return bytes[0]; }
    static uint16_t weight(const uint8_t* bytes) { return read_16(bytes + 1); }
    static void write(uint8_t* bytes, uint8_t child, uint16_t weight) {
        bytes[0] = child;
        std::memcpy(bytes + 1, &weight, sizeof weight);
    }
};

// Child in 4 bits, then 11 of the weight, from 2^-12 to below 16, and its sign.
struct ShortEntry {
    static constexpr size_t kSize = 2;
    static constexpr uint16_t kLeast = 115 << 7;  // the bfloat16 of 2^-12
    static constexpr uint8_t kMostChildren = 16;

    static bool fits(uint16_t weight) { return static_cast<uint16_t>((weight & 0x7fffu) - kLeast) < (1u << 11); }
    static uint8_t child(const uint8_t* bytes) { return bytes[0] & 15u; }
    static uint16_t weight(const uint8_t* bytes) {
        const uint32_t entry = read_16(bytes);
        return static_cast<uint16_t>(((entry & 0x7fffu) >> 4) + kLeast) | (entry & 0x8000u);
    }
    static void write(uint8_t* bytes, uint8_t child, uint16_t weight) {
        const auto entry = static_cast<uint16_t>((((weight & 0x7fffu) - kLeast) << 4) | (weight & 0x8000u) | child);
        std::memcpy(bytes, &entry, sizeof entry);
    }
};

template <typename Entry>
inline float weight_of(const uint8_t* bytes) {
    return std::bit_cast<float>(static_cast<uint32_t>(Entry::weight(bytes)) << 16);
}

// Calls `use` with the bytes of every entry whose header's key is that of `header_of_key`, a header of count 0, in the
// block that begins at `bytes`.
template <typename Entry, typename Use>
inline void for_each_entry(const uint8_t* bytes, uint16_t header_of_key, uint32_t count_mask, Use&& use) {
    const size_t n_headers = bytes[0];
    const uint8_t* const headers = bytes + 1;
    size_t n_less = 0, n_before = 0;
    for (; n_less < n_headers; ++n_less) {  // a handful
        const uint32_t header = read_16(headers + 2 * n_less);
        if (header >= header_of_key) break;
        n_before += (header & count_mask) + 1;
    }
    const uint8_t* entry = headers + 2 * n_headers + Entry::kSize * n_before;
    for (; n_less < n_headers; ++n_less) {  // a feature of very many entries has several headers
        const uint32_t more = static_cast<uint32_t>(read_16(headers + 2 * n_less)) - header_of_key;
        if (more > count_mask) break;
        const uint8_t* const end = entry + Entry::kSize * (more + 1);
        for (; entry != end; entry += Entry::kSize) use(entry);
    }
}

}  // namespace deixis
