// The one queue between threads: bounded, closable, and it counts how long each side waited.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace penstock {

struct ChannelCounters {
  std::uint64_t passed = 0;         // values that went through
  std::uint64_t wait_full_ns = 0;   // senders waiting for room
  std::uint64_t wait_empty_ns = 0;  // receivers waiting for a value
};

// Any number of senders and receivers. After close() senders are refused, receivers get what is
// left.
template <class T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. False if the channel is closed; the value is dropped then.
  bool send(T value) {
    std::unique_lock lock(mutex_);
    wait(lock, has_room_, counters_.wait_full_ns,
         [&] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    ++counters_.passed;
    lock.unlock();
    has_value_.notify_one();
    return true;
  }

  // Waits for a value. nullopt once the channel is closed and empty.
  std::optional<T> receive() {
    std::unique_lock lock(mutex_);
    wait(lock, has_value_, counters_.wait_empty_ns, [&] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    lock.unlock();
    has_room_.notify_one();
    return value;
  }

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    has_room_.notify_all();
    has_value_.notify_all();
  }

  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return values_.size();
  }
  std::size_t capacity() const { return capacity_; }
  ChannelCounters counters() const {
    const std::scoped_lock lock(mutex_);
    return counters_;
  }

 private:
  // The clock is read only if there is something to wait for.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
            std::uint64_t& waited_ns, Ready ready) {
    if (ready()) return;
    const auto begin = std::chrono::steady_clock::now();
    changed.wait(lock, ready);
    waited_ns += static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_value_;
  std::deque<T> values_;
  ChannelCounters counters_;
  bool closed_ = false;
};

}  // namespace penstock
