// Kinds 15 and 16: softmax and sigmoid cross-entropy over masked rows.
#include "gat/kernels/loss.hpp"

#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kSoftmaxGiven[] = {"label_smoothing", "target", "mask",
                                              "class_weight",    "logits", "upstream"};
constexpr std::string_view kSigmoidGiven[] = {"target", "mask", "pos_weight", "logits", "upstream"};

std::vector<gat::NodeId> masked_rows(GoldenCase& c) {
  std::vector<gat::NodeId> rows;
  const std::vector<std::int64_t> mask = c.integers("mask");
  for (std::size_t n = 0; n < mask.size(); ++n) {
    if (mask[n] != 0) rows.push_back(static_cast<gat::NodeId>(n));
  }
  return rows;
}

std::vector<gat::Real> optional_reals(GoldenCase& c, std::string_view name) {
  return c.has(name) ? c.reals(name) : std::vector<gat::Real>();
}

// The files' loss is out · upstream.
void compare_loss(GoldenCase& c, double loss, gat::Matrix& d_logits) {
  const auto upstream = static_cast<gat::Real>(c.number("upstream"));
  for (gat::Index k = 0; k < d_logits.size(); ++k) d_logits.data()[k] *= upstream;
  c.compare("out", loss);
  c.compare("grad_logits", d_logits);
}

void run_softmax(GoldenCase& c) {
  const gat::Matrix logits = c.matrix("logits");
  const std::vector<gat::NodeId> rows = masked_rows(c);
  const std::vector<std::int64_t> target = c.integers("target");
  const std::vector<gat::NodeId> classes(target.begin(), target.end());
  const std::vector<gat::Real> weights = optional_reals(c, "class_weight");
  const gat::CrossEntropyOptions options{weights, c.number("label_smoothing")};
  gat::Matrix d_logits(logits.rows(), logits.cols());
  const double loss = gat::softmax_cross_entropy(logits, {rows, rows}, classes, options, d_logits, 1);
  compare_loss(c, loss, d_logits);
}

void run_sigmoid(GoldenCase& c) {
  const gat::Matrix logits = c.matrix("logits"), targets = c.matrix("target");
  const std::vector<gat::NodeId> rows = masked_rows(c);
  const std::vector<gat::Real> weights = optional_reals(c, "pos_weight");
  gat::Matrix d_logits(logits.rows(), logits.cols());
  const double loss = gat::sigmoid_cross_entropy(logits, {rows, rows}, targets, weights, d_logits, 1);
  compare_loss(c, loss, d_logits);
}

}  // namespace

const Family kCrossEntropyFamily{15, "softmax cross-entropy", kSoftmaxGiven, always_supported, run_softmax};
const Family kSigmoidCrossEntropyFamily{16, "sigmoid cross-entropy", kSigmoidGiven, always_supported,
                                        run_sigmoid};

}  // namespace golden
