/// A team of threads for yardsticks: always the same threads, started without a system call while the
/// team is warm, so that a measurement of 100 µs is not one of starting threads.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace gat::app {

class Team {
 public:
  /// \param size  at least 1; the caller of `run` is one of them
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  /// Calls work(t) for t in [0, size()) and returns when all are done. The work must not throw.
  void run(const std::function<void(int)>& work);

 private:
  void serve(int number);

  // Both counts are watched by spinning, which soon gives way to sleeping.
  std::atomic<unsigned> round_ = 0;
  std::atomic<int> running_ = 0;
  const std::function<void(int)>* work_ = nullptr;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gat::app
