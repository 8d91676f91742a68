#include "gat/nn/layers/learned_positions.hpp"

#include <algorithm>
#include <string>

#include "core/named_values.hpp"
#include "core/parallel.hpp"
#include "gat/core/error.hpp"
#include "gat/kernels/combine.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<PositionJoin, 2> kJoins{{{PositionJoin::add, "add"}, {PositionJoin::concat, "concat"}}};

// A row of features, dense or sparse, as dense numbers.
void write_row(const FeatureView& features, Index row, Real* to) {
  const Index stored = features.stored_row(row);
  if (!features.is_sparse()) {
    std::copy_n(features.dense.row(stored), features.dense.cols, to);
    return;
  }
  const CsrView& sparse = features.sparse;
  std::fill_n(to, sparse.cols, Real(0));
  const auto at = static_cast<std::size_t>(stored);
  for (auto e = static_cast<std::size_t>(sparse.row_offsets[at]);
       e < static_cast<std::size_t>(sparse.row_offsets[at + 1]); ++e)
    to[sparse.column_indices[e]] += sparse.values[e];
}

// The position of each row: the number of its node in the whole graph, or in its graph of a batch.
class RowPositions {
 public:
  explicit RowPositions(const GraphView& graph) : ids_(graph.arrays().node_ids) {
    const auto begins = graph.arrays().segment_begins;
    if (begins.empty()) return;
    in_graph_.reserve(static_cast<std::size_t>(graph.num_sources()));
    for (std::size_t s = 1; s < begins.size(); ++s) {
      for (Index row = begins[s - 1].source; row < begins[s].source; ++row)
        in_graph_.push_back(static_cast<NodeId>(row - begins[s - 1].source));
    }
    ids_ = in_graph_;
  }
  RowPositions(const RowPositions&) = delete;
  RowPositions& operator=(const RowPositions&) = delete;
  Index operator[](Index row) const { return ids_.empty() ? row : ids_[static_cast<std::size_t>(row)]; }

 private:
  std::vector<NodeId> in_graph_;
  std::span<const NodeId> ids_;  // empty: the rows' own numbers
};

// \param known  "at least " where the nodes are only some of those of the graph
void refuse_nodes(const char* known, Index nodes, Index num_positions) {
  throw ShapeError("learned_positions layer: the graph has " + std::string(known) + std::to_string(nodes) +
                   " nodes, the layer has " + std::to_string(num_positions) +
                   " positions; use a graph of at most that many nodes, or train with num_positions of " +
                   std::to_string(nodes) + " or more");
}

void check_rows(const GraphView& graph, Index num_positions) {
  const auto ids = graph.arrays().node_ids;
  const auto begins = graph.arrays().segment_begins;
  Index nodes = ids.empty() ? graph.num_sources() : Index{*std::max_element(ids.begin(), ids.end())} + 1;
  if (!begins.empty()) nodes = 0;
  for (std::size_t s = 1; s < begins.size(); ++s)
    nodes = std::max(nodes, begins[s].source - begins[s - 1].source);
  if (nodes > num_positions) refuse_nodes(ids.empty() ? "" : "at least ", nodes, num_positions);
}

}  // namespace

std::string_view name_of(PositionJoin value) { return name_in(kJoins, value); }
PositionJoin position_join_named(std::string_view name) {
  return value_in(kJoins, name, "join of learned positions");
}

void LearnedPositionsOptions::validate() const {
  const std::string layer = "learned_positions layer: ";
  if (in_features < 0) throw UsageError(layer + "in_features cannot be negative");
  if (num_positions < 1)
    throw UsageError(layer + "num_positions is " + std::to_string(num_positions) + "; it is at least 1");
  if (join == PositionJoin::concat && width < 1)
    throw UsageError(layer + "width is " + std::to_string(width) + "; it is at least 1");
  if (join == PositionJoin::add && in_features == 0)
    throw UsageError(layer + "there are no features to add positions to; use join \"concat\"");
}

LayerDescription LearnedPositionsOptions::describe() const {
  return {"learned_positions",
          {{"num_positions", num_positions}, {"join", std::string(name_of(join))}, {"width", width}}};
}

LearnedPositionsLayer::LearnedPositionsLayer(const LearnedPositionsOptions& options) : options_(options) {
  options_.validate();
  const bool added = options.join == PositionJoin::add;
  first_column_ = added ? 0 : options.in_features;
  ParameterSpec table;
  table.name = "weight";
  table.rows = options.num_positions;
  table.cols = added ? options.in_features : options.width;
  table.shape = {table.rows, table.cols};
  table.initializer = Initializer::normal_embedding;
  parameters_.push_back(std::move(table));
}

Index LearnedPositionsLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_features("learned_positions", graph, input, options_.in_features);
  check_rows(graph, options_.num_positions);
  return output_width();
}

void LearnedPositionsLayer::check_num_nodes(Index num_nodes) const {
  if (num_nodes > options_.num_positions) refuse_nodes("", num_nodes, options_.num_positions);
}

void LearnedPositionsLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const ConstMatrixView table = c.weights[0];
  const bool added = options_.join == PositionJoin::add;
  const RowPositions positions(c.graph);
  parallel_for(c.execution.num_threads, output.rows, output.cols, [&](Index first, Index last, int) {
    for (Index r = first; r < last; ++r) {
      write_row(input.source, r, output.row(r));
      const Real* p = table.row(positions[r]);
      Real* to = output.row(r) + first_column_;
      if (!added) std::copy_n(p, table.cols, to);
      for (Index k = 0; k < table.cols && added; ++k) to[k] += p[k];
    }
  });
}

// Threads share the columns: one that had rows of its own would meet others where a hand-made block lists a
// node twice.
void LearnedPositionsLayer::backward(const Context& c, const LayerInput& /*input*/,
                                     ConstMatrixView /*output*/, ConstMatrixView d_output,
                                     const InputGradient& d_input, const Gradients& gradients) const {
  const MatrixView d_table = gradients[0];
  const RowPositions positions(c.graph);
  const Index groups = (d_table.cols + kLanes - 1) / kLanes;
  const auto add = [&](Index first, Index last, int) {
    const Index begin = first * kLanes, end = std::min(last * kLanes, d_table.cols);
    for (Index r = 0; r < d_output.rows; ++r) {
      const Real* d = d_output.row(r) + first_column_;
      Real* to = d_table.row(positions[r]);
      for (Index k = begin; k < end; ++k) to[k] += d[k];
    }
  };
  const int team = parallel_for(c.execution.num_threads, groups, d_output.rows * kLanes, add);
  c.workspace.statistics.largest_team = std::max(c.workspace.statistics.largest_team, team);
  const RowGradient d_x = first_rows(d_input.input(0), d_output.rows);
  if (!d_x.rows.empty())
    copy_rows(d_output.columns(0, options_.in_features), d_x.rows, !d_x.is_new, c.execution);
}

std::unique_ptr<Layer> LearnedPositionsLayer::from_description(const LayerDescription& description,
                                                               Index in_features, Index /*edge_features*/) {
  LearnedPositionsOptions o;
  o.in_features = in_features;
  OptionReader options(description);
  std::string join(name_of(o.join));
  options.read("num_positions", o.num_positions);
  options.read("join", join);
  options.read("width", o.width);
  options.finish();
  o.join = position_join_named(join);
  return std::make_unique<LearnedPositionsLayer>(o);
}

}  // namespace gat::inline GAT_PRECISION
