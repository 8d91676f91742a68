// The general attention layer's edge loss: which pairs, of which rows, both directions.
#include <cmath>

#include "gat/core/error.hpp"
#include "nn/layers/attention_run.hpp"

namespace gat::inline GAT_PRECISION {

NodePairs AttentionLayer::Run::edge_loss_pairs() const {
  const GraphView::Arrays& arrays = c.graph.arrays();
  const bool is_whole =
      c.graph.num_destinations() == c.graph.num_sources() && c.graph.num_edges() == c.graph.edge_id_bound();
  if (!c.graph.stored() || c.graph.bipartite() || !arrays.segments.empty() || !is_whole) {
    throw UsageError(
        "attention layer: an edge loss trains on one whole graph that is stored, with the same nodes on both "
        "sides; give it Blocks::whole or Blocks::reordered, or set edge_loss to 0");
  }
  return draw_pairs(c.graph, o.edge_loss_share, o.edge_loss_others, edge_loss_random);
}

EdgeLoss AttentionLayer::Run::edge_loss(const NodePairs& pairs, const Rows& rows) const {
  const double root =
      edge_loss_of(description.name)->scaled ? std::sqrt(static_cast<double>(o.key_width())) : 1;
  return {pairs, rows.queries, rows.keys, 1 / (o.num_heads * root), o.edge_loss};
}

void AttentionLayer::Run::forward_edge_loss(const Rows& rows) const {
  if (!has_edge_loss()) return;
  const NodePairs pairs = edge_loss_pairs();
  const Workspace::Scope scope(c.workspace);
  const MatrixView d_products = c.workspace.matrix(1, pairs.count());
  keep(kEdgeLoss, 1, 1)(0, 0) = static_cast<Real>(edge_loss(pairs, rows).forward(d_products, c.execution));
}

// The pairs and their derivatives are made again: the stream gives the same ones.
void AttentionLayer::Run::backward_edge_loss(const Rows& rows, const RowGradients& d_rows) const {
  if (!has_edge_loss()) return;
  const NodePairs pairs = edge_loss_pairs();
  const Workspace::Scope scope(c.workspace);
  const MatrixView d_products = c.workspace.matrix(1, pairs.count());
  const EdgeLoss loss = edge_loss(pairs, rows);
  loss.forward(d_products, c.execution);
  loss.backward(d_products, d_rows.queries, d_rows.keys, c.execution);
}

double AttentionLayer::added_loss(Tape& tape) const {
  return options_.edge_loss > 0 && tape.has(Run::kEdgeLoss) ? static_cast<double>(tape[Run::kEdgeLoss](0, 0))
                                                            : 0;
}

}  // namespace gat::inline GAT_PRECISION
