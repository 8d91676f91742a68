/// Numbers of runs as JSON and as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gat/train/trainer.hpp"
#include "output/json.hpp"
#include "run/plan.hpp"
#include "run/profile.hpp"

namespace gat::app {

/// What one seed gave, besides the files.
struct RunReport {
  std::int64_t seed = 0;
  int best_epoch = 0;
  int epochs = 0;
  std::string stop_reason;
  double seconds = 0;
  ComputedRows training_rows = ComputedRows::whole;
  ComputedRows validation_rows = ComputedRows::whole;
  std::optional<Profile> profile;                     ///< where it was asked for
  std::optional<Evaluation> train, validation, test;  ///< nothing for an empty part
  bool multi_label = false;
  int signal = 0;            ///< that came while it ran, or 0
  bool interrupted = false;  ///< the signal ended training before its rule did

  /// Test accuracy (micro-F1 for several labels per node); nothing without test nodes.
  std::optional<double> test_score() const;
  /// Nothing without test nodes of two classes.
  std::optional<double> test_roc_auc() const;
};

/// Loss and metrics of some nodes; nothing when there are none.
std::optional<Evaluation> evaluate_part(ConstMatrixView class_logits, const Labels& labels,
                                        const std::vector<NodeId>& nodes);

Json to_json(const Evaluation& evaluation);
Json to_json(const RunReport& report);
/// "computed: for training the rows it reaches, for validation the whole graph"
std::string computed_line(const RunReport& report);
/// "seed 0: test accuracy 0.8310, validation accuracy 0.7960, best epoch 412 of 512, …", with the ROC-AUC of
/// two classes
std::string report_line(const RunReport& report, const std::string& score_name);

/// Mean and sample standard deviation (n − 1) of a test score over the runs that have it and were not
/// interrupted.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  std::optional<double> standard_deviation;  ///< nothing for fewer than two runs
};
Summary summarize(const std::vector<RunReport>& reports,
                  std::optional<double> (RunReport::*score)() const = &RunReport::test_score);

/// All settings that files can hold, by table and key.
Json settings_json(const Settings& settings);

}  // namespace gat::app
