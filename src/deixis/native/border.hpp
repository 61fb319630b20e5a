// The border between Python and the kernels: the arguments of a kernel by their names, and whether they fit.
//
// Kernels read arrays without looking whether they may: what they rely on is checked here, once for a call, and what
// does not fit is refused in a sentence that names the argument. `define` binds a kernel and takes its arrays only in
// the type and layout that it reads; nothing is converted, so nothing is copied or cut off unseen. A sparse matrix must
// have passed `check_rows` (border.cpp) or the checks of a stored model; its sizes are looked at again, its items are
// not.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"

namespace deixis {

// Raises a ValueError whose message is these parts together. Never inlined: loops that may call it stay small.
template <typename... Parts>
[[noreturn, gnu::noinline, gnu::cold]] void refuse(const Parts&... parts) {
    std::ostringstream message;
    (message << ... << parts);
    throw std::invalid_argument(message.str());
}

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_damaged(const char* what) {
    refuse("The ", what, " is damaged; build the model again.");
}

// --- Numbers and sizes --------------------------------------------------------------------------------------------

inline void check_at_least(const char* name, int64_t value, int64_t least) {
    if (value < least) refuse(name, " is ", value, "; it must be at least ", least, ".");
}

inline void check_within(const char* name, double value, double least, double most) {
    if (!(value >= least && value <= most)) refuse(name, " is ", value, "; it must lie in ", least, "..", most, ".");
}

// Whether an array has n items; `each` says what they are for.
template <typename Array>
void check_size(const char* name, const Array& array, size_t n, const char* each) {
    if (array.shape(0) != n) refuse(name, " has ", array.shape(0), " items; it needs ", n, ", ", each, ".");
}

// --- Items --------------------------------------------------------------------------------------------------------

// Whether all items lie in [0, end).
template <typename T>
void check_numbers(const char* name, const ArrayIn<T>& array, int64_t end) {
    const T* items = array.data();
    bool is_outside = false;
    for (size_t i = 0; i < array.shape(0); ++i) is_outside |= items[i] < 0 || items[i] >= end;
    for (size_t i = 0; is_outside && i < array.shape(0); ++i)
        if (items[i] < 0 || items[i] >= end)
            refuse(name, "[", i, "] is ", items[i], "; it must lie in 0..", end - 1, ".");
}

// Whether these are the starts of `n_rows` rows that share `n_items` items, looking at the ends alone.
template <typename T>
void check_ends(const char* name, const ArrayIn<T>& starts, size_t n_rows, size_t n_items) {
    check_size(name, starts, n_rows + 1, "one for each row and one more");
    const T first = starts.data()[0], last = starts.data()[n_rows];
    if (first != 0 || last != static_cast<T>(n_items))
        refuse(name, " goes from ", first, " to ", last, "; it must go from 0 to ", n_items, ", the number of items.");
}

// The same, and whether they never fall.
inline void check_starts(const char* name, const ArrayIn<int64_t>& starts, size_t n_rows, size_t n_items) {
    check_ends(name, starts, n_rows, n_items);
    const int64_t* items = starts.data();
    for (size_t row = 0; row < n_rows; ++row)
        if (items[row + 1] < items[row])
            refuse(name, " falls from ", items[row], " to ", items[row + 1], " at row ", row, ".");
}

// Row starts need one item at least; how many rows they are of.
template <typename T>
size_t n_rows_of(const char* name, const ArrayIn<T>& starts) {
    if (starts.shape(0) == 0) refuse(name, " is empty; it needs one item for each row and one more.");
    return starts.shape(0) - 1;
}

// The rows of three arrays that belong together.
inline CsrView csr_view(const std::array<const char*, 3>& names, const ArrayIn<int64_t>& indptr,
                        const ArrayIn<int32_t>& indices, const ArrayIn<float>& data) {
    check_ends(names[0], indptr, n_rows_of(names[0], indptr), indices.shape(0));
    check_size(names[2], data, indices.shape(0), "one for each column");
    return {indptr.data(), indices.data(), data.data(), static_cast<int64_t>(indptr.shape(0)) - 1};
}

// What hinders the kernels in a sparse matrix, the worst last.
enum class RowsState : int { kSound = 0, kUnsorted = 1, kNotFinite = 2, kDamaged = 3 };

// Looks at every item of rows that share as many items as the last of them ends at.
RowsState state_of(const CsrView& rows, int64_t n_columns);

// Raises a TypeError that says what array was needed and what came.
[[noreturn]] void refuse_array(const std::string& name, const std::string& type, int n_dims, nb::handle given);

// An array of NumPy that is contiguous and aligned; null for all else.
const NumpyArray* numpy_array(nb::handle given);

// The array that Python gave for an argument, where it lies. Most are NumPy's and fit: these are taken without the
// protocols by which libraries exchange arrays, which cost more than many a kernel.
template <typename Array>
Array array_of(const char* name, nb::handle given, int64_t place = -1) {
    using Scalar = std::remove_const_t<typename Array::Scalar>;
    const NumpyArray* own = numpy_array(given);
    if (own != nullptr && own->dtype == numpy_type<Scalar>() && own->n_dims == Array::Config::N) {
        std::array<size_t, Array::Config::N> shape;
        std::copy(own->shape, own->shape + Array::Config::N, shape.begin());
        return Array(own->data, shape.size(), shape.data(), given);
    }
    Array array;
    if (!nb::try_cast(given, array, false)) {
        const std::string item = place < 0 ? "" : "[" + std::to_string(place) + "]";
        refuse_array(name + item, type_name<Scalar>(), Array::Config::N, given);
    }
    return array;
}

// An argument that is known by its name only when the kernel is called.
template <typename T>
struct Given {
    nb::object object;
};

// How an argument comes from Python, and what a kernel gets: arrays are looked at, all else is nanobind's.
template <typename T>
struct Argument {
    using Raw = T;
    static T take(const char*, Raw& raw) { return std::move(raw); }
};

template <typename... Config>
struct Argument<nb::ndarray<Config...>> {
    using Raw = Given<nb::ndarray<Config...>>;
    static nb::ndarray<Config...> take(const char* name, Raw& raw) {
        return array_of<nb::ndarray<Config...>>(name, raw.object);
    }
};

template <typename... Config>
struct Argument<std::vector<nb::ndarray<Config...>>> {
    using Raw = Given<std::vector<nb::ndarray<Config...>>>;
    static std::vector<nb::ndarray<Config...>> take(const char* name, Raw& raw) {
        std::vector<nb::ndarray<Config...>> arrays;
        for (nb::handle item : raw.object)
            arrays.push_back(array_of<nb::ndarray<Config...>>(name, item, static_cast<int64_t>(arrays.size())));
        return arrays;
    }
};

template <typename T>
using ArgumentOf = Argument<std::remove_cvref_t<T>>;

template <size_t n>
using Names = std::array<const char*, n>;

namespace border_detail {

template <typename Result, typename... Args, size_t... places>
void define(nb::module_& target, const char* name, Result (*kernel)(Args...), const Names<sizeof...(Args)>& names,
            const char* doc, std::index_sequence<places...>) {
    target.def(
        name,
        [kernel, names](typename ArgumentOf<Args>::Raw... raw) {
            return kernel(ArgumentOf<Args>::take(names[places], raw)...);
        },
        doc, nb::arg(names[places])...);
}

template <typename Class, typename Result, typename... Args, size_t... places>
void define(nb::class_<Class>& target, const char* name, Result (Class::*method)(Args...) const,
            const Names<sizeof...(Args)>& names, const char* doc, std::index_sequence<places...>) {
    target.def(
        name,
        [method, names](const Class& self, typename ArgumentOf<Args>::Raw... raw) {
            return (self.*method)(ArgumentOf<Args>::take(names[places], raw)...);
        },
        doc, nb::arg(names[places])...);
}

template <typename... Args, typename Class, size_t... places>
void define_init(nb::class_<Class>& target, const Names<sizeof...(Args)>& names, std::index_sequence<places...>) {
    target.def(
        "__init__",
        [names](Class* self, typename ArgumentOf<Args>::Raw... raw) {
            new (self) Class(ArgumentOf<Args>::take(names[places], raw)...);
        },
        nb::arg(names[places])...);
}

}  // namespace border_detail

// Binds a kernel, with a name for each of its arguments.
template <typename Result, typename... Args>
void define(nb::module_& m, const char* name, Result (*kernel)(Args...), const Names<sizeof...(Args)>& names,
            const char* doc) {
    border_detail::define(m, name, kernel, names, doc, std::index_sequence_for<Args...>());
}

// Binds a method of a class that holds arrays.
template <typename Class, typename Result, typename... Args>
void define(nb::class_<Class>& m, const char* name, Result (Class::*method)(Args...) const,
            const Names<sizeof...(Args)>& names, const char* doc) {
    border_detail::define(m, name, method, names, doc, std::index_sequence_for<Args...>());
}

// Binds the constructor that takes these arguments.
template <typename... Args, typename Class>
void define_init(nb::class_<Class>& m, const Names<sizeof...(Args)>& names) {
    border_detail::define_init<Args...>(m, names, std::index_sequence_for<Args...>());
}

}  // namespace deixis

namespace nanobind::detail {

// Takes anything: what it is, is looked at when the argument's name is known. Stubs show the array's type.
template <typename T>
struct type_caster<deixis::Given<T>> {
    NB_TYPE_CASTER(deixis::Given<T>, make_caster<T>::Name)

    template <typename Flags>
    bool from_python(handle source, Flags, cleanup_list*) noexcept {
        value.object = borrow(source);
        return true;
    }
};

}  // namespace nanobind::detail
