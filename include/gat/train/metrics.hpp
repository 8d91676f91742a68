/// Scores of predicted classes; numbers in [0, 1].
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// How well one class (or one label) was found. A ratio with denominator 0 counts as 0.
struct ClassScore {
  double precision = 0, recall = 0, f1 = 0;
  Index support = 0;  ///< true members
};

/// Scores of a set of nodes.
struct Metrics {
  Index count = 0;              ///< nodes with a label (of several labels: with at least one known)
  double accuracy = 0;          ///< share of right nodes; of several labels: of nodes with every label right
  double micro_f1 = 0;          ///< counts pooled over all classes; equals accuracy for one label per node
  double macro_f1 = 0;          ///< mean over all classes; an absent class counts 0
  double macro_f1_present = 0;  ///< mean over classes in the truth or the predictions (scikit-learn)
  double weighted_f1 = 0;       ///< mean weighted by support
  std::vector<ClassScore> classes;
  std::vector<std::int64_t> confusion;  ///< C × C, [true · C + predicted]; empty for several labels
  Index num_undefined = 0;              ///< classes whose F1 is 0/0 and counts as 0
  /// ROC-AUC of class 1 where there are two classes, one per node; NaN elsewhere (for more classes there is
  /// no one way: they are left out), and where one class alone is among the nodes.
  double roc_auc = std::numeric_limits<double>::quiet_NaN();
  /// Expected calibration error in 15 bins; NaN for several labels per node, and where nobody asked for it.
  double calibration_error = std::numeric_limits<double>::quiet_NaN();

  /// The number that stopping rules call accuracy: micro-F1 for several labels per node.
  double score(bool multi_label) const { return multi_label ? micro_f1 : accuracy; }
};

/// The lowest index of the maximum of each row.
std::vector<NodeId> argmax_rows(ConstMatrixView logits);

/// \param truth  one class per row in [0, num_classes), negative = no label, left out
Metrics classification_metrics(std::span<const NodeId> truth, std::span<const NodeId> predicted,
                               Index num_classes);

/// Several labels per node: a label is predicted where its logit is above 0 (probability above ½).
/// Targets are positive from ½ on; NaN = unknown, left out.
Metrics multi_label_metrics(ConstMatrixView targets, ConstMatrixView logits);

}  // namespace gat::inline GAT_PRECISION
