// Asks for memory that will be read or written soon; never faults, whatever the address.
#pragma once

namespace deixis {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#endif
}

inline void prefetch_to_write([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address, 1);
#endif
}

}  // namespace deixis
