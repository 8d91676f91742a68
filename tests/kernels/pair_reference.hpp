/// Attention with pair scores written plainly: one formula per score, dense loops, double precision.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kernels/attention_reference.hpp"

namespace gat::test {

/// Everything that goes in; rows in public order.
struct PairNumbers {
  std::string score;
  GraphView graph;
  int heads = 1;
  Index query_dim = 1, key_dim = 1, value_dim = 1;
  Matrix queries, keys, values;
  Matrix source, destination;      ///< × H, where the score reads numbers of nodes
  std::vector<Matrix> parameters;  ///< per_head 1 × H, per_feature 1 × H·D_k, matrix D_q × H·D_k
  Matrix edge_features, edge_weight, value_edge_weight;  ///< E × D_e, D_e × H·D; empty = none
  std::vector<std::uint8_t> mask;
  DropoutMask dropout;
  double slope = 0.2;
  Matrix d_out;
};

/// Everything that comes out, by name.
using PairResults = std::map<std::string, Matrix>;

namespace naive {

using Numbers = std::vector<double>;

/// One score of one edge and head, and its derivatives.
struct PairScore {
  double e = 0;
  Numbers d_query, d_key;
  std::vector<Numbers> d_parameters;
  double d_number = 0;
};

inline double leaky(double x, double slope) { return x > 0 ? x : slope * x; }
inline double leak(double x, double slope) { return x > 0 ? 1 : slope; }

/// e and its derivatives from one head's query, key and parameters.
inline PairScore pair_score(const std::string& name, const Numbers& q, const Numbers& k,
                            const std::vector<Numbers>& p, double number, double slope) {
  PairScore s;
  s.d_query.assign(q.size(), 0);
  s.d_key.assign(k.size(), 0);
  for (const Numbers& parameter : p) s.d_parameters.emplace_back(parameter.size(), 0.0);
  const std::size_t width = k.size();
  const auto product = [&](double factor) {  // e = factor q·k
    for (std::size_t f = 0; f < width; ++f) {
      s.e += factor * q[f] * k[f];
      s.d_query[f] = factor * k[f];
      s.d_key[f] = factor * q[f];
    }
  };
  const auto scale_gradients = [&](double factor) {
    for (double& d : s.d_query) d *= factor;
    for (double& d : s.d_key) d *= factor;
  };
  if (name == "dot") {
    product(1);
  } else if (name == "scaled_dot") {
    product(1 / std::sqrt(static_cast<double>(width)));
  } else if (name == "supergat_sd") {
    product(1 / std::sqrt(static_cast<double>(width)));
    scale_gradients(leak(s.e, slope));
    s.e = leaky(s.e, slope);
  } else if (name == "supergat_mx") {
    product(1);
    const double gate = 1 / (1 + std::exp(-s.e));
    const double x = number * gate;
    scale_gradients(leak(x, slope) * number * gate * (1 - gate));
    s.d_number = leak(x, slope) * gate;
    s.e = leaky(x, slope);
  } else if (name == "bilinear") {
    for (std::size_t a = 0; a < q.size(); ++a) {
      for (std::size_t b = 0; b < width; ++b) {
        const double w = p[0][a * width + b];
        s.e += q[a] * w * k[b];
        s.d_query[a] += w * k[b];
        s.d_key[b] += w * q[a];
        s.d_parameters[0][a * width + b] = q[a] * k[b];
      }
    }
  } else if (name == "gaussian") {
    const double w = p[0][0];
    for (std::size_t f = 0; f < width; ++f) {
      const double d = q[f] - k[f];
      s.e -= 0.5 * w * w * d * d;
      s.d_query[f] = -w * w * d;
      s.d_key[f] = w * w * d;
      s.d_parameters[0][0] -= w * d * d;
    }
  } else if (name == "cosine") {
    double qq = 0, kk = 0, qk = 0;
    for (std::size_t f = 0; f < width; ++f) qq += q[f] * q[f], kk += k[f] * k[f], qk += q[f] * k[f];
    if (qq > 0 && kk > 0) {
      const double norm = std::sqrt(qq * kk), cosine = qk / norm, beta = p[0][0];
      s.e = beta * cosine;
      s.d_parameters[0][0] = cosine;
      for (std::size_t f = 0; f < width; ++f) {
        s.d_query[f] = beta * (k[f] / norm - cosine * q[f] / qq);
        s.d_key[f] = beta * (q[f] / norm - cosine * k[f] / kk);
      }
    }
  } else {
    const bool is_tanh = name == "tanh";
    for (std::size_t f = 0; f < width; ++f) {
      const double x = q[f] + k[f] + (is_tanh ? p[1][f] : 0);
      const double y = is_tanh ? std::tanh(x) : leaky(x, slope);
      const double d = p[0][f] * (is_tanh ? 1 - y * y : leak(x, slope));
      s.e += p[0][f] * y;
      s.d_parameters[0][f] = y;
      s.d_query[f] = s.d_key[f] = d;
      if (is_tanh) s.d_parameters[1][f] = d;
    }
  }
  return s;
}

}  // namespace naive

/// Forward and backward. Results: out, d_queries, d_keys, d_values, d_source, d_destination,
/// d_parameter0 …, d_edge_features, d_edge_weight, d_value_edge_weight, logits.
PairResults naive_pair_attention(const PairNumbers& numbers);
/// The same by the library.
PairResults run_pair_attention(const PairNumbers& numbers, const Execution& execution);

}  // namespace gat::test
