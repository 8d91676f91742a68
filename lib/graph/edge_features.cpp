#include "gat/graph/edge_features.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Calls visit(user edge, edge) for every edge that a user edge became, reverse copies included.
template <class Visit>
void for_each_user_edge(const CsrGraph& graph, const Visit& visit) {
  for (const auto map : {graph.edge_of_user(), graph.reverse_edge_of_user()}) {
    for (std::size_t u = 0; u < map.size(); ++u) {
      if (map[u] != kNone) visit(static_cast<Index>(u), map[u]);
    }
  }
}

// How many user edges each edge stands for.
std::vector<Real> users_per_edge(const CsrGraph& graph) {
  std::vector<Real> count(static_cast<std::size_t>(graph.num_edges()), Real(0));
  for_each_user_edge(graph, [&](Index, EdgeId e) { count[static_cast<std::size_t>(e)] += 1; });
  return count;
}

// The value of one column of an added loop, from the other in-edges of its row.
Real filled(const GraphPolicy& policy, ConstMatrixView edges, EdgeId begin, EdgeId loop, Index column) {
  if (begin == loop && policy.loop_fill == LoopFill::product) return 1;
  if (begin == loop || policy.loop_fill == LoopFill::constant)
    return static_cast<Real>(policy.loop_fill_constant);
  Real value = edges(begin, column);
  for (EdgeId e = begin + 1; e < loop; ++e) {
    const Real x = edges(e, column);
    switch (policy.loop_fill) {
      case LoopFill::min:
        value = std::min(value, x);
        break;
      case LoopFill::max:
        value = std::max(value, x);
        break;
      case LoopFill::product:
        value *= x;
        break;
      default:
        value += x;
        break;
    }
  }
  return policy.loop_fill == LoopFill::mean ? value / static_cast<Real>(loop - begin) : value;
}

// Adds d, the gradient of one filled value, to the in-edges it came from.
void add_fill_gradient(const GraphPolicy& policy, ConstMatrixView edges, EdgeId begin, EdgeId loop,
                       Index column, Real d, MatrixView d_edges) {
  const Real value = edges(loop, column);
  Real ties = 0;
  for (EdgeId e = begin; e < loop; ++e) ties += edges(e, column) == value ? 1 : 0;
  for (EdgeId e = begin; e < loop; ++e) {
    switch (policy.loop_fill) {
      case LoopFill::mean:
        d_edges(e, column) += d / static_cast<Real>(loop - begin);
        break;
      case LoopFill::sum:
        d_edges(e, column) += d;
        break;
      case LoopFill::min:
      case LoopFill::max:
        if (edges(e, column) == value) d_edges(e, column) += d / ties;
        break;
      case LoopFill::product: {
        Real others = 1;
        for (EdgeId k = begin; k < loop; ++k) others *= k == e ? Real(1) : edges(k, column);
        d_edges(e, column) += d * others;
        break;
      }
      case LoopFill::constant:
        break;
    }
  }
}

// Calls visit(begin, loop) for each added loop; its row starts at edge `begin` and ends with it.
template <class Visit>
void for_each_added_loop(const CsrGraph& graph, const Visit& visit) {
  const auto offsets = graph.row_offsets();
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const EdgeId last = offsets[i + 1] - 1;
    if (last >= offsets[i] && graph.user_edge_ids()[static_cast<std::size_t>(last)] == kNone)
      visit(offsets[i], last);
  }
}

void check_shapes(const CsrGraph& graph, ConstMatrixView user_rows, ConstMatrixView edges) {
  if (user_rows.rows == graph.num_user_edges() && edges.rows == graph.num_edges() &&
      user_rows.cols == edges.cols)
    return;
  throw ShapeError(
      "edge features of shape " + std::to_string(user_rows.rows) + " × " + std::to_string(user_rows.cols) +
      " do not fit a graph of " + std::to_string(graph.num_user_edges()) + " listed edges (" +
      std::to_string(graph.num_edges()) + " × " + std::to_string(edges.cols) + " after building)");
}

}  // namespace

void spread_edge_features(const CsrGraph& graph, const GraphPolicy& policy, ConstMatrixView user_rows,
                          MatrixView out) {
  check_shapes(graph, user_rows, out);
  out.fill(0);
  const std::vector<Real> users = users_per_edge(graph);
  for_each_user_edge(graph, [&](Index u, EdgeId e) {
    const Real share = users[static_cast<std::size_t>(e)];
    for (Index k = 0; k < out.cols; ++k) out(e, k) += user_rows(u, k) / share;
  });
  for_each_added_loop(graph, [&](EdgeId begin, EdgeId loop) {
    for (Index k = 0; k < out.cols; ++k) out(loop, k) = filled(policy, out, begin, loop, k);
  });
}

void gather_edge_gradient(const CsrGraph& graph, const GraphPolicy& policy, ConstMatrixView edges,
                          ConstMatrixView d_edges, MatrixView d_user_rows) {
  check_shapes(graph, d_user_rows, d_edges);
  Matrix d_total(d_edges);
  for_each_added_loop(graph, [&](EdgeId begin, EdgeId loop) {
    for (Index k = 0; k < d_edges.cols; ++k) {
      add_fill_gradient(policy, edges, begin, loop, k, d_edges(loop, k), d_total);
    }
  });
  const std::vector<Real> users = users_per_edge(graph);
  for_each_user_edge(graph, [&](Index u, EdgeId e) {
    const Real share = users[static_cast<std::size_t>(e)];
    for (Index k = 0; k < d_edges.cols; ++k) d_user_rows(u, k) += d_total(e, k) / share;
  });
}

}  // namespace gat::inline GAT_PRECISION
