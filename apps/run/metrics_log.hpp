/// metrics.jsonl: one line per epoch, there as soon as the epoch is over.
#pragma once

#include <filesystem>

#include "gat/train/observer.hpp"

namespace gat::app {

class MetricsLog final : public TrainObserver {
 public:
  /// \throws FileError when the file cannot be made
  explicit MetricsLog(const std::filesystem::path& path);
  ~MetricsLog() override;
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;
  void epoch_finished(const EpochRecord& record, const Weights& weights, TrainControl& control) override;

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace gat::app
