/// Shows how training goes on: a moving line on a terminal, lines at growing intervals elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "gat/train/observer.hpp"
#include "terminal/console.hpp"

namespace gat::app {

class Progress final : public TrainObserver {
 public:
  /// \param how  auto, bar, plain or none. \param epochs  at most. \param score  "accuracy" or "micro-F1"
  Progress(Console& console, const std::string& how, int epochs, std::string score);
  ~Progress() override { console_.clear_line(); }
  void epoch_finished(const EpochRecord& record, const Weights& weights, TrainControl& control) override;
  /// Training is over: the last epoch gets its line, if it has none yet.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due(int epoch);
  std::string line(const EpochRecord& record) const;
  void say_last();

  Console& console_;
  std::string score_;
  int epochs_;
  bool moving_ = false;
  bool plain_ = false;
  double best_ = 0;
  double best_roc_auc_ = 0;
  int next_epoch_ = 1;  // of the series 1, 2, 5, 10, 20, 50, …
  EpochRecord last_;
  int said_ = 0;  // the last epoch that got a line
  Clock::time_point last_line_;
  Clock::time_point last_draw_;
};

}  // namespace gat::app
