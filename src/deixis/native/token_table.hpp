// Distinct byte strings and their numbers: a growing table for learning, and a view of stored arrays for looking up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "prefetch.hpp"

namespace deixis {

inline std::uint64_t mix_hash(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

// Up to eight bytes as one number, without a call to memcpy for their odd sizes.
inline std::uint64_t short_word(const char* text, std::size_t size) {
    if (size >= 4) {
        std::uint32_t first, last;
        std::memcpy(&first, text, 4);
        std::memcpy(&last, text + size - 4, 4);
        return std::uint64_t{first} << 32 | last;
    }
    if (size == 0) return 0;
    const auto byte = [&](std::size_t at) { return std::uint64_t{static_cast<std::uint8_t>(text[at])}; };
    return byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
}

inline std::uint64_t hash_bytes(const char* text, std::size_t size) {
    std::uint64_t h = 0x9e3779b97f4a7c15ull * (size + 1);
    for (; size > 8; text += 8, size -= 8) {
        std::uint64_t word;
        std::memcpy(&word, text, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    return mix_hash(h ^ short_word(text, size));
}

inline bool same_bytes(const char* a, const char* b, std::size_t size) {
    for (; size > 8; a += 8, b += 8, size -= 8) {
        std::uint64_t left, right;
        std::memcpy(&left, a, 8);
        std::memcpy(&right, b, 8);
        if (left != right) return false;
    }
    return short_word(a, size) == short_word(b, size);
}

inline constexpr std::uint64_t kEmptySlot = ~std::uint64_t{0};

// A slot holds the upper half of the hash and the number of the string.
inline std::uint64_t make_slot(std::uint64_t hash, std::uint32_t id) { return (hash & 0xffffffff00000000ull) | id; }

// Open addressing with a third to two thirds of the slots filled.
inline std::size_t slot_count(std::size_t n) {
    std::size_t n_slots = 8;
    while (2 * n_slots < 3 * n) n_slots *= 2;
    return n_slots;
}

// Numbers strings in the order they first come.
class TokenBuilder {
public:
    TokenBuilder() : slots_(1024, kEmptySlot) {}

    std::size_t size() const { return hashes_.size(); }
    std::uint64_t hash(std::size_t id) const { return hashes_[id]; }
    std::string_view text(std::size_t id) const {
        return {blob_.data() + offsets_[id], static_cast<std::size_t>(offsets_[id + 1] - offsets_[id])};
    }

    // The number of the string, or -1.
    std::int64_t find(const char* text, std::size_t size, std::uint64_t hash) const {
        const std::uint64_t slot = slots_[place(text, size, hash)];
        return slot == kEmptySlot ? -1 : static_cast<std::int64_t>(slot & 0xffffffffu);
    }

    std::uint32_t add(const char* text, std::size_t size, std::uint64_t hash) {
        const std::size_t at = place(text, size, hash);
        if (slots_[at] != kEmptySlot) return static_cast<std::uint32_t>(slots_[at]);
        const auto id = static_cast<std::uint32_t>(hashes_.size());
        slots_[at] = make_slot(hash, id);
        hashes_.push_back(hash);
        blob_.insert(blob_.end(), text, text + size);
        offsets_.push_back(static_cast<std::int64_t>(blob_.size()));
        if (2 * hashes_.size() > slots_.size()) grow();
        return id;
    }

private:
    // The slot of the string, or the empty one where it belongs.
    std::size_t place(const char* text, std::size_t size, std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        for (; slots_[at] != kEmptySlot; at = (at + 1) & mask) {
            if ((slots_[at] ^ hash) >> 32 != 0) continue;
            const std::string_view known = this->text(static_cast<std::uint32_t>(slots_[at]));
            if (known.size() == size && same_bytes(known.data(), text, size)) break;
        }
        return at;
    }

    void grow() {
        std::vector<std::uint64_t> slots(2 * slots_.size(), kEmptySlot);
        const std::size_t mask = slots.size() - 1;
        for (std::uint32_t id = 0; id < hashes_.size(); ++id) {
            std::size_t at = hashes_[id] & mask;
            while (slots[at] != kEmptySlot) at = (at + 1) & mask;
            slots[at] = make_slot(hashes_[id], id);
        }
        slots_.swap(slots);
    }

    std::vector<std::uint64_t> slots_, hashes_;
    std::vector<char> blob_;
    std::vector<std::int64_t> offsets_{0};
};

// What is stored of a TokenBuilder: some of its strings, renumbered in order.
struct TokenArrays {
    std::vector<std::uint8_t> data;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> slots;

    TokenArrays() = default;
    template <typename Keep>
    TokenArrays(const TokenBuilder& builder, Keep&& keep) {
        std::vector<std::uint64_t> hashes;
        for (std::size_t id = 0; id < builder.size(); ++id) {
            if (!keep(id)) continue;
            const std::string_view text = builder.text(id);
            data.insert(data.end(), text.begin(), text.end());
            offsets.push_back(static_cast<std::int64_t>(data.size()));
            hashes.push_back(builder.hash(id));
        }
        slots.assign(slot_count(hashes.size()), kEmptySlot);
        for (std::uint32_t id = 0; id < hashes.size(); ++id) {
            std::size_t at = hashes[id] & (slots.size() - 1);
            while (slots[at] != kEmptySlot) at = (at + 1) & (slots.size() - 1);
            slots[at] = make_slot(hashes[id], id);
        }
    }
};

// Looks strings up in stored arrays. Every index read from them is checked, so damaged arrays give wrong answers at
// worst. n_slots must be a power of two.
class TokenTable {
public:
    TokenTable(const std::uint8_t* data, std::size_t n_bytes, const std::int64_t* offsets, std::size_t n_tokens,
               const std::uint64_t* slots, std::size_t n_slots)
        : data_(data), offsets_(offsets), slots_(slots), n_bytes_(n_bytes), n_(n_tokens), n_slots_(n_slots) {}

    std::size_t size() const { return n_; }

    std::string_view text(std::size_t id) const {
        const std::int64_t begin = offsets_[id], end = offsets_[id + 1];
        if (begin < 0 || end < begin || static_cast<std::size_t>(end) > n_bytes_) return {};
        return {reinterpret_cast<const char*>(data_) + begin, static_cast<std::size_t>(end - begin)};
    }

    // The number of the string, or -1.
    std::int32_t find(const char* text, std::size_t size, std::uint64_t hash) const {
        return probe(hash, [&](std::int32_t id) { return is_text(id, text, size); });
    }

    // The same look-up in steps for many strings at once, so that they wait for memory together: ask for the slot; take
    // the first number whose hash agrees (or -1) and ask for its place; ask for its text; compare.
    void ask_slot(std::uint64_t hash) const { prefetch(slots_ + (hash & (n_slots_ - 1))); }
    std::int32_t ask_place(std::uint64_t hash) const {
        const std::int32_t id = probe(hash, [](std::int32_t) { return true; });
        if (id >= 0) prefetch(offsets_ + id);
        return id;
    }
    void ask_text(std::int32_t id) const { prefetch(text(static_cast<std::size_t>(id)).data()); }
    bool is_text(std::int32_t id, const char* text, std::size_t size) const {
        const std::string_view known = this->text(static_cast<std::size_t>(id));
        return known.size() == size && same_bytes(known.data(), text, size);
    }

private:
    // The first number filed under the hash that is accepted, or -1.
    template <typename Accept>
    std::int32_t probe(std::uint64_t hash, Accept accept) const {
        std::size_t at = hash & (n_slots_ - 1);
        for (std::size_t n_probes = 0; n_probes < n_slots_; ++n_probes, at = (at + 1) & (n_slots_ - 1)) {
            const std::uint64_t slot = slots_[at];
            if (slot == kEmptySlot) return -1;
            const auto id = static_cast<std::uint32_t>(slot);
            if ((slot ^ hash) >> 32 != 0 || id >= n_) continue;
            if (accept(static_cast<std::int32_t>(id))) return static_cast<std::int32_t>(id);
        }
        return -1;
    }

    const std::uint8_t* data_;
    const std::int64_t* offsets_;
    const std::uint64_t* slots_;
    std::size_t n_bytes_, n_, n_slots_;
};

}  // namespace deixis
