// Overlapped reads of local files through io_uring.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "penstock/storage/storage.h"

namespace penstock::storage {

// Rings that are lent to one read at a time; as many are kept as were ever in use together. Safe
// from any thread.
class RingPool {
 public:
  // Null if the kernel has no io_uring or forbids it.
  static std::unique_ptr<RingPool> make();

  ~RingPool();

  // Answers all requests, which must be sorted so that those of one path stand together. False,
  // with nothing done, if there is no ring to be had.
  bool read(std::span<ReadRequest* const> requests);

 private:
  struct Ring;

  RingPool();
  std::unique_ptr<Ring> borrow();
  void give_back(std::unique_ptr<Ring> ring);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Ring>> idle_;
};

}  // namespace penstock::storage
