// The hash of a string as Python computes it too (deixis/store/string_hashes.py): the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deixis {

// A polynomial in the bytes, then mixed.
inline uint64_t string_hash(const uint8_t* text, size_t size) {
    constexpr uint64_t kBase = 0x9E3779B97F4A7C15;
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) value = value * kBase + text[i] + 1;
    value = (value ^ (value >> 31)) * kBase;
    return value ^ (value >> 29);
}

}  // namespace deixis
