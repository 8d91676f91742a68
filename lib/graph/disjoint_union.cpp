#include "gat/graph/disjoint_union.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Appends numbers that count from another start now; kNone stays.
template <class Id>
void append(std::span<const Id> ids, Index start, std::vector<Id>& to) {
  for (const Id id : ids) to.push_back(id == static_cast<Id>(kNone) ? id : static_cast<Id>(id + start));
}

void check_size(Index num_nodes) {
  constexpr Index kMost = std::numeric_limits<NodeId>::max();
  if (num_nodes <= kMost) return;
  throw LimitError("union of graphs: " + std::to_string(num_nodes) + " nodes are more than the " +
                   std::to_string(kMost) + " that ids can number; join fewer graphs");
}

void append(const CsrGraph& graph, bool has_reverse_edges, CsrGraph::Parts& parts) {
  const auto first_edge = static_cast<Index>(parts.column_indices.size());
  const auto first_user = static_cast<Index>(parts.edge_of_user.size());
  append(graph.row_offsets().subspan(1), first_edge, parts.row_offsets);
  append(graph.column_indices(), parts.num_sources, parts.column_indices);
  append(graph.user_edge_ids(), first_user, parts.user_edge_ids);
  append(graph.edge_of_user(), first_edge, parts.edge_of_user);
  append(graph.reverse_edge_of_user(), first_edge, parts.reverse_edge_of_user);
  if (has_reverse_edges) parts.reverse_edge_of_user.resize(parts.edge_of_user.size(), kNone);
  for (EdgeId edge = 0; edge < graph.num_edges(); ++edge)
    parts.reversed.push_back(graph.is_reversed(edge) ? 1 : 0);
  parts.num_sources += graph.num_sources();
  parts.num_destinations += graph.num_destinations();
}

// The place of a graph for messages.
std::string graph_number(std::size_t k) { return "batch: graph " + std::to_string(k); }

void check_shape(std::size_t k, const char* what, Index rows, Index cols, Index wanted_rows,
                 Index wanted_cols) {
  if (rows == wanted_rows && cols == wanted_cols) return;
  throw ShapeError(graph_number(k) + " has " + what + " of the shape " + std::to_string(rows) + " × " +
                   std::to_string(cols) + ", expected " + std::to_string(wanted_rows) + " × " +
                   std::to_string(wanted_cols));
}

// What the features of all graphs have in common; graphs without nodes or edges say nothing.
struct Widths {
  explicit Widths(std::span<const GraphData* const> graphs) {
    const auto first = [&](const auto& says_something) {
      const auto found = std::find_if(graphs.begin(), graphs.end(), says_something);
      return found == graphs.end() ? graphs.front() : *found;
    };
    const GraphData* data = first([](const GraphData* d) { return d->num_nodes() > 0; });
    is_sparse = data->features.is_sparse;
    features = data->features.cols();
    data = first([](const GraphData* d) { return d->graph.num_user_edges() > 0; });
    edge_features = data->edge_features.cols();
  }

  void check(std::size_t k, const GraphData& data) const {
    if (data.num_nodes() > 0 && data.features.is_sparse != is_sparse) {
      throw UsageError(graph_number(k) + " has " + (is_sparse ? "dense" : "sparse") +
                       " features, those before it have the other form; give all one form");
    }
    if (data.num_nodes() > 0 || data.features.rows() > 0)
      check_shape(k, "features", data.features.rows(), data.features.cols(), data.num_nodes(), features);
    const Index edges = data.graph.num_user_edges();
    const Matrix& of_edges = data.edge_features;
    if (edge_features == 0 && of_edges.cols() == 0) return;
    if (edges > 0 || of_edges.rows() > 0)
      check_shape(k, "edge features", of_edges.rows(), of_edges.cols(), edges, edge_features);
  }

  bool is_sparse;
  Index features, edge_features;
};

void append(const CsrMatrix& rows, CsrMatrix& to) {
  append(std::span<const EdgeId>(rows.row_offsets).subspan(1), to.num_entries(), to.row_offsets);
  to.column_indices.insert(to.column_indices.end(), rows.column_indices.begin(), rows.column_indices.end());
  to.values.insert(to.values.end(), rows.values.begin(), rows.values.end());
  to.rows += rows.rows;
}

// Dense matrices of `width` columns one below the other. \param matrix_of  of a graph
template <class MatrixOf>
Matrix stacked(std::span<const GraphData* const> graphs, Index width, const MatrixOf& matrix_of) {
  Index rows = 0;
  for (const GraphData* data : graphs) rows += matrix_of(*data).rows();
  Matrix result(rows, width);
  Real* to = result.data();
  for (const GraphData* data : graphs) {
    const Matrix& matrix = matrix_of(*data);
    to = std::copy_n(matrix.data(), matrix.size(), to);
  }
  return result;
}

}  // namespace

GraphUnion disjoint_union(std::span<const CsrGraph* const> graphs) {
  CsrGraph::Parts parts;
  std::vector<Index> sources{0}, destinations{0};
  parts.bipartite = !graphs.empty() && graphs.front()->bipartite();
  const bool has_reverse_edges = std::any_of(graphs.begin(), graphs.end(), [](const CsrGraph* graph) {
    return !graph->reverse_edge_of_user().empty();
  });
  for (const CsrGraph* graph : graphs) {
    if (graph->bipartite() != parts.bipartite)
      throw UsageError("union of graphs: some are bipartite and some are not; join those of one kind");
    check_size(std::max(parts.num_sources + graph->num_sources(),
                        parts.num_destinations + graph->num_destinations()));
    append(*graph, has_reverse_edges, parts);
    sources.push_back(parts.num_sources);
    destinations.push_back(parts.num_destinations);
  }
  SegmentPointer segments = parts.bipartite ? SegmentPointer(sources, destinations) : SegmentPointer(sources);
  return {CsrGraph(std::move(parts)), std::move(segments)};
}

GraphBatch make_batch(std::span<const GraphData* const> graphs) {
  if (graphs.empty()) throw UsageError("batch: there is no graph; a batch has at least one");
  const Widths widths(graphs);
  std::vector<const CsrGraph*> structures;
  for (std::size_t k = 0; k < graphs.size(); ++k) {
    widths.check(k, *graphs[k]);
    structures.push_back(&graphs[k]->graph);
  }
  GraphUnion joined = disjoint_union(structures);
  GraphBatch batch{{std::move(joined.graph), {}, {}}, std::move(joined.segments)};
  Features& features = batch.data.features;
  features.is_sparse = widths.is_sparse;
  if (features.is_sparse) {
    features.sparse.cols = widths.features;
    for (const GraphData* data : graphs) append(data->features.sparse, features.sparse);
  } else {
    features.dense = stacked(graphs, widths.features,
                             [](const GraphData& d) -> const Matrix& { return d.features.dense; });
  }
  if (widths.edge_features > 0)
    batch.data.edge_features = stacked(graphs, widths.edge_features,
                                       [](const GraphData& d) -> const Matrix& { return d.edge_features; });
  return batch;
}

GraphBatch make_batch(std::span<const GraphData> graphs) {
  std::vector<const GraphData*> pointers;
  for (const GraphData& data : graphs) pointers.push_back(&data);
  return make_batch(std::span<const GraphData* const>(pointers));
}

}  // namespace gat::inline GAT_PRECISION
