// How the rankers of one tree level are kept, in memory as on disk.
//
// A parent's weights are entries (feature, child, weight) sorted by hashed feature and found through buckets of about
// two features. The hash is a bijection on `n_bits` bits; its high bits choose the bucket and the low ones, at most 16,
// are the key kept with the entry, so a lookup is exact. Weights are bfloat16: two bytes, and a shift to read. An entry
// is five bytes that lie together, because fetching them from memory is most of what a search does. And since most
// features of a query are not among a parent's, each bucket has a byte whose bits say which eighths of it hold any
// entry.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace deixis {

inline constexpr uint32_t kFeatureHash = 0x9e3779b1u;  // odd, hence invertible modulo any power of two
inline constexpr int kMaxKeyBits = 16;
inline constexpr int64_t kMaxChildren = 256;  // of a parent: a child's number has one byte

inline uint32_t hash_feature(uint32_t feature, int n_bits) {
    return (feature * kFeatureHash) & static_cast<uint32_t>((uint64_t{1} << n_bits) - 1);
}

inline int bits_for(int64_t n_features) {
    int n_bits = 1;
    while ((int64_t{1} << n_bits) < n_features) ++n_bits;
    return n_bits;
}

// Reads packed entries: two bytes of key, two of weight, one of child, little-endian.
class EntryView {
public:
    static constexpr int64_t kSize = 5;

    EntryView() = default;
    explicit EntryView(const uint8_t* bytes) : bytes_(bytes) {}

    uint16_t key(int64_t e) const {
        uint16_t value;
        std::memcpy(&value, bytes_ + e * kSize, sizeof value);
        return value;
    }
    // The key in the lower half, the weight in the upper.
    uint32_t key_and_weight(int64_t e) const {
        uint32_t value;
        std::memcpy(&value, bytes_ + e * kSize, sizeof value);
        return value;
    }
    uint8_t child(int64_t e) const { return bytes_[e * kSize + 4]; }
    const uint8_t* address(int64_t e) const { return bytes_ + e * kSize; }

    static void append(std::vector<uint8_t>& bytes, uint16_t key, uint16_t weight, uint8_t child) {
        for (const uint16_t value : {key, weight}) {
            bytes.push_back(static_cast<uint8_t>(value & 0xff));
            bytes.push_back(static_cast<uint8_t>(value >> 8));
        }
        bytes.push_back(child);
    }

private:
    const uint8_t* bytes_ = nullptr;
};

static_assert(std::endian::native == std::endian::little, "packed weights are read as they lie on disk, little-endian");

// The bit of a bucket's byte that stands for the eighth in which a hashed feature lies.
inline uint8_t eighth_bit(uint32_t hash, int key_bits) {
    return static_cast<uint8_t>(1u << ((hash >> (key_bits > 3 ? key_bits - 3 : 0)) & 7u));
}

inline uint16_t to_bfloat16(float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    bits += 0x7fffu + ((bits >> 16) & 1u);  // round to nearest, ties to even
    return static_cast<uint16_t>(bits >> 16);
}

}  // namespace deixis
