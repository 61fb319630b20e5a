// Token sequences as a trie in two flat arrays. Nodes [0, n_tokens) are the single tokens; the children of node i are
// the nodes n_tokens + [child_ptr[i], child_ptr[i + 1]), ordered by their labels. A label is the scrambled number of
// the child's last token: scrambled numbers spread evenly, so a child is found by interpolation in two or three looks
// however many siblings it has, and a node costs four bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "prefetch.hpp"
#include "token_table.hpp"

namespace deixis {

// A bijection of 32-bit numbers (the finalizer of MurmurHash3) and its inverse.
inline std::uint32_t scramble(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

inline std::uint32_t unscramble(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x7ed1b41du;
    x = (x ^ x >> 13 ^ x >> 26) * 0xa5cb9243u;
    return x ^ x >> 16;
}

class TokenTrie {
public:
    TokenTrie(const std::int32_t* child_ptr, std::size_t n_inner, const std::uint32_t* labels, std::size_t n_labels,
              std::size_t n_tokens)
        : child_ptr_(child_ptr), labels_(labels), n_inner_(n_inner), n_labels_(n_labels), n_tokens_(n_tokens) {}

    std::size_t n_nodes() const { return n_tokens_ + n_labels_; }
    std::size_t n_inner() const { return n_inner_; }
    std::uint32_t last_token(std::size_t node) const {
        return node < n_tokens_ ? static_cast<std::uint32_t>(node) : unscramble(labels_[node - n_tokens_]);
    }

    // The node whose children contain `node`, which is no single token; by binary search.
    std::size_t parent(std::size_t node) const {
        const auto place = static_cast<std::int64_t>(node - n_tokens_);
        std::size_t low = 0, high = n_inner_;
        while (low + 1 < high) {
            const std::size_t middle = (low + high) / 2;
            (child_ptr_[middle] <= place ? low : high) = middle;
        }
        return low;
    }

    // The child of `node` by `token`, or -1.
    std::int32_t child(std::int32_t node, std::int32_t token) const {
        if (static_cast<std::size_t>(node) >= n_inner_) return -1;
        const std::int64_t begin = child_ptr_[node], end = child_ptr_[node + 1];
        if (begin < 0 || end <= begin || static_cast<std::size_t>(end) > n_labels_) return -1;
        const std::uint32_t label = scramble(static_cast<std::uint32_t>(token));
        const std::int64_t place = lower_bound(begin, end, label);
        if (place == end || labels_[place] != label) return -1;
        return static_cast<std::int32_t>(n_tokens_ + place);
    }

    // Ask for the memory that child() will read: first where the children are, then where the child should be.
    void ask_children(std::int32_t node) const {
        if (static_cast<std::size_t>(node) < n_inner_) prefetch(child_ptr_ + node);
    }
    void ask_child(std::int32_t node, std::int32_t token) const {
        if (static_cast<std::size_t>(node) >= n_inner_) return;
        const std::int64_t begin = child_ptr_[node], n = child_ptr_[node + 1] - begin;
        if (begin < 0 || n <= 0) return;
        prefetch(labels_ + begin + guess(n, scramble(static_cast<std::uint32_t>(token))));
    }

private:
    // Where among n evenly spread labels this one stands.
    static std::int64_t guess(std::int64_t n, std::uint32_t label) {
        return static_cast<std::int64_t>(std::uint64_t{label} * static_cast<std::uint64_t>(n) >> 32);
    }

    std::int64_t lower_bound(std::int64_t begin, std::int64_t end, std::uint32_t label) const {
        std::int64_t low = begin, high = end;  // the answer lies in [low, high]
        const std::int64_t n = end - begin;
        std::int64_t look = begin + guess(n, label);
        for (int n_looks = 0; n_looks < 4 && high - low > 16; ++n_looks) {
            const std::uint32_t seen = labels_[look];
            if (seen == label) return look;
            (seen < label ? low : high) = seen < label ? look + 1 : look;
            const std::int64_t distance = static_cast<std::int64_t>(label) - static_cast<std::int64_t>(seen);
            const std::int64_t step = distance * n / (std::int64_t{1} << 32);
            if (step > -8 && step < 8) return scan(look, low, high, label);
            look += step;
            if (look < low) look = low;
            if (look >= high) look = high - 1;
        }
        while (high - low > 8) {
            const std::int64_t middle = (low + high) / 2;
            if (labels_[middle] < label)
                low = middle + 1;
            else
                high = middle;
        }
        while (low < high && labels_[low] < label) ++low;
        return low;
    }

    // Walks from a guess known to be near; the answer lies in [low, high].
    std::int64_t scan(std::int64_t at, std::int64_t low, std::int64_t high, std::uint32_t label) const {
        if (at < low) at = low;
        while (at > low && labels_[at - 1] >= label) --at;
        while (at < high && labels_[at] < label) ++at;
        return at;
    }

    const std::int32_t* child_ptr_;
    const std::uint32_t* labels_;
    std::size_t n_inner_, n_labels_, n_tokens_;
};

}  // namespace deixis
