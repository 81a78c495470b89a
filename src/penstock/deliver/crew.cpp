// Starting threads, and adding up what they counted.
#include "penstock/deliver/crew.h"

#include <pthread.h>

#include "penstock/deliver/machine.h"

namespace penstock::deliver {
namespace {

// 0 once the thread has ended.
std::uint64_t running_cpu_ns(pthread_t thread) {
  clockid_t clock{};
  if (pthread_getcpuclockid(thread, &clock) != 0) return 0;
  return cpu_clock_ns(clock);
}

}  // namespace

void Crew::start(int num_threads, bool counts, const Work& work) {
  const auto count = static_cast<std::size_t>(num_threads);
  counters_.reserve(count);
  threads_.reserve(count);
  for (int number = 0; number < num_threads; ++number) {
    counters_.push_back(std::make_unique<ThreadCounters>());
    counters_.back()->is_counting = counts;
  }
  for (int number = 0; number < num_threads; ++number) {
    ThreadCounters& counters = *counters_[static_cast<std::size_t>(number)];
    threads_.emplace_back([work, number, &counters] {
      work(number, counters);
      counters.cpu_ns = cpu_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    });
  }
}

double Crew::busy_s(Stage stage) const {
  double total_s = 0;
  for (const auto& thread : counters_) total_s += thread->busy_s(stage);
  return total_s;
}

double Crew::cpu_s() const {
  std::uint64_t total_ns = 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    std::uint64_t cpu_ns = counters_[i]->cpu_ns;
    if (cpu_ns == 0) {
      // It may end meanwhile, and then has told its time.
      cpu_ns = running_cpu_ns(const_cast<std::jthread&>(threads_[i]).native_handle());
      if (counters_[i]->cpu_ns != 0) cpu_ns = counters_[i]->cpu_ns;
    }
    total_ns += cpu_ns;
  }
  return static_cast<double>(total_ns) * 1e-9;
}

std::uint64_t Crew::sum(std::atomic<std::uint64_t> ThreadCounters::* counter) const {
  std::uint64_t total = 0;
  for (const auto& thread : counters_)
    total += ((*thread).*counter).load(std::memory_order_relaxed);
  return total;
}

}  // namespace penstock::deliver
