// Strings across the border: Python's own and string tables, as UTF-8 without copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <nanobind/nanobind.h>

#include "arrays.hpp"

namespace deixis {

// A NumPy array that owns the memory, which nobody had to fill with zeros first.
template <typename T>
ArrayOut<T> to_numpy(std::unique_ptr<T[]>&& values, std::size_t n) {
    T* data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return ArrayOut<T>(data, {n}, owner);
}

// A Python string as UTF-8, without a copy where Python keeps one; a lone surrogate becomes '?', one code point too.
class Utf8 {
public:
    explicit Utf8(nb::handle string) {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
        if (data == nullptr) {
            PyErr_Clear();
            encoded_ = nb::steal(PyUnicode_AsEncodedString(string.ptr(), "utf-8", "replace"));
            if (!encoded_.is_valid()) nb::raise_python_error();
            data = PyBytes_AS_STRING(encoded_.ptr());
            size = PyBytes_GET_SIZE(encoded_.ptr());
        }
        data_ = reinterpret_cast<const std::uint8_t*>(data);
        size_ = static_cast<std::size_t>(size);
    }

    const std::uint8_t* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    nb::object encoded_;
    const std::uint8_t* data_;
    std::size_t size_;
};

// Texts as deixis.store.strings.StringTable holds them; offsets are checked here, once.
class Texts {
public:
    Texts(const ArrayIn<std::uint8_t>& data, const ArrayIn<std::int64_t>& offsets)
        : data_(data.data()), offsets_(offsets.data()), size_(data.shape(0)) {
        if (offsets.shape(0) < 1) throw nb::value_error("String offsets must hold at least one number.");
        n_ = offsets.shape(0) - 1;
        std::int64_t before = 0;
        for (std::size_t i = 0; i <= n_; ++i) {
            if (offsets_[i] < before || static_cast<std::size_t>(offsets_[i]) > size_)
                throw nb::value_error("String offsets must rise and stay inside the data.");
            before = offsets_[i];
        }
    }

    std::size_t size() const { return n_; }
    const std::uint8_t* text(std::size_t i) const { return data_ + offsets_[i]; }
    std::size_t length(std::size_t i) const { return static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]); }

    // Bounds of runs of texts with about `bytes` bytes each; the same whatever the number of threads.
    std::vector<std::size_t> chunks(std::size_t bytes, std::size_t max_texts = 1 << 16) const {
        std::vector<std::size_t> bounds{0};
        for (std::size_t i = 0; i < n_; ++i) {
            const std::size_t first = bounds.back();
            const bool is_full = static_cast<std::size_t>(offsets_[i + 1] - offsets_[first]) >= bytes;
            if (is_full || i + 1 - first >= max_texts) bounds.push_back(i + 1);
        }
        if (bounds.back() != n_) bounds.push_back(n_);
        return bounds;
    }

private:
    const std::uint8_t* data_;
    const std::int64_t* offsets_;
    std::size_t size_, n_;
};

}  // namespace deixis
