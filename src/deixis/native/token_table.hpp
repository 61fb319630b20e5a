// Distinct byte strings and their numbers: a growing table for learning, and a view of stored arrays for looking up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "prefetch.hpp"
#include "random.hpp"

namespace deixis {

// As the finalizer of a hash: every bit of the number tells in every bit of the result.
inline uint64_t mix_hash(uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

// Up to eight bytes as one number, without a call to memcpy for their odd sizes.
inline uint64_t short_word(const char* text, size_t size) {
    if (size >= 4) {
        uint32_t first, last;
        std::memcpy(&first, text, 4);
        std::memcpy(&last, text + size - 4, 4);
        return uint64_t{first} << 32 | last;
    }
    if (size == 0) return 0;
    const auto byte = [&](size_t at) { return uint64_t{static_cast<uint8_t>(text[at])}; };
    return byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
}

inline uint64_t hash_bytes(const char* text, size_t size) {
    uint64_t h = kGolden64 * (size + 1);
    for (; size > 8; text += 8, size -= 8) {
        uint64_t word;
        std::memcpy(&word, text, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return mix_hash(h ^ short_word(text, size));
}

inline bool same_bytes(const char* a, const char* b, size_t size) {
    for (; size > 8; a += 8, b += 8, size -= 8) {
        uint64_t left, right;
        std::memcpy(&left, a, 8);
        std::memcpy(&right, b, 8);
        if (left != right) return false;
    }
    return short_word(a, size) == short_word(b, size);
}

inline constexpr uint64_t kEmptySlot = ~uint64_t{0};

// A slot holds the upper half of the hash and the number of the string.
inline uint64_t make_slot(uint64_t hash, uint32_t id) { return (hash & 0xffffffff00000000ull) | id; }

// Open addressing with a third to two thirds of the slots filled.
inline size_t slot_count(size_t n) {
    size_t n_slots = 8;
    while (2 * n_slots < 3 * n) n_slots *= 2;
    return n_slots;
}

// Numbers strings in the order they first come.
class TokenBuilder {
public:
    TokenBuilder() : slots_(1024, kEmptySlot) {}

    size_t size() const { return hashes_.size(); }
    uint64_t hash(size_t id) const { return hashes_[id]; }
    std::string_view text(size_t id) const {
        return {blob_.data() + offsets_[id], static_cast<size_t>(offsets_[id + 1] - offsets_[id])};
    }

    // The number of the string, or -1.
    int64_t find(const char* text, size_t size, uint64_t hash) const {
        const uint64_t slot = slots_[place(text, size, hash)];
        return slot == kEmptySlot ? -1 : static_cast<int64_t>(slot & 0xffffffffu);
    }

    uint32_t add(const char* text, size_t size, uint64_t hash) {
        const size_t at = place(text, size, hash);
        if (slots_[at] != kEmptySlot) return static_cast<uint32_t>(slots_[at]);
        const auto id = static_cast<uint32_t>(hashes_.size());
        slots_[at] = make_slot(hash, id);
        hashes_.push_back(hash);
        blob_.insert(blob_.end(), text, text + size);
        offsets_.push_back(static_cast<int64_t>(blob_.size()));
        if (2 * hashes_.size() > slots_.size()) grow();
        return id;
    }

private:
    // The slot of the string, or the empty one where it belongs.
    size_t place(const char* text, size_t size, uint64_t hash) const {
        const size_t mask = slots_.size() - 1;
        size_t at = hash & mask;
        for (; slots_[at] != kEmptySlot; at = (at + 1) & mask) {
            if ((slots_[at] ^ hash) >> 32 != 0) continue;
            const std::string_view known = this->text(static_cast<uint32_t>(slots_[at]));
            if (known.size() == size && same_bytes(known.data(), text, size)) break;
        }
        return at;
    }

    void grow() {
        std::vector<uint64_t> slots(2 * slots_.size(), kEmptySlot);
        const size_t mask = slots.size() - 1;
        for (uint32_t id = 0; id < hashes_.size(); ++id) {
            size_t at = hashes_[id] & mask;
            while (slots[at] != kEmptySlot) at = (at + 1) & mask;
            slots[at] = make_slot(hashes_[id], id);
        }
        slots_.swap(slots);
    }

    std::vector<uint64_t> slots_, hashes_;
    std::vector<char> blob_;
    std::vector<int64_t> offsets_{0};
};

inline constexpr uint32_t kEmptyStoredSlot = ~uint32_t{0};

// A stored slot has four bytes: the number of the string in as many bits as the place of a slot has, and above it the
// first bits of its hash. More bits would save no more than one comparison of strings in thousands. No string has the
// number of the last place, so no slot is taken for an empty one.
inline uint32_t make_stored_slot(uint64_t hash, uint32_t id, size_t n_slots) {
    return (static_cast<uint32_t>(hash >> 32) & ~static_cast<uint32_t>(n_slots - 1)) | id;
}

// What is stored of a TokenBuilder: some of its strings, renumbered in order.
struct TokenArrays {
    std::vector<uint8_t> data;
    std::vector<uint32_t> offsets{0};
    std::vector<uint32_t> slots;

    TokenArrays() = default;
    template <typename Keep>
    TokenArrays(const TokenBuilder& builder, Keep&& keep) {
        std::vector<uint64_t> hashes;
        for (size_t id = 0; id < builder.size(); ++id) {
            if (!keep(id)) continue;
            const std::string_view text = builder.text(id);
            data.insert(data.end(), text.begin(), text.end());
            offsets.push_back(static_cast<uint32_t>(data.size()));
            hashes.push_back(builder.hash(id));
        }
        slots.assign(slot_count(hashes.size()), kEmptyStoredSlot);
        for (uint32_t id = 0; id < hashes.size(); ++id) {
            size_t at = hashes[id] & (slots.size() - 1);
            while (slots[at] != kEmptyStoredSlot) at = (at + 1) & (slots.size() - 1);
            slots[at] = make_stored_slot(hashes[id], id, slots.size());
        }
    }
};

// Looks strings up in stored arrays. Every index read from them is checked, so damaged arrays give wrong answers at
// worst. n_slots must be a power of two, 2^32 at most.
class TokenTable {
public:
    TokenTable(const uint8_t* data, size_t n_bytes, const uint32_t* offsets, size_t n_tokens, const uint32_t* slots,
               size_t n_slots)
        : data_(data), offsets_(offsets), slots_(slots), n_bytes_(n_bytes), n_(n_tokens), n_slots_(n_slots) {}

    size_t size() const { return n_; }

    std::string_view text(size_t id) const {
        const uint32_t begin = offsets_[id], end = offsets_[id + 1];
        if (end < begin || end > n_bytes_) return {};
        return {reinterpret_cast<const char*>(data_) + begin, end - begin};
    }

    // The number of the string, or -1.
    int32_t find(const char* text, size_t size, uint64_t hash) const {
        return probe(hash, [&](int32_t id) { return is_text(id, text, size); });
    }

    // The same look-up in steps for many strings at once, so that they wait for memory together: ask for the slot; take
    // the first number whose hash agrees (or -1) and ask for its place; ask for its text; compare.
    void ask_slot(uint64_t hash) const { prefetch(slots_ + (hash & (n_slots_ - 1))); }
    int32_t ask_place(uint64_t hash) const {
        const int32_t id = probe(hash, [](int32_t) { return true; });
        if (id >= 0) prefetch(offsets_ + id);
        return id;
    }
    void ask_text(int32_t id) const { prefetch(text(static_cast<size_t>(id)).data()); }
    bool is_text(int32_t id, const char* text, size_t size) const {
        const std::string_view known = this->text(static_cast<size_t>(id));
        return known.size() == size && same_bytes(known.data(), text, size);
    }

private:
    // The first number filed under the hash that is accepted, or -1.
    template <typename Accept>
    int32_t probe(uint64_t hash, Accept accept) const {
        const auto last = static_cast<uint32_t>(n_slots_ - 1), wanted = make_stored_slot(hash, 0, n_slots_);
        size_t at = hash & last;
        for (size_t n_probes = 0; n_probes < n_slots_; ++n_probes, at = (at + 1) & last) {
            const uint32_t slot = slots_[at], id = slot & last;
            if (slot == kEmptyStoredSlot) return -1;
            if (slot - id != wanted || id >= n_) continue;
            if (accept(static_cast<int32_t>(id))) return static_cast<int32_t>(id);
        }
        return -1;
    }

    const uint8_t* data_;
    const uint32_t *offsets_, *slots_;
    size_t n_bytes_, n_, n_slots_;
};

}  // namespace deixis
