// Asks for memory that will be read soon; never faults, whatever the address.
#pragma once

namespace deixis {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#endif
}

}  // namespace deixis
