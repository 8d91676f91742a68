#include "gat/nn/model.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/graph/edge_features.hpp"
#include "gat/kernels/loss.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Row k of `rows` is that of node nodes[k].
void to_given_order(std::span<const NodeId> nodes, ConstMatrixView rows, MatrixView given) {
  for (std::size_t k = 0; k < nodes.size(); ++k)
    std::copy_n(rows.row(static_cast<Index>(k)), rows.cols, given.row(nodes[k]));
}

}  // namespace

PreparedGraph::PreparedGraph(const GraphData& raw, const GraphPolicy& policy, InputTransform transform,
                             std::span<const PositionEncoding> positions, int num_threads)
    : policy_(policy), built_(rebuild_graph(raw.graph, policy)), features_(apply(transform, raw.features)) {
  raw.validate();
  if (!positions.empty())
    features_ = with_columns(std::move(features_), encode_positions(graph(), positions, num_threads));
  if (raw.has_edge_features()) edge_features_ = edge_features(raw.edge_features);
}

Matrix PreparedGraph::edge_features(ConstMatrixView user_rows) const {
  Matrix edges(graph().num_edges(), user_rows.cols);
  spread_edge_features(graph(), policy_, user_rows, edges);
  return edges;
}

void PreparedGraph::add_user_edge_gradient(ConstMatrixView edges, ConstMatrixView d_edges,
                                           MatrixView d_user_rows) const {
  gather_edge_gradient(graph(), policy_, edges, d_edges, d_user_rows);
}

void PreparedGraph::lay_out(Index row_bytes, const ReorderRule& rule) {
  laid_out_.reset();
  if (row_bytes < 1 || graph().bipartite()) return;
  const std::vector<NodeId> order = order_that_pays(graph(), row_bytes, rule);
  if (!order.empty()) lay_out(order);
}

void PreparedGraph::lay_out(std::span<const NodeId> order) {
  laid_out_ = Blocks::reordered(graph(), order, 1);
}

Model::Model(ModelDescription description, Weights weights)
    : description_(std::move(description)), network_(description_.network), weights_(std::move(weights)) {
  description_.network = network_.description();
  const Weights expected = network_.make_weights();
  const auto same = [](const ParameterSpec& a, const ParameterSpec& b) {
    return a.name == b.name && a.shape == b.shape;
  };
  if (!std::equal(expected.specs().begin(), expected.specs().end(), weights_.specs().begin(),
                  weights_.specs().end(), same)) {
    throw UsageError("the weights are not those of this network; make them with Network::make_weights");
  }
  if (!description_.class_names.empty() &&
      static_cast<Index>(description_.class_names.size()) != num_classes()) {
    throw UsageError("the model has " + std::to_string(num_classes()) + " outputs and " +
                     std::to_string(description_.class_names.size()) +
                     " class names; give one name per output");
  }
  if (position_width(description_.positions) > description_.network.num_features) {
    throw UsageError("the encodings of positions have " +
                     std::to_string(position_width(description_.positions)) + " columns, the network reads " +
                     std::to_string(description_.network.num_features) +
                     "; num_features counts the data's features and these columns");
  }
}

PreparedGraph Model::prepare(const GraphData& raw, Reorder reorder, int num_threads) const {
  const NetworkDescription& network = description_.network;
  const Index num_features = network.num_features - position_width(description_.positions);
  if (raw.num_features() != num_features) {
    throw ShapeError("the model was made for " + std::to_string(num_features) +
                     " node features, the data has " + std::to_string(raw.num_features()) +
                     "; use the data set it was trained on or train again");
  }
  if (network.edge_features > 0 && raw.edge_features.cols() != network.edge_features) {
    throw ShapeError("the model was made for " + std::to_string(network.edge_features) +
                     " edge features, the data has " + std::to_string(raw.edge_features.cols()));
  }
  network_.check_num_nodes(raw.num_nodes());
  PreparedGraph prepared(raw, description_.graph_policy, description_.input_transform, description_.positions,
                         num_threads);
  if (reorder == Reorder::automatic) prepared.lay_out(network_.gathered_row_bytes());
  return prepared;
}

Matrix Model::class_logits(const PreparedGraph& graph, Workspace& workspace, const Execution& execution,
                           std::span<const AttentionSink> attention,
                           std::span<const MatrixView> hidden) const {
  const Blocks blocks = Blocks::whole(graph.layout(), network_.num_steps());
  const NetworkInput input{blocks, graph.features(), graph.edge_features(), {}};
  Matrix logits(network_.num_outputs(blocks), num_classes());
  if (!graph.reordered()) {
    const Round round{
        .workspace = workspace, .execution = execution, .attention = attention, .hidden = hidden};
    network_.forward(round, weights_, input, logits);
    return logits;
  }
  const Workspace::Scope scope(workspace);
  const auto in_other_order = [&](std::size_t step, MatrixView given) {
    const auto k = static_cast<int>(step);
    if (given.empty() || network_.per_graph(k)) return given;
    return workspace.matrix(graph.graph().num_nodes(), network_.layer(k).output_width());
  };
  const std::size_t last = static_cast<std::size_t>(network_.num_steps()) - 1;
  const MatrixView rows = in_other_order(last, logits);
  std::vector<MatrixView> hidden_rows(hidden.size());
  for (std::size_t k = 0; k < hidden.size(); ++k) hidden_rows[k] = in_other_order(k, hidden[k]);
  const Round round{
      .workspace = workspace, .execution = execution, .attention = attention, .hidden = hidden_rows};
  network_.forward(round, weights_, input, rows);
  if (rows.data != logits.data()) to_given_order(blocks.input_rows(), rows, logits);
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    if (hidden_rows[k].data != hidden[k].data) to_given_order(blocks.input_rows(), hidden_rows[k], hidden[k]);
  }
  return logits;
}

Matrix Model::class_logits(const PreparedGraph& graph, std::span<const NodeId> nodes, Workspace& workspace,
                           const Execution& execution) const {
  if (network_.per_graph(network_.num_steps() - 1)) {
    throw UsageError("the model has one row of outputs per graph; chosen nodes have none of their own");
  }
  network_.check_num_nodes(graph.graph().num_nodes());
  if (nodes.empty()) return Matrix(0, num_classes());
  std::vector<NodeId> distinct;
  std::vector<Index> row_of(nodes.size());
  std::unordered_map<NodeId, Index> known;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto [entry, is_new] = known.emplace(nodes[k], static_cast<Index>(distinct.size()));
    if (is_new) distinct.push_back(nodes[k]);
    row_of[k] = entry->second;
  }
  const Blocks blocks = Blocks::receptive_field(graph.graph(), distinct, network_.reach(Mode::evaluation));
  Matrix rows(static_cast<Index>(distinct.size()), num_classes());
  const Round round{.workspace = workspace, .execution = execution};
  network_.forward(round, weights_, {blocks, graph.features(), graph.edge_features(), {}}, rows);
  Matrix logits(static_cast<Index>(nodes.size()), num_classes());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    std::copy_n(rows.row(row_of[k]), num_classes(), logits.row(static_cast<Index>(k)));
  }
  return logits;
}

void Model::to_probabilities(ConstMatrixView logits, MatrixView probabilities) const {
  if (description_.multi_label) sigmoid_elements(logits, probabilities);
  else softmax_rows(logits, probabilities);
}

}  // namespace gat::inline GAT_PRECISION
