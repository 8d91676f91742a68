// gat attention: coefficients of every edge, layer and head, or of the edges into chosen nodes.
#include <string>

#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "output/rows.hpp"
#include "run/model_on_data.hpp"
#include "verbs/node_source.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

// The layers asked for, each with an E × H matrix of coefficients.
struct Coefficients {
  std::vector<int> layers;
  std::vector<Matrix> matrices;
  std::vector<AttentionSink> sinks;  // one per layer of the model
};

// Coefficients over all pairs of nodes are no edges of the graph.
bool has_coefficients(const Network& network, int step) {
  return network.layer(step).num_heads() > 0 &&
         network.description().steps[static_cast<std::size_t>(step)].edges == StepEdges::graph;
}

void check_layer(const Network& network, std::int64_t layer) {
  if (layer >= network.num_steps())
    throw UsageError("--layer: the model has the layers 0.." + std::to_string(network.num_steps() - 1));
  if (layer < 0 || has_coefficients(network, static_cast<int>(layer))) return;
  std::string known;
  for (int l = 0; l < network.num_steps(); ++l) {
    if (has_coefficients(network, l)) known += (known.empty() ? "" : ", ") + std::to_string(l);
  }
  throw UsageError("--layer: layer " + std::to_string(layer) +
                   " has no attention over edges; those that have: " + known);
}

Coefficients make_coefficients(const ModelOnData& on, std::int64_t layer) {
  const Network& network = on.model.network();
  check_layer(network, layer);
  Coefficients c;
  c.sinks.resize(static_cast<std::size_t>(network.num_steps()));
  c.matrices.resize(c.sinks.size());
  for (int l = 0; l < network.num_steps(); ++l) {
    if ((layer >= 0 && l != layer) || !has_coefficients(network, l)) continue;
    const auto at = static_cast<std::size_t>(l);
    c.layers.push_back(l);
    c.matrices[at].resize(on.graph.graph().num_edges(), network.layer(l).num_heads());
    c.sinks[at].attention = c.matrices[at];
  }
  return c;
}

void write_node(RowWriter& rows, const ModelOnData& on, const Coefficients& c, NodeId node) {
  const CsrGraph& graph = on.graph.graph();
  const EdgeRow edges = graph.in_edges(node);
  const std::string destination = on.dataset.node_name(node);
  for (Index k = 0; k < edges.count; ++k) {
    const EdgeId edge = edges.edge(k);
    const NodeId source = edges.node(k);
    const std::string source_name = on.dataset.node_name(source);
    for (const int layer : c.layers) {
      const Matrix& matrix = c.matrices[static_cast<std::size_t>(layer)];
      for (Index head = 0; head < matrix.cols(); ++head) {
        rows.text(source_name)
            .text(destination)
            .integer(graph.user_edge_ids()[static_cast<std::size_t>(edge)]);
        rows.integer(layer).integer(head).number(matrix(edge, head));
        rows.flag(source == node).flag(graph.is_reversed(edge)).end_row();
      }
    }
  }
}

}  // namespace

int run_attention(const Call& call) {
  const ModelOnData on = load_model_on_data(call);
  Coefficients coefficients = make_coefficients(on, call.settings.layer);
  NodeSource nodes(on.dataset, call.settings.nodes, call.settings.json);
  const auto sink = open_sink(call.settings.output_file);
  RowWriter rows(*sink, call.settings.json ? RowFormat::json : row_format_named(call.settings.output_format),
                 {"source", "destination", "edge", "layer", "head", "coefficient", "self_loop", "reversed"});
  Workspace workspace;
  on.model.class_logits(on.graph, workspace, on.execution, coefficients.sinks);
  for (std::vector<NodeId> batch; nodes.next(batch);) {
    for (const NodeId node : batch) write_node(rows, on, coefficients, node);
    sink->flush();
  }
  rows.finish();
  return kDone;
}

}  // namespace gat::app
