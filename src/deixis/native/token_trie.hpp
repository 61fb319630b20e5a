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
inline uint32_t scramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

inline uint32_t unscramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x7ed1b41du;
    x = (x ^ x >> 13 ^ x >> 26) * 0xa5cb9243u;
    return x ^ x >> 16;
}

class TokenTrie {
public:
    TokenTrie(const int32_t* child_ptr, size_t n_inner, const uint32_t* labels, size_t n_labels, size_t n_tokens)
        : child_ptr_(child_ptr), labels_(labels), n_inner_(n_inner), n_labels_(n_labels), n_tokens_(n_tokens) {}

    size_t n_nodes() const { return n_tokens_ + n_labels_; }
    size_t n_inner() const { return n_inner_; }
    uint32_t last_token(size_t node) const {
        return node < n_tokens_ ? static_cast<uint32_t>(node) : unscramble(labels_[node - n_tokens_]);
    }

    // The node whose children contain `node`, which is no single token; by binary search.
    size_t parent(size_t node) const {
        const auto place = static_cast<int64_t>(node - n_tokens_);
        size_t low = 0, high = n_inner_;
        while (low + 1 < high) {
            const size_t middle = (low + high) / 2;
            (child_ptr_[middle] <= place ? low : high) = middle;
        }
        return low;
    }

    // The child of `node` by `token`, or -1.
    int32_t child(int32_t node, int32_t token) const {
        if (static_cast<size_t>(node) >= n_inner_) return -1;
        const int64_t begin = child_ptr_[node], end = child_ptr_[node + 1];
        if (begin < 0 || end <= begin || static_cast<size_t>(end) > n_labels_) return -1;
        const uint32_t label = scramble(static_cast<uint32_t>(token));
        const int64_t place = lower_bound(begin, end, label);
        if (place == end || labels_[place] != label) return -1;
        return static_cast<int32_t>(n_tokens_ + place);
    }

    // Ask for the memory that child() will read: first where the children are, then where the child should be.
    void ask_children(int32_t node) const {
        if (static_cast<size_t>(node) < n_inner_) prefetch(child_ptr_ + node);
    }
    void ask_child(int32_t node, int32_t token) const {
        if (static_cast<size_t>(node) >= n_inner_) return;
        const int64_t begin = child_ptr_[node], n = child_ptr_[node + 1] - begin;
        if (begin < 0 || n <= 0) return;
        prefetch(labels_ + begin + guess(n, scramble(static_cast<uint32_t>(token))));
    }

private:
    // Where among n evenly spread labels this one stands.
    static int64_t guess(int64_t n, uint32_t label) {
        return static_cast<int64_t>(uint64_t{label} * static_cast<uint64_t>(n) >> 32);
    }

    int64_t lower_bound(int64_t begin, int64_t end, uint32_t label) const {
        int64_t low = begin, high = end;  // the answer lies in [low, high]
        const int64_t n = end - begin;
        int64_t look = begin + guess(n, label);
        for (int n_looks = 0; n_looks < 4 && high - low > 16; ++n_looks) {
            const uint32_t seen = labels_[look];
            if (seen == label) return look;
            (seen < label ? low : high) = seen < label ? look + 1 : look;
            const int64_t distance = static_cast<int64_t>(label) - static_cast<int64_t>(seen);
            const int64_t step = distance * n / (int64_t{1} << 32);
            if (step > -8 && step < 8) return scan(look, low, high, label);
            look += step;
            if (look < low) look = low;
            if (look >= high) look = high - 1;
        }
        while (high - low > 8) {
            const int64_t middle = (low + high) / 2;
            if (labels_[middle] < label)
                low = middle + 1;
            else
                high = middle;
        }
        while (low < high && labels_[low] < label) ++low;
        return low;
    }

    // Walks from a guess known to be near; the answer lies in [low, high].
    int64_t scan(int64_t at, int64_t low, int64_t high, uint32_t label) const {
        if (at < low) at = low;
        while (at > low && labels_[at - 1] >= label) --at;
        while (at < high && labels_[at] < label) ++at;
        return at;
    }

    const int32_t* child_ptr_;
    const uint32_t* labels_;
    size_t n_inner_, n_labels_, n_tokens_;
};

}  // namespace deixis
