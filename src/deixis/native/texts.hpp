// Strings across the border: Python's own and string tables, as UTF-8 without copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "border.hpp"

namespace deixis {

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
        data_ = reinterpret_cast<const uint8_t*>(data);
        size_ = static_cast<size_t>(size);
    }

    const uint8_t* data() const { return data_; }
    size_t size() const { return size_; }

private:
    nb::object encoded_;
    const uint8_t* data_;
    size_t size_;
};

using StringList = nb::typed<nb::list, nb::str>;

// The strings of a list as UTF-8, kept alive as long as this is.
class Utf8List {
public:
    explicit Utf8List(const StringList& strings) {
        for (nb::handle string : strings) {
            kept_.push_back(nb::borrow(string));
            texts_.emplace_back(string);
        }
    }

    size_t size() const { return texts_.size(); }
    const Utf8& operator[](size_t i) const { return texts_[i]; }

private:
    std::vector<nb::object> kept_;
    std::vector<Utf8> texts_;
};

// Texts as deixis.store.strings.StringTable holds them; offsets are checked here, once.
class Texts {
public:
    Texts(const ArrayIn<uint8_t>& data, const ArrayIn<int64_t>& offsets)
        : data_(data.data()), offsets_(offsets.data()), size_(data.shape(0)) {
        n_ = n_rows_of("offsets", offsets);
        int64_t before = 0;
        for (size_t i = 0; i <= n_; ++i) {
            if (offsets_[i] < before || static_cast<size_t>(offsets_[i]) > size_)
                refuse("offsets[", i, "] is ", offsets_[i], "; string offsets must rise and stay in 0..", size_, ".");
            before = offsets_[i];
        }
    }

    size_t size() const { return n_; }
    const uint8_t* text(size_t i) const { return data_ + offsets_[i]; }
    size_t length(size_t i) const { return static_cast<size_t>(offsets_[i + 1] - offsets_[i]); }

    // Bounds of runs of texts with about `bytes` bytes each; the same whatever the number of threads.
    std::vector<size_t> chunks(size_t bytes, size_t max_texts = 1 << 16) const {
        std::vector<size_t> bounds{0};
        for (size_t i = 0; i < n_; ++i) {
            const size_t first = bounds.back();
            const bool is_full = static_cast<size_t>(offsets_[i + 1] - offsets_[first]) >= bytes;
            if (is_full || i + 1 - first >= max_texts) bounds.push_back(i + 1);
        }
        if (bounds.back() != n_) bounds.push_back(n_);
        return bounds;
    }

private:
    const uint8_t* data_;
    const int64_t* offsets_;
    size_t size_, n_;
};

}  // namespace deixis
