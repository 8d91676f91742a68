// Kind 17: Adam and AdamW, with the moments after each step.
#include "gat/core/error.hpp"
#include "gat/train/optimizer.hpp"
#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"decoupled",    "lr",    "beta1",  "beta2", "eps",
                                       "weight_decay", "steps", "param0", "grads"};

std::string unsupported(const VectorFile& file) {
  constexpr double kFlag[] = {0, 1};
  return unless_among(file, "decoupled", kFlag);
}

gat::AdamOptions options_of(GoldenCase& c) {
  gat::AdamOptions options;
  options.learning_rate = c.number("lr");
  options.beta1 = c.number("beta1");
  options.beta2 = c.number("beta2");
  options.epsilon = c.number("eps");
  (c.flag("decoupled") ? options.decoupled_decay : options.l2) = c.number("weight_decay");
  return options;
}

void run(GoldenCase& c) {
  gat::Adam adam(options_of(c));
  const std::vector<gat::Real> start = c.reals("param0");
  const gat::Matrix grads = c.matrix("grads");
  if (grads.rows() != c.integer("steps")) throw gat::UsageError("array grads: needs one row per step");
  gat::ParameterSpec spec;
  spec.name = "parameter";
  spec.shape = {grads.cols()};
  spec.rows = 1;
  spec.cols = grads.cols();
  gat::Weights weights({spec}), gradients({spec});
  weights.import_values(0, start);

  std::vector<double> params, first, second;
  for (gat::Index step = 0; step < grads.rows(); ++step) {
    gradients.import_values(0, {grads.row(step), static_cast<std::size_t>(grads.cols())});
    adam.step(weights, gradients, 1);
    // One parameter, at the start of the buffer; zeros fill it up to whole vectors.
    const auto append = [&](std::vector<double>& to, const gat::Real* from) {
      to.insert(to.end(), from, from + grads.cols());
    };
    append(params, weights.values().data());
    append(first, adam.first_moment().data());
    append(second, adam.second_moment().data());
  }
  c.compare("params", params, c.shape("grads"));
  c.compare("exp_avg", first, c.shape("grads"));
  c.compare("exp_avg_sq", second, c.shape("grads"));
}

}  // namespace

const Family kAdamFamily{17, "Adam", kGiven, unsupported, run};

}  // namespace golden
