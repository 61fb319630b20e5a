// The arrays of token tables and tries, on their way from and to Python.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "border.hpp"
#include "token_table.hpp"
#include "token_trie.hpp"

namespace deixis {

// A table over stored arrays, whose sizes must fit; what is in them is checked as it is read.
inline TokenTable token_table_of(const Names<2>& names, const ArrayIn<uint8_t>& data, const ArrayIn<uint32_t>& offsets,
                                 const ArrayIn<uint32_t>& slots) {
    const size_t n_tokens = n_rows_of(names[0], offsets);
    if (!std::has_single_bit(slots.shape(0)) || slots.shape(0) > size_t{1} << 32)
        refuse(names[1], " has ", slots.shape(0), " items; it needs a power of two of them, 2^32 at most.");
    return {data.data(), data.shape(0), offsets.data(), n_tokens, slots.data(), slots.shape(0)};
}

inline TokenTrie token_trie_of(const ArrayIn<int32_t>& child_ptr, const ArrayIn<uint32_t>& labels,
                               const TokenTable& tokens) {
    if (child_ptr.shape(0) < 1) refuse("trie_child_ptr is empty; it needs one item more than there are inner nodes.");
    const TokenTrie trie(child_ptr.data(), child_ptr.shape(0) - 1, labels.data(), labels.shape(0), tokens.size());
    if (trie.n_inner() > trie.n_nodes())
        refuse("trie_child_ptr has ", child_ptr.shape(0), " items; the trie has only ", trie.n_nodes(), " nodes.");
    return trie;
}

// Adds the arrays of a table to those that are given back.
inline void put_tokens(ArraysByName& arrays, const std::string& name, TokenArrays& tokens) {
    if (tokens.data.size() > std::numeric_limits<uint32_t>::max())
        refuse("The different words of all texts have ", tokens.data.size(), " bytes; 4,294,967,295 can be kept.");
    if (tokens.slots.empty()) tokens.slots.assign(1, kEmptyStoredSlot);
    arrays[(name + ".data").c_str()] = to_numpy(std::move(tokens.data));
    arrays[(name + ".offsets").c_str()] = to_numpy(std::move(tokens.offsets));
    arrays[(name + ".slots").c_str()] = to_numpy(std::move(tokens.slots));
}

}  // namespace deixis
