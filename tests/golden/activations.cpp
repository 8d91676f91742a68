// Kind 11: pointwise activations and their derivatives.
#include "gat/kernels/activation.hpp"

#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"act_kind", "act_param", "x", "upstream"};

constexpr gat::ActivationKind kActivations[] = {
    gat::ActivationKind::relu, gat::ActivationKind::leaky_relu, gat::ActivationKind::elu,
    gat::ActivationKind::gelu, gat::ActivationKind::gelu_tanh,  gat::ActivationKind::sigmoid,
    gat::ActivationKind::tanh};

std::string unsupported(const VectorFile& file) {
  constexpr double kKnown[] = {0, 1, 2, 3, 4, 5, 6};
  return unless_among(file, "act_kind", kKnown);
}

void run(GoldenCase& c) {
  const gat::Activation activation{kActivations[c.integer("act_kind")], c.number("act_param")};
  const std::vector<gat::Real> x = c.reals("x"), upstream = c.reals("upstream");
  const auto size = static_cast<gat::Index>(x.size());
  gat::Matrix out(1, size), d_x(1, size);
  const gat::ConstMatrixView argument(x.data(), 1, size), d_out(upstream.data(), 1, size);
  gat::activation_forward(activation, argument, out, 1);
  gat::activation_backward(activation, argument, d_out, d_x, 1);
  const auto values = [](const gat::Matrix& m) { return std::vector<double>(m.data(), m.data() + m.size()); };
  c.compare("out", values(out), c.shape("x"));
  c.compare("grad_x", values(d_x), c.shape("x"));
}

}  // namespace

const Family kActivationFamily{11, "activations", kGiven, unsupported, run};

}  // namespace golden
