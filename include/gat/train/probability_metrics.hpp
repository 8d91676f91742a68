/// Scores of predicted probabilities: how well they rank, and how far they can be trusted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gat/core/matrix.hpp"

namespace gat::inline GAT_PRECISION {

/// Area under the ROC curve: the share of pairs of a positive and a negative in which the positive has the
/// larger score; a tie counts ½ (Mann and Whitney 1947; Fawcett 2006). NaN, "undefined", when one of both is
/// missing (scikit-learn raises an error) or a score is NaN. O(n log n).
/// \param truth  1 = positive, 0 = negative, below 0 = no label, left out
/// \throws ShapeError unless there is one score per node; UsageError for another class
double roc_auc(std::span<const NodeId> truth, std::span<const double> scores);

/// The same from two class logits per row, for class 1: rows are ranked by the difference of their logits,
/// which is the order of the probabilities of class 1 before they round to ties at 0 and 1.
/// \param logits  N × 2
double roc_auc(std::span<const NodeId> truth, ConstMatrixView logits);

/// Confidences in equal bins.
struct Calibration {
  double error = 0;                     ///< expected calibration error; NaN without nodes
  std::vector<std::int64_t> bin_count;  ///< nodes
  std::vector<double> bin_accuracy;     ///< share of right ones; 0 in an empty bin
  std::vector<double> bin_confidence;   ///< mean; 0 in an empty bin
};

/// Expected calibration error Σ_b n_b / n |accuracy_b − mean confidence_b| over bins of equal width (Guo et
/// al. 2017, 15 bins). Bin b holds confidences in (b / bins, (b + 1) / bins]; 0 belongs to the first.
/// \param correct  1 = the prediction was right; one per confidence
/// \throws ShapeError for lists of two lengths; UsageError for no bins or a confidence outside [0, 1]
Calibration calibration(std::span<const double> confidence, std::span<const std::uint8_t> correct,
                        int bins = 15);

/// The same for predicted classes: the confidence of a row is its largest softmax probability, the prediction
/// its argmax.
/// \param truth  one class per row; negative = no label, left out
/// \return an error of NaN and no bins where a logit is not finite
Calibration calibration(std::span<const NodeId> truth, ConstMatrixView logits, int bins = 15);

}  // namespace gat::inline GAT_PRECISION
