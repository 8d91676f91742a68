#include "bench/team.hpp"

namespace gat::app {

namespace {

constexpr int kSpins = 20000;

// Waits until the number is no longer `old`.
template <class T>
void await_change(const std::atomic<T>& number, T old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (number.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  number.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(int size) {
  for (int t = 1; t < size; ++t) threads_.emplace_back([this, t] { serve(t); });
}

Team::~Team() {
  ending_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(const std::function<void(int)>& work) {
  work_ = &work;
  running_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  for (int left = running_.load(std::memory_order_acquire); left > 0;
       left = running_.load(std::memory_order_acquire)) {
    await_change(running_, left);
  }
}

void Team::serve(int number) {
  for (unsigned seen = 0;; ++seen) {
    await_change(round_, seen);
    if (ending_) return;
    (*work_)(number);
    running_.fetch_sub(1, std::memory_order_release);
    running_.notify_one();
  }
}

}  // namespace gat::app
