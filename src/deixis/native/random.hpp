// A small seeded generator (splitmix64): the same numbers on every machine, one independent stream per task.
#pragma once

#include <cstdint>
#include <utility>

namespace deixis {

inline std::uint64_t splitmix64(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

class Random {
public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(splitmix64(seed) ^ splitmix64(~stream)) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ull;
        return splitmix64(state_);
    }

    // A number in [0, n).
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>((static_cast<std::uint64_t>(static_cast<std::uint32_t>(next() >> 32)) * n) >>
                                          32);
    }

    template <typename T>
    void shuffle(T* items, std::uint32_t n) {
        for (std::uint32_t i = n; i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    std::uint64_t state_;
};

}  // namespace deixis
