// Lets the first so many of a number of threads work, and holds the others.
#pragma once

#include <condition_variable>
#include <mutex>

namespace penstock::deliver {

// Safe from any thread.
class ThreadGate {
 public:
  explicit ThreadGate(int num_open) : num_open_(num_open) {}

  // Waits while thread `number` is held. False once the gate is closed for good.
  bool pass(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || number < num_open_; });
    return !is_closed_;
  }

  void open(int num_open) {
    {
      const std::scoped_lock lock(mutex_);
      num_open_ = num_open;
    }
    changed_.notify_all();
  }
  int num_open() const {
    const std::scoped_lock lock(mutex_);
    return num_open_;
  }

  void close() {
    {
      const std::scoped_lock lock(mutex_);
      is_closed_ = true;
    }
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int num_open_;
  bool is_closed_ = false;
};

}  // namespace penstock::deliver
