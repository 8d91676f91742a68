/// A score of the user's own for tests: e_ij,h = (h + 1) tanh(q_i · k_j) with tables of its own.
#pragma once

#include <cmath>

#include "gat/kernels/score.hpp"

namespace gat::test {

class ProductScore final : public CustomScore {
 public:
  ProductScore(Matrix destinations, Matrix sources)
      : queries(std::move(destinations)),
        keys(std::move(sources)),
        d_queries(queries.rows(), queries.cols()),
        d_keys(keys.rows(), keys.cols()) {}

  void logits(const Edges& edges, MatrixView e) const override {
    for_each(edges, [&](Index k, int h, NodeId i, NodeId j) { e(k, h) = value(edges, h, i, j); });
  }
  void add_destination_gradient(const Edges& edges, ConstMatrixView d_e) const override {
    for_each(edges, [&](Index k, int h, NodeId i, NodeId j) {
      for (Index f = 0; f < queries.cols(); ++f)
        d_queries(i, f) += d_e(k, h) * slope(edges, h, i, j) * keys(j, f);
    });
  }
  void add_source_gradient(const Edges& edges, ConstMatrixView d_e) const override {
    for_each(edges, [&](Index k, int h, NodeId i, NodeId j) {
      for (Index f = 0; f < keys.cols(); ++f)
        d_keys(j, f) += d_e(k, h) * slope(edges, h, i, j) * queries(i, f);
    });
  }

  Matrix queries, keys;
  mutable Matrix d_queries, d_keys;

 private:
  template <class Visit>
  static void for_each(const Edges& edges, const Visit& visit) {
    for (std::size_t k = 0; k < edges.ids.size(); ++k) {
      for (int h = 0; h < edges.num_heads; ++h)
        visit(static_cast<Index>(k), h, edges.destinations[k], edges.sources[k]);
    }
  }
  Real product(NodeId i, NodeId j) const {
    Real sum = 0;
    for (Index f = 0; f < queries.cols(); ++f) sum += queries(i, f) * keys(j, f);
    return sum;
  }
  Real scale(const Edges& edges, int h) const { return static_cast<Real>(edges.first_head + h + 1); }
  Real value(const Edges& edges, int h, NodeId i, NodeId j) const {
    return scale(edges, h) * std::tanh(product(i, j));
  }
  Real slope(const Edges& edges, int h, NodeId i, NodeId j) const {
    const Real t = std::tanh(product(i, j));
    return scale(edges, h) * (1 - t * t);
  }
};

}  // namespace gat::test
