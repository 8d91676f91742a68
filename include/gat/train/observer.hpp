/// Observers of a training run: progress, early stopping and recording all have this form.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "gat/core/real.hpp"
#include "gat/nn/parameters.hpp"

namespace gat::inline GAT_PRECISION {

/// What one epoch gave. Losses have no L2 part; validation is scored without dropout, class weights and
/// label smoothing, after the step.
struct EpochRecord {
  /// Of the numbers of validation, where there are no such nodes.
  static constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

  int epoch = 0;          ///< counted from 1
  double train_loss = 0;  ///< with dropout, before the step
  double validation_loss = kAbsent;
  double validation_accuracy = kAbsent;  ///< micro-F1 for several labels per node
  double validation_roc_auc = kAbsent;   ///< absent too unless there are two classes, see `Metrics`
  double seconds = 0;                    ///< since the run began
};

/// What an observer may ask for after an epoch.
struct TrainControl {
  bool keep_weights = false;  ///< these weights are the best so far
  bool stop = false;
  std::string stop_reason;
};

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void epoch_finished(const EpochRecord& record, const Weights& weights, TrainControl& control) = 0;
};

/// Which weights are kept, and when training ends.
enum class StopRule {
  /// Keeps weights when the validation accuracy is at least the best *and* the loss at most the best;
  /// patience starts anew when either holds. The original GAT code.
  paper,
  accuracy,  ///< both by validation accuracy alone; used by the authors for Citeseer
  loss,      ///< both by validation loss alone
  roc_auc,   ///< both by validation ROC-AUC alone; two classes, as in Platonov et al. 2023
  none       ///< runs all epochs and keeps the last
};

std::string_view name_of(StopRule rule);
/// \throws UsageError for an unknown name
StopRule stop_rule_named(std::string_view name);

/// Early stopping. An equal value counts as progress, so the later of two equal epochs is kept. Stops
/// after `patience` epochs in a row without progress.
class EarlyStopping final : public TrainObserver {
 public:
  /// \throws UsageError when patience is below 1
  EarlyStopping(StopRule rule, int patience);
  void epoch_finished(const EpochRecord& record, const Weights& weights, TrainControl& control) override;

  int best_epoch() const { return best_epoch_; }
  int epochs_without_progress() const { return waiting_; }

 private:
  StopRule rule_;
  int patience_;
  double best_loss_;
  double best_accuracy_;
  double best_roc_auc_;
  int best_epoch_ = 0;
  int waiting_ = 0;
};

}  // namespace gat::inline GAT_PRECISION
