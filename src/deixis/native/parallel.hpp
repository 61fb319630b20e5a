// Loops over many threads that Ctrl-C can stop.
//
// parallel_for(n_tasks, n_threads, fn) calls fn(task) or fn(task, worker) for every task in [0, n_tasks). Workers take
// the next task from a counter, so results must depend on the task alone, never on the worker: then one thread and
// many give the same bytes. `worker` lies in [0, worker_count(n_tasks, n_threads)) and is there to find scratch memory.
//
// parallel_for_runs does the same for items in runs of a fixed length: fn(run, begin, end) or fn(run, begin, end,
// worker).
//
// The GIL is released while it runs (call it with or without holding the GIL) and fn must not touch Python. The calling
// thread looks for signals every 100 ms; after one, no new task starts and the Python exception is raised here. Keep
// tasks below about half a second, or let long ones ask stop_requested() now and then and return early; that also looks
// for signals when the tasks run in the calling thread. The first exception in a task comes out here.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include <nanobind/nanobind.h>

namespace deixis {

namespace parallel_detail {

inline constexpr std::chrono::milliseconds kPollInterval{100};

// The stop flag of the crew this thread works for, and the innermost loop that runs in this thread; null outside.
inline thread_local const std::atomic<bool>* current_stop = nullptr;
inline thread_local class InlineLoop* current_inline = nullptr;

template <typename T>
struct Scope {
    T*& current;
    T* before;
    Scope(T*& place, T* value) : current(place), before(place) { current = value; }
    ~Scope() { current = before; }
    Scope(const Scope&) = delete;
};

// Releases the GIL only if this thread holds it.
struct ReleaseGil {
    std::optional<nanobind::gil_scoped_release> release;
    ReleaseGil() {
        if (PyGILState_Check()) release.emplace();
    }
};

// Null, or the exception a signal handler raised (KeyboardInterrupt).
inline std::exception_ptr pending_signal() {
    nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0) return nullptr;
    return std::make_exception_ptr(nanobind::python_error());
}

template <typename Fn>
void call(Fn& fn, size_t task, int worker) {
    if constexpr (std::is_invocable_v<Fn&, size_t, int>)
        fn(task, worker);
    else
        fn(task);
}

// A loop in the calling thread: nobody else can tell it to stop, so it looks for signals itself.
class InlineLoop {
public:
    // Whether a signal has come; asks Python at most every kPollInterval.
    bool poll() {
        if (error_) return true;
        const auto now = std::chrono::steady_clock::now();
        if (now - last_poll_ < kPollInterval) return false;
        last_poll_ = now;
        error_ = pending_signal();
        return error_ != nullptr;
    }

    void rethrow() const { std::rethrow_exception(error_); }

private:
    std::chrono::steady_clock::time_point last_poll_ = std::chrono::steady_clock::now();
    std::exception_ptr error_;
};

template <typename Fn>
void run_inline(size_t n_tasks, Fn& fn) {
    InlineLoop loop;
    Scope scope(current_inline, &loop);
    for (size_t task = 0; task < n_tasks; ++task) {
        call(fn, task, 0);
        if (loop.poll()) loop.rethrow();
        if (current_stop != nullptr && current_stop->load(std::memory_order_relaxed)) return;
    }
}

template <typename Fn>
class Crew {
public:
    Crew(size_t n_tasks, Fn& fn) : n_tasks_(n_tasks), fn_(fn) {}

    void run(int n_workers) {
        std::vector<std::thread> threads;
        threads.reserve(n_workers);
        n_working_ = n_workers;
        for (int worker = 0; worker < n_workers; ++worker) {
            try {
                threads.emplace_back([this, worker] { work(worker); });
            } catch (const std::system_error&) {
                // No more threads to be had: the ones that run do all the tasks, or this one does.
                std::lock_guard lock(mutex_);
                n_working_ -= n_workers - worker;
                break;
            }
        }
        if (threads.empty()) return run_inline(n_tasks_, fn_);
        wait();
        for (auto& thread : threads) thread.join();
        if (error_) std::rethrow_exception(error_);
    }

private:
    void work(int worker) {
        Scope scope(current_stop, static_cast<const std::atomic<bool>*>(&stop_));
        try {
            while (!stop_.load(std::memory_order_relaxed)) {
                const size_t task = next_.fetch_add(1, std::memory_order_relaxed);
                if (task >= n_tasks_) break;
                call(fn_, task, worker);
            }
        } catch (...) {
            fail(std::current_exception());
        }
        std::lock_guard lock(mutex_);
        if (--n_working_ == 0) done_.notify_all();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        while (!done_.wait_for(lock, kPollInterval, [this] { return n_working_ == 0; })) {
            lock.unlock();
            if (auto error = pending_signal()) fail(error);
            lock.lock();
        }
    }

    void fail(std::exception_ptr error) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = error;
        stop_ = true;
    }

    size_t n_tasks_;
    Fn& fn_;
    std::atomic<size_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable done_;
    int n_working_ = 0;
    std::exception_ptr error_;
};

}  // namespace parallel_detail

// Whether the loop this thread works for has been told to stop; long tasks ask now and then and return early.
inline bool stop_requested() {
    using namespace parallel_detail;
    if (current_stop != nullptr) return current_stop->load(std::memory_order_relaxed);
    return current_inline != nullptr && current_inline->poll();
}

// Threads that a loop will use: n_threads, or every processor for 0, and never more than there are tasks.
inline int worker_count(size_t n_tasks, int n_threads) {
    if (n_threads <= 0) n_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    n_threads = std::min(n_threads, 512);
    return static_cast<int>(std::min<size_t>(std::max<size_t>(n_tasks, 1), n_threads));
}

template <typename Fn>
void parallel_for(size_t n_tasks, int n_threads, Fn&& fn) {
    if (n_tasks == 0) return;
    parallel_detail::ReleaseGil released;
    const int n_workers = worker_count(n_tasks, n_threads);
    // A loop inside a task of another loop runs where it is: the processors are busy already.
    const bool is_inner = parallel_detail::current_stop != nullptr || parallel_detail::current_inline != nullptr;
    if (n_workers == 1 || is_inner) return parallel_detail::run_inline(n_tasks, fn);
    parallel_detail::Crew<std::remove_reference_t<Fn>>(n_tasks, fn).run(n_workers);
}

inline size_t run_count(size_t n_items, size_t run_length) { return (n_items + run_length - 1) / run_length; }

template <typename Fn>
void parallel_for_runs(size_t n_items, size_t run_length, int n_threads, Fn&& fn) {
    parallel_for(run_count(n_items, run_length), n_threads, [&](size_t run, [[maybe_unused]] int worker) {
        const size_t begin = run * run_length, end = std::min(n_items, begin + run_length);
        if constexpr (std::is_invocable_v<Fn&, size_t, size_t, size_t, int>)
            fn(run, begin, end, worker);
        else
            fn(run, begin, end);
    });
}

}  // namespace deixis
