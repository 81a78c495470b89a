// Memory that is kept, only grows, and is never cleared.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace penstock::transform {

template <class T>
  requires(std::is_trivially_copyable_v<T>)
class ScratchBuffer {
 public:
  // At least `count` elements with any values, aligned for SIMD. Earlier contents are lost when it
  // grows.
  T* reserve(std::size_t count) {
    if (count > capacity_) {
      memory_.reset();
      capacity_ = 0;
      memory_.reset(static_cast<T*>(::operator new(count * sizeof(T), kAlignment)));
      capacity_ = count;
    }
    return memory_.get();
  }

  std::size_t size_bytes() const { return capacity_ * sizeof(T); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(T* memory) const { ::operator delete(static_cast<void*>(memory), kAlignment); }
  };

  std::unique_ptr<T, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace penstock::transform
