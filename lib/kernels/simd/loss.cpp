// Losses; tests/kernels/loss_test.cpp holds them against values and differences in double precision.
#include "gat/kernels/loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/activations.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

constexpr Index kWorkPerElement = 4;

// log softmax_c = (z_c − top) − log Σ exp(z − top); the two parts stay apart, since at huge logits
// their sum would lose the second one.
struct LogSoftmax {
  LogSoftmax(const Real* logits, Index classes) : z(logits), top(*std::max_element(z, z + classes)) {
    const Lanes shift = all_lanes(static_cast<Real>(top));
    Lanes sums{};
    for (Index c = 0; c < classes; c += kLanes) sums = sums + exp_of_negative(lanes_at(c, classes) - shift);
    Real parts[kLanes];
    store(parts, sums);
    double sum = 0;
    for (const Real part : parts) sum += static_cast<double>(part);
    log_sum = std::log(sum);
  }
  // Probabilities of classes c … c + 15; 0 beyond the last one.
  void probabilities(Index c, Index classes, Real* p) const {
    const Lanes shifted = lanes_at(c, classes) - all_lanes(static_cast<Real>(top));
    store(p, exp_of_negative(shifted - all_lanes(static_cast<Real>(log_sum))));
  }
  Lanes lanes_at(Index c, Index classes) const {
    return load_first(z + c, classes - c, -std::numeric_limits<Real>::infinity());
  }
  double operator()(Index c) const { return (z[c] - top) - log_sum; }

  const Real* z;
  double top;
  double log_sum;
};

// log(1 + e^x) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

double softmax_cross_entropy(ConstMatrixView logits, LossRows rows, std::span<const NodeId> classes,
                             const CrossEntropyOptions& options, MatrixView d_logits,
                             const Execution& execution) {
  const Index num_classes = logits.cols;
  const auto count = static_cast<Index>(rows.logit_rows.size());
  const double smoothing = options.label_smoothing;
  const auto weight = [&](Index c) {
    return options.class_weights.empty()
               ? 1.0
               : static_cast<double>(options.class_weights[static_cast<std::size_t>(c)]);
  };
  const auto class_of = [&](Index k) {
    return classes[static_cast<std::size_t>(rows.target_rows[static_cast<std::size_t>(k)])];
  };
  double weight_sum = 0;
  double all_weights = 0;
  for (Index k = 0; k < count; ++k) weight_sum += class_of(k) < 0 ? 0.0 : weight(class_of(k));
  for (Index c = 0; c < num_classes; ++c) all_weights += weight(c);
  if (weight_sum == 0) return 0;

  const auto row_loss = [&](Index k) {
    const NodeId truth = class_of(k);
    if (truth < 0) return 0.0;
    const Index row = rows.logit_rows[static_cast<std::size_t>(k)];
    const LogSoftmax log_softmax(logits.row(row), num_classes);
    double loss = -(1 - smoothing) * weight(truth) * log_softmax(truth);
    for (Index c = 0; c < num_classes && smoothing > 0; ++c) {
      loss += smoothing / static_cast<double>(num_classes) * weight(c) * -log_softmax(c);
    }
    if (d_logits.empty()) return loss;
    // With q the (weighted, smoothed) target: d loss / d z_c = (Σ q) softmax_c − q_c.
    const double target_sum =
        (1 - smoothing) * weight(truth) + smoothing / static_cast<double>(num_classes) * all_weights;
    Real probability[kLanes];
    for (Index c = 0; c < num_classes; ++c) {
      if (c % kLanes == 0) log_softmax.probabilities(c, num_classes, probability);
      const double target = (c == truth ? (1 - smoothing) * weight(truth) : 0.0) +
                            smoothing / static_cast<double>(num_classes) * weight(c);
      const auto p = static_cast<double>(probability[c % kLanes]);
      d_logits(row, c) += static_cast<Real>((target_sum * p - target) / weight_sum);
    }
    return loss;
  };
  const double total = sum_in_blocks(execution.num_threads, count, num_classes * kWorkPerElement,
                                     [&](Index first, Index last) {
                                       double sum = 0;
                                       for (Index k = first; k < last; ++k) sum += row_loss(k);
                                       return sum;
                                     });
  return total / weight_sum;
}

double sigmoid_cross_entropy(ConstMatrixView logits, LossRows rows, ConstMatrixView targets,
                             std::span<const Real> positive_weights, MatrixView d_logits,
                             const Execution& execution) {
  const auto count = static_cast<Index>(rows.logit_rows.size());
  Index entries = 0;
  for (const NodeId node : rows.target_rows) {
    for (Index c = 0; c < targets.cols; ++c) entries += std::isnan(targets(node, c)) ? 0 : 1;
  }
  if (entries == 0) return 0;

  const auto row_loss = [&](Index k) {
    const Index row = rows.logit_rows[static_cast<std::size_t>(k)];
    const Index node = rows.target_rows[static_cast<std::size_t>(k)];
    double loss = 0;
    for (Index c = 0; c < targets.cols; ++c) {
      const double y = targets(node, c);
      if (std::isnan(y)) continue;
      const double z = logits(row, c);
      const double w =
          positive_weights.empty() ? 1.0 : static_cast<double>(positive_weights[static_cast<std::size_t>(c)]);
      loss += w * y * softplus(-z) + (1 - y) * softplus(z);
      if (d_logits.empty()) continue;
      // d softplus(z) / d z = sigmoid(z)
      const double e = std::exp(-std::abs(z));
      const double sigmoid = z >= 0 ? 1 / (1 + e) : e / (1 + e);
      const double complement = z >= 0 ? e / (1 + e) : 1 / (1 + e);
      d_logits(row, c) +=
          static_cast<Real>(((1 - y) * sigmoid - w * y * complement) / static_cast<double>(entries));
    }
    return loss;
  };
  const double total = sum_in_blocks(execution.num_threads, count, targets.cols * kWorkPerElement,
                                     [&](Index first, Index last) {
                                       double sum = 0;
                                       for (Index k = first; k < last; ++k) sum += row_loss(k);
                                       return sum;
                                     });
  return total / static_cast<double>(entries);
}

void softmax_rows(ConstMatrixView logits, MatrixView out, const Execution& execution) {
  parallel_for(execution.num_threads, logits.rows, logits.cols * kWorkPerElement,
               [&](Index first, Index last, int) {
                 for (Index i = first; i < last; ++i) {
                   if (logits.cols == 0) return;
                   const LogSoftmax log_softmax(logits.row(i), logits.cols);
                   Real probability[kLanes];
                   for (Index c = 0; c < logits.cols; ++c) {
                     // The next sixteen are read before the first of them is overwritten.
                     if (c % kLanes == 0) log_softmax.probabilities(c, logits.cols, probability);
                     out(i, c) = probability[c % kLanes];
                   }
                 }
               });
}

void sigmoid_elements(ConstMatrixView logits, MatrixView out, const Execution& execution) {
  GAT_SIMD::activation_forward({ActivationKind::sigmoid, 0}, logits, out, execution);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
