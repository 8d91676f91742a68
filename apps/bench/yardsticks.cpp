#include "bench/yardsticks.hpp"

#include <unistd.h>

#include <algorithm>

#include "bench/gather_yardstick.hpp"
#include "bench/rounds.hpp"

namespace gat::app {

namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kFloat = sizeof(float);

// Four times the last cache, but no more than memory can spare on machines with very large caches.
std::int64_t triad_array_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
  const long cache = 0;
#endif
  return std::min(4 * std::max<std::int64_t>(cache, 32 * kMiB), 1024 * kMiB);
}

class MultiplyAdd final : public Yardstick {
 public:
  explicit MultiplyAdd(Team& team) : team_(team) {}

  void run() override {
    team_.run([this](int) {
      alignas(64) float sink[16] = {0.999F, 0.001F};
      best_loops().multiply_add(kIterations, sink);
    });
  }
  double amount() const override {
    alignas(64) float sink[16] = {0.999F, 0.001F};
    return best_loops().multiply_add(1, sink) * kIterations * team_.size();
  }

 private:
  static constexpr std::int64_t kIterations = 500000;
  Team& team_;
};

// A loop in two variants, of which tuning keeps the faster.
class TwoWays : public Yardstick {
 public:
  void tune() override {
    double fastest[2] = {};
    for (const bool other : {false, true}) {
      other_way_ = other;
      const double first = seconds_of([this] { run(); });
      fastest[other ? 1 : 0] = std::min(first, seconds_of([this] { run(); }));
    }
    other_way_ = fastest[1] < fastest[0];
  }

 protected:
  bool other_way_ = false;
};

class Triad final : public TwoWays {
 public:
  Triad(Team& team, HugeBuffers& buffers)
      : team_(team),
        count_(triad_array_bytes() / kFloat),
        a_(buffers.get("triad a", count_)),
        b_(buffers.get("triad b", count_)),
        c_(buffers.get("triad c", count_)) {
    // Pages that nobody wrote would all be one page of zeros, in the cache.
    team_.run([this](int thread) {
      for (HugeBuffer* array : {&a_, &b_, &c_})
        std::fill(array->data() + start(thread), array->data() + start(thread + 1), 1.0F);
    });
  }

  void run() override {
    team_.run([this](int thread) {
      const std::int64_t first = start(thread);
      best_loops().triad(a_.data() + first, b_.data() + first, c_.data() + first, 3.0F,
                         start(thread + 1) - first, other_way_);
    });
  }
  double amount() const override { return 3.0 * kFloat * static_cast<double>(count_); }
  std::string variant() const override { return other_way_ ? "stores past the caches" : "plain stores"; }

 private:
  std::int64_t start(int thread) const { return count_ / kStep * thread / team_.size() * kStep; }

  static constexpr std::int64_t kStep = 512;
  Team& team_;
  std::int64_t count_;
  HugeBuffer &a_, &b_, &c_;
};

// Reads a buffer again and again: one of each thread, or one that all read from different places.
class Read final : public TwoWays {
 public:
  Read(Team& team, std::int64_t bytes, bool shared)
      : team_(team),
        shared_(shared),
        count_(bytes / kFloat),
        repeats_(std::max<std::int64_t>(1, kBytesPerRun / bytes)),
        data_(count_ * (shared ? 1 : team.size())) {
    std::fill_n(data_.data(), count_ * (shared ? 1 : team.size()), 1.0F);
  }

  void run() override {
    team_.run([this](int thread) {
      alignas(64) float sink[64] = {};
      if (!shared_) {
        best_loops().read(data_.data() + thread * count_, count_, repeats_, other_way_, sink);
        return;
      }
      const std::int64_t first = count_ / kStep * thread / team_.size() * kStep;
      for (std::int64_t r = 0; r < repeats_; ++r) {
        best_loops().read(data_.data() + first, count_ - first, 1, other_way_, sink);
        best_loops().read(data_.data(), first, 1, other_way_, sink);
      }
    });
  }
  double amount() const override { return static_cast<double>(count_ * kFloat * repeats_) * team_.size(); }
  std::string variant() const override { return other_way_ ? "fetched ahead" : "plain"; }

 private:
  static constexpr std::int64_t kStep = 512;
  static constexpr std::int64_t kBytesPerRun = 512 * kMiB;
  Team& team_;
  bool shared_;
  std::int64_t count_, repeats_;
  HugeBuffer data_;
};

}  // namespace

std::unique_ptr<Yardstick> make_yardstick(const YardstickKey& key, Team& team, HugeBuffers& buffers) {
  switch (key.rate) {
    case Rate::multiply_add:
      return std::make_unique<MultiplyAdd>(team);
    case Rate::triad:
      return std::make_unique<Triad>(team, buffers);
    case Rate::read_l1:
      return std::make_unique<Read>(team, 32 * kKiB, false);
    case Rate::read_l2:
      return std::make_unique<Read>(team, 512 * kKiB, false);
    case Rate::read_l3:
      return std::make_unique<Read>(team, 8 * kMiB, true);
    case Rate::gather:
      return make_gather_yardstick(key, team, buffers);
  }
  return nullptr;
}

std::string name_of(const YardstickKey& key) {
  switch (key.rate) {
    case Rate::multiply_add:
      return "multiply-add";
    case Rate::triad:
      return "triad";
    case Rate::read_l1:
      return "read L1";
    case Rate::read_l2:
      return "read L2";
    case Rate::read_l3:
      return "read L3";
    case Rate::gather:
      return "gather " + std::to_string(key.width * kFloat) + " bytes, " + key.graph->name;
  }
  return "";
}

const char* unit_of(Rate rate) { return rate == Rate::multiply_add ? "GFLOP/s" : "GB/s"; }

}  // namespace gat::app
