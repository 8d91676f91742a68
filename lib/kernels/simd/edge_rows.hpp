/// Rows that edges add to the rows of nodes: W x_ij, never stored for more than one edge.
///
///     row_ij = node_j + W x_ij          dW_f += Σ_ij x_ij,f d_row_ij          dx_ij,f += ⟨W_f , d_row_ij⟩
///
/// W holds one row of heads (`HeadLayout`) per edge feature. Written plainly: edge features are few.
#pragma once

#include <algorithm>

#include "kernels/simd/edge_batch.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// The map of one group of heads.
class EdgeRows {
 public:
  EdgeRows(ConstMatrixView features, ConstMatrixView weight, const HeadLayout& layout, Index group)
      : features_(features), lanes_(layout.group_width / kLanes) {
    if (!weight.empty()) weight_ = weight.columns(group * layout.group_width, layout.group_width);
  }

  bool given() const { return !weight_.empty(); }
  Index count() const { return weight_.rows; }
  Index lanes() const { return lanes_; }
  const Real* features(EdgeId edge) const { return features_.row(edge); }
  const Real* weight(Index f) const { return weight_.row(f); }

  /// Vector v of node + W x.
  GAT_INLINE Lanes vector(EdgeId edge, const Real* node, Index v) const {
    Lanes sum = load(node + v * kLanes);
    const Real* x = features_.row(edge);
    for (Index f = 0; f < weight_.rows; ++f)
      sum = multiply_add(all_lanes(x[f]), load(weight_.row(f) + v * kLanes), sum);
    return sum;
  }

  /// out += (Σ_k w_k x_k W) ⊙ scale over a row's edges; w holds L numbers per edge.
  template <int L>
  void add_weighted(const EdgeRow& run, const Real* weights, const Lanes& scale, Real* out) const {
    for (Index f = 0; f < weight_.rows; ++f) {
      Lanes sum{};
      for (Index k = 0; k < run.count; ++k)
        sum = multiply_add(tile<L>(weights + k * L), all_lanes(features_.row(run.edge(k))[f]), sum);
      sum = sum * scale;
      for (Index v = 0; v < lanes_; ++v)
        store(out + v * kLanes, multiply_add(sum, load(weight_.row(f) + v * kLanes), load(out + v * kLanes)));
    }
  }

 private:
  ConstMatrixView features_, weight_;
  Index lanes_;
};

/// Where the gradients of one group's edge rows go, from one thread at a time; empty = not wanted.
struct EdgeRowGradient {
  MatrixView weight;    ///< D_e × group width
  MatrixView features;  ///< by edge id

  /// Adds vector v of d_row_ij.
  GAT_INLINE void add(const EdgeRows& map, EdgeId edge, Index v, const Lanes& d_row) {
    const Real* x = map.features(edge);
    for (Index f = 0; f < map.count(); ++f) {
      if (!weight.empty()) {
        Real* to = weight.row(f) + v * kLanes;
        store(to, multiply_add(all_lanes(x[f]), d_row, load(to)));
      }
      if (features.empty()) continue;
      Real lanes[kLanes];
      store(lanes, fold_to_tile<AddLanes, 1>(d_row * load(map.weight(f) + v * kLanes)));
      features(edge, f) += lanes[0];
    }
  }
};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
