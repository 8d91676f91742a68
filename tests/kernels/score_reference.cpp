#include "kernels/score_reference.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace gat::test::naive {

namespace {

// e = factor q·k
void product(const PairInput& in, double factor, PairScore& s) {
  for (std::size_t f = 0; f < in.key.size(); ++f) {
    s.e += factor * in.query[f] * in.key[f];
    s.d_query[f] = factor * in.key[f];
    s.d_key[f] = factor * in.query[f];
  }
}

void scale_gradients(PairScore& s, double factor) {
  for (double& d : s.d_query) d *= factor;
  for (double& d : s.d_key) d *= factor;
}

double scale_of(const PairInput& in) { return 1 / std::sqrt(static_cast<double>(in.key.size())); }

// e = a·f(q + k + b) from one sum of the additive scores: y = f(x), d = a f'(x)
void additive(PairScore& s, std::size_t f, double a, double y, double d) {
  s.e += a * y;
  s.d_parameters[0][f] = y;
  s.d_query[f] = s.d_key[f] = d;
}

}  // namespace

void gat_formula(const PairInput& in, PairScore& s) {
  s.e = leaky(in.number, in.slope);
  s.d_number = leak(in.number, in.slope);
}

void constant_formula(const PairInput&, PairScore&) {}

void gatv2_formula(const PairInput& in, PairScore& s) {
  for (std::size_t f = 0; f < in.key.size(); ++f) {
    const double x = in.query[f] + in.key[f], a = in.parameters[0][f];
    additive(s, f, a, leaky(x, in.slope), a * leak(x, in.slope));
  }
}

void tanh_formula(const PairInput& in, PairScore& s) {
  for (std::size_t f = 0; f < in.key.size(); ++f) {
    const double y = std::tanh(in.query[f] + in.key[f] + in.parameters[1][f]), v = in.parameters[0][f];
    additive(s, f, v, y, v * (1 - y * y));
    s.d_parameters[1][f] = s.d_key[f];
  }
}

void dot_formula(const PairInput& in, PairScore& s) { product(in, 1, s); }

void scaled_dot_formula(const PairInput& in, PairScore& s) { product(in, scale_of(in), s); }

void bilinear_formula(const PairInput& in, PairScore& s) {
  const std::size_t width = in.key.size();
  for (std::size_t a = 0; a < in.query.size(); ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      const double w = in.parameters[0][a * width + b];
      s.e += in.query[a] * w * in.key[b];
      s.d_query[a] += w * in.key[b];
      s.d_key[b] += w * in.query[a];
      s.d_parameters[0][a * width + b] = in.query[a] * in.key[b];
    }
  }
}

// 0 with a row of norm 0, and so are its derivatives.
void cosine_formula(const PairInput& in, PairScore& s) {
  const Numbers &q = in.query, &k = in.key;
  double qq = 0, kk = 0, qk = 0;
  for (std::size_t f = 0; f < q.size(); ++f) qq += q[f] * q[f], kk += k[f] * k[f], qk += q[f] * k[f];
  if (qq == 0 || kk == 0) return;
  const double norm = std::sqrt(qq * kk), cosine = qk / norm, beta = in.parameters[0][0];
  s.e = beta * cosine;
  s.d_parameters[0][0] = cosine;
  for (std::size_t f = 0; f < q.size(); ++f) {
    s.d_query[f] = beta * (k[f] / norm - cosine * q[f] / qq);
    s.d_key[f] = beta * (q[f] / norm - cosine * k[f] / kk);
  }
}

void gaussian_formula(const PairInput& in, PairScore& s) {
  const double w = in.parameters[0][0];
  for (std::size_t f = 0; f < in.key.size(); ++f) {
    const double d = in.query[f] - in.key[f];
    s.e -= 0.5 * w * w * d * d;
    s.d_query[f] = -w * w * d;
    s.d_key[f] = w * w * d;
    s.d_parameters[0][0] -= w * d * d;
  }
}

void supergat_mx_formula(const PairInput& in, PairScore& s) {
  product(in, 1, s);
  const double gate = 1 / (1 + std::exp(-s.e)), x = in.number * gate;
  scale_gradients(s, leak(x, in.slope) * in.number * gate * (1 - gate));
  s.d_number = leak(x, in.slope) * gate;
  s.e = leaky(x, in.slope);
}

void supergat_sd_formula(const PairInput& in, PairScore& s) {
  product(in, scale_of(in), s);
  scale_gradients(s, leak(s.e, in.slope));
  s.e = leaky(s.e, in.slope);
}

// Of the score that `run_pair_attention` brings.
void custom_formula(const PairInput& in, PairScore& s) { product(in, 0.5, s); }

Formula formula_of(std::string_view name) {
#define GAT_NAMED_FORMULA(score) \
  if (name == #score) return &score##_formula;
  GAT_SCORES(GAT_NAMED_FORMULA)
#undef GAT_NAMED_FORMULA
  throw std::invalid_argument("the file of the score " + std::string(name) + " has another name");
}

PairScore pair_score(Formula formula, const PairInput& in) {
  PairScore s;
  s.d_query.assign(in.query.size(), 0);
  s.d_key.assign(in.key.size(), 0);
  for (const Numbers& parameter : in.parameters) s.d_parameters.emplace_back(parameter.size(), 0.0);
  formula(in, s);
  return s;
}

}  // namespace gat::test::naive
