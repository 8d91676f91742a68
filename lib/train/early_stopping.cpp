#include <algorithm>
#include <limits>
#include <string>

#include "core/named_values.hpp"
#include "gat/train/observer.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<StopRule, 5> kRules{{{StopRule::paper, "paper"},
                                           {StopRule::accuracy, "accuracy"},
                                           {StopRule::loss, "loss"},
                                           {StopRule::roc_auc, "roc_auc"},
                                           {StopRule::none, "none"}}};

}  // namespace

std::string_view name_of(StopRule rule) { return name_in(kRules, rule); }
StopRule stop_rule_named(std::string_view name) { return value_in(kRules, name, "stopping rule"); }

EarlyStopping::EarlyStopping(StopRule rule, int patience)
    : rule_(rule),
      patience_(patience),
      best_loss_(std::numeric_limits<double>::infinity()),
      best_accuracy_(-std::numeric_limits<double>::infinity()),
      best_roc_auc_(best_accuracy_) {
  if (patience < 1) throw UsageError("patience is " + std::to_string(patience) + "; it is at least 1 epoch");
}

void EarlyStopping::epoch_finished(const EpochRecord& record, const Weights&, TrainControl& control) {
  const bool accuracy_holds = record.validation_accuracy >= best_accuracy_;
  const bool loss_holds = record.validation_loss <= best_loss_;
  const bool roc_auc_holds = record.validation_roc_auc >= best_roc_auc_;
  bool progress = true;
  bool keep = true;
  switch (rule_) {
    case StopRule::paper:
      progress = accuracy_holds || loss_holds;
      keep = accuracy_holds && loss_holds;
      break;
    case StopRule::accuracy:
      progress = keep = accuracy_holds;
      break;
    case StopRule::loss:
      progress = keep = loss_holds;
      break;
    case StopRule::roc_auc:
      progress = keep = roc_auc_holds;
      break;
    case StopRule::none:
      break;
  }
  best_accuracy_ = std::max(best_accuracy_, record.validation_accuracy);
  best_roc_auc_ = std::max(best_roc_auc_, record.validation_roc_auc);
  best_loss_ = std::min(best_loss_, record.validation_loss);
  if (keep) {
    best_epoch_ = record.epoch;
    control.keep_weights = true;
  }
  waiting_ = progress ? 0 : waiting_ + 1;
  if (waiting_ >= patience_) {
    control.stop = true;
    control.stop_reason = "no progress for " + std::to_string(patience_) + " epochs by the rule \"" +
                          std::string(name_of(rule_)) + "\"";
  }
}

}  // namespace gat::inline GAT_PRECISION
