// A batch of reads as overlapped operations of one ring. Files are opened and closed by plain
// calls: measured, handing these to the ring as well gains nothing (storage/README.md).
#include "penstock/storage/ring_pool.h"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "penstock/storage/local_file.h"
#include "penstock/storage/read_range.h"

namespace penstock::storage {
namespace {

constexpr unsigned kDepth = 64;                    // operations in flight
constexpr std::size_t kMaxOperation = 1ull << 30;  // the kernel reads less than 2 GiB at once

// One batch on its way through a ring.
class Batch {
 public:
  Batch(io_uring& ring, std::span<ReadRequest* const> requests)
      : ring_(ring), requests_(requests), progress_(requests.size()) {}

  // False if the ring is of no use any more; then the requests still open have failed.
  bool run() {
    while (next_ < requests_.size() || in_flight_ > 0) {
      while (next_ < requests_.size() && in_flight_ < kDepth) start(next_++);
      if (in_flight_ == 0) break;
      const int error = -io_uring_submit_and_wait(&ring_, 1);
      if (error > 0 && error != EINTR && error != EAGAIN && error != EBUSY) {
        abandon(error);
        return false;
      }
      reap();
    }
    return true;
  }

 private:
  struct SharedFile {
    Result<LocalFile> file;
    std::size_t users = 0;  // requests of it that are not answered yet
  };
  struct ReadProgress {
    std::size_t file = 0;  // in files_
    std::size_t done = 0;  // bytes
    bool is_answered = false;
  };

  void start(std::size_t i) {
    ReadRequest& request = *requests_[i];
    if (i == 0 || requests_[i - 1]->path != request.path) open_file(i);
    progress_[i].file = files_.size() - 1;
    const auto& file = files_.back().file;
    if (!file.ok()) return answer(i, file.status());
    if (request.out.empty() || !is_file_range(request.offset, request.out.size())) {
      return answer(i, file->read(request.offset, request.out));
    }
    ++in_flight_;
    submit(i);
  }

  // One descriptor serves all the requests of a path; it is closed behind the last of them.
  void open_file(std::size_t first) {
    const std::string_view path = requests_[first]->path;
    const auto is_other = [&](const ReadRequest* request) { return request->path != path; };
    const auto rest = requests_.subspan(first);
    const auto users = std::ranges::find_if(rest, is_other) - rest.begin();
    files_.push_back({LocalFile::open(std::string(path)), static_cast<std::size_t>(users)});
  }

  // There is always a free entry: the queue is as long as what may be in flight.
  void submit(std::size_t i) {
    const ReadRequest& request = *requests_[i];
    const ReadProgress& progress = progress_[i];
    const MutableBytes rest = request.out.subspan(progress.done);
    const auto length = static_cast<unsigned>(std::min(rest.size(), kMaxOperation));
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_read(entry, files_[progress.file].file->fd(), rest.data(), length,
                       request.offset + progress.done);
    io_uring_sqe_set_data64(entry, i);
  }

  void reap() {
    io_uring_cqe* done = nullptr;
    while (io_uring_peek_cqe(&ring_, &done) == 0) {
      const auto i = static_cast<std::size_t>(io_uring_cqe_get_data64(done));
      const int result = done->res;
      io_uring_cqe_seen(&ring_, done);
      take(i, result);
    }
  }

  void take(std::size_t i, int result) {
    const ReadRequest& request = *requests_[i];
    ReadProgress& progress = progress_[i];
    if (result > 0) progress.done += static_cast<std::size_t>(result);
    if (result > 0 && progress.done < request.out.size()) return submit(i);
    --in_flight_;
    if (result > 0) return answer(i, {});
    // Nothing was read: the file has ended, or it cannot be read, or not in this way (EAGAIN,
    // EINTR). A plain read finds out which, and says it in the same words as everywhere.
    answer(i, files_[progress.file].file->read(request.offset, request.out));
  }

  void answer(std::size_t i, Status status) {
    requests_[i]->status = std::move(status);
    progress_[i].is_answered = true;
    SharedFile& file = files_[progress_[i].file];
    if (--file.users == 0 && file.file.ok()) file.file->close();
  }

  // The kernel refuses the queue itself, which only a bug can cause once a ring has worked.
  void abandon(int error) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (progress_[i].is_answered) continue;
      requests_[i]->status =
          internal_error("io_uring_enter: ", std::generic_category().message(error));
    }
  }

  io_uring& ring_;
  std::span<ReadRequest* const> requests_;
  std::vector<ReadProgress> progress_;
  std::vector<SharedFile> files_;
  std::size_t next_ = 0;
  unsigned in_flight_ = 0;
};

}  // namespace

struct RingPool::Ring {
  Ring() : is_open(io_uring_queue_init(kDepth, &queue, 0) == 0) {}
  ~Ring() {
    if (is_open) io_uring_queue_exit(&queue);
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // A sandbox may allow the set-up and refuse the rest, so one operation is tried.
  bool works() {
    if (!is_open) return false;
    io_uring_prep_nop(io_uring_get_sqe(&queue));
    io_uring_cqe* done = nullptr;
    if (io_uring_submit_and_wait(&queue, 1) != 1) return false;
    if (io_uring_peek_cqe(&queue, &done) != 0) return false;
    io_uring_cqe_seen(&queue, done);
    io_uring_probe* probe = io_uring_get_probe_ring(&queue);
    const bool can_read = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
    io_uring_free_probe(probe);
    return can_read;
  }

  io_uring queue{};
  bool is_open;
};

RingPool::RingPool() = default;
RingPool::~RingPool() = default;

std::unique_ptr<RingPool> RingPool::make() {
  auto first = std::make_unique<Ring>();
  if (!first->works()) return nullptr;
  std::unique_ptr<RingPool> pool(new RingPool());
  pool->give_back(std::move(first));
  return pool;
}

bool RingPool::read(std::span<ReadRequest* const> requests) {
  auto ring = borrow();
  if (!ring) return false;
  if (Batch(ring->queue, requests).run()) give_back(std::move(ring));
  return true;
}

std::unique_ptr<RingPool::Ring> RingPool::borrow() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto ring = std::move(idle_.back());
      idle_.pop_back();
      return ring;
    }
  }
  auto ring = std::make_unique<Ring>();
  return ring->is_open ? std::move(ring) : nullptr;
}

void RingPool::give_back(std::unique_ptr<Ring> ring) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(ring));
}

}  // namespace penstock::storage
