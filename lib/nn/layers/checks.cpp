#include "nn/layers/checks.hpp"

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

std::string shape_of(Index rows, Index cols) { return std::to_string(rows) + " × " + std::to_string(cols); }

void check_term(const std::string& layer, const char* what, const EdgeTerm& term, EdgeId edges, int heads) {
  if (term.array.empty()) return;
  if (term.array.rows == edges && (term.array.cols == 1 || term.array.cols == heads)) return;
  throw ShapeError(layer + " layer: " + what + " has the shape " +
                   shape_of(term.array.rows, term.array.cols) + ", expected " + std::to_string(edges) +
                   " rows and 1 or " + std::to_string(heads) + " columns");
}

}  // namespace

void check_probability(const char* layer, const char* name, double value) {
  if (value >= 0 && value < 1) return;
  throw UsageError(std::string(layer) + " layer: " + name + " is " + std::to_string(value) +
                   "; a drop probability lies in [0, 1)");
}

void check_rows(const std::string& layer, const char* what, const FeatureView& rows, Index expected_rows,
                Index expected_cols) {
  if (rows.rows() == expected_rows && rows.cols() == expected_cols) return;
  throw ShapeError(layer + " layer: " + what + " have the shape " + shape_of(rows.rows(), rows.cols()) +
                   ", expected " + shape_of(expected_rows, expected_cols));
}

void check_edge_terms(const std::string& layer, const GraphView& graph, const EdgeTerms& terms, int heads) {
  if (!terms.mask.empty() && static_cast<EdgeId>(terms.mask.size()) != graph.edge_id_bound()) {
    throw ShapeError(layer + " layer: the edge mask has " + std::to_string(terms.mask.size()) +
                     " entries for " + std::to_string(graph.edge_id_bound()) + " edges");
  }
  check_term(layer, "log_prior", terms.log_prior, graph.edge_id_bound(), heads);
  check_term(layer, "factor", terms.factor, graph.edge_id_bound(), heads);
}

void check_destinations(const std::string& layer, const GraphView& graph, const Destinations& destination,
                        Index own_width) {
  const bool own = destination.kind == Destinations::Kind::own;
  if (own != (own_width > 0) && destination.kind != Destinations::Kind::none) {
    throw UsageError(layer + " layer: " +
                     (own ? "destinations have features of their own; set destination_features to their width"
                          : "made for destinations with features of their own, but got none"));
  }
  if (own) {
    check_rows(layer, "destination features", destination.features, graph.num_destinations(), own_width);
  }
  if (destination.kind == Destinations::Kind::prefix && graph.bipartite()) {
    throw UsageError(layer +
                     " layer: in a bipartite graph destinations are not the first sources; give their "
                     "features or none");
  }
}

}  // namespace gat::inline GAT_PRECISION
