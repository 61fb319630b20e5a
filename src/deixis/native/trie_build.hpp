// Grows the arrays of a TokenTrie from sequences of token numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "border.hpp"
#include "token_trie.hpp"

namespace deixis {

struct BuiltTrie {
    std::vector<int32_t> child_ptr;
    std::vector<uint32_t> labels;
    size_t n_nodes = 0;
};

// A run of token numbers in one long list.
struct TokenRun {
    size_t first_token;
    uint32_t n_tokens;
};

// Calls at_end(node, sequence) where a sequence ends, in rising order of depth and, for one node, of sequences.
template <typename Sequences, typename AtEnd>
BuiltTrie build_trie(size_t n_tokens, const std::vector<int32_t>& ids, const Sequences& sequences, AtEnd&& at_end) {
    struct Step {
        uint64_t key;
        uint32_t sequence;
        bool operator<(const Step& other) const {
            return key != other.key ? key < other.key : sequence < other.sequence;
        }
    };
    BuiltTrie trie;
    trie.n_nodes = n_tokens;
    trie.child_ptr.assign(1, 0);
    std::vector<int32_t> nodes(sequences.size());
    std::vector<Step> steps;
    for (size_t i = 0; i < sequences.size(); ++i) {
        nodes[i] = ids[sequences[i].first_token];
        if (sequences[i].n_tokens == 1) at_end(static_cast<size_t>(nodes[i]), i);
    }
    for (size_t depth = 1;; ++depth) {
        steps.clear();
        for (size_t i = 0; i < sequences.size(); ++i)
            if (sequences[i].n_tokens > depth) {
                const auto token = static_cast<uint32_t>(ids[sequences[i].first_token + depth]);
                steps.push_back({static_cast<uint64_t>(nodes[i]) << 32 | scramble(token), static_cast<uint32_t>(i)});
            }
        if (steps.empty()) return trie;
        std::sort(steps.begin(), steps.end());
        const size_t n_parents = trie.n_nodes;
        for (size_t s = 0; s < steps.size(); ++s) {
            if (s == 0 || steps[s].key != steps[s - 1].key) {
                while (trie.child_ptr.size() <= steps[s].key >> 32)
                    trie.child_ptr.push_back(static_cast<int32_t>(trie.labels.size()));
                trie.labels.push_back(static_cast<uint32_t>(steps[s].key));
                if (++trie.n_nodes > std::numeric_limits<int32_t>::max())
                    refuse("The names have more than 2^31 - 1 tokens and beginnings together.");
            }
            const uint32_t sequence = steps[s].sequence;
            nodes[sequence] = static_cast<int32_t>(trie.n_nodes - 1);
            if (sequences[sequence].n_tokens == depth + 1) at_end(trie.n_nodes - 1, sequence);
        }
        while (trie.child_ptr.size() <= n_parents) trie.child_ptr.push_back(static_cast<int32_t>(trie.labels.size()));
    }
}

}  // namespace deixis
