// A small seeded generator (splitmix64): the same numbers on every machine, one independent stream per task.
#pragma once

#include <cstdint>
#include <utility>

namespace deixis {

inline constexpr uint64_t kGolden64 = 0x9e3779b97f4a7c15ull;  // 2^64 over the golden ratio

inline uint64_t splitmix64(uint64_t x) {
    x += kGolden64;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

class Random {
public:
    explicit Random(uint64_t seed, uint64_t stream = 0) : state_(splitmix64(seed) ^ splitmix64(~stream)) {}

    uint64_t next() {
        state_ += kGolden64;
        return splitmix64(state_);
    }

    // A number in [0, n).
    uint32_t below(uint32_t n) {
        return static_cast<uint32_t>((static_cast<uint64_t>(static_cast<uint32_t>(next() >> 32)) * n) >> 32);
    }

    template <typename T>
    void shuffle(T* items, uint32_t n) {
        for (uint32_t i = n; i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    uint64_t state_;
};

}  // namespace deixis
