// gat embed: the rows of one layer, for every node.
#include <algorithm>
#include <string>

#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "output/rows.hpp"
#include "run/model_on_data.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

int chosen_layer(const Network& network, std::int64_t layer) {
  if (layer < 0) return std::max(0, network.num_steps() - 2);
  if (layer < network.num_steps()) return static_cast<int>(layer);
  throw UsageError("--layer: the model has the layers 0.." + std::to_string(network.num_steps() - 1));
}

}  // namespace

int run_embed(const Call& call) {
  const ModelOnData on = load_model_on_data(call);
  const Network& network = on.model.network();
  const int layer = chosen_layer(network, call.settings.layer);
  Matrix rows_of_layer(on.dataset.num_nodes(), network.layer(layer).output_width());
  std::vector<MatrixView> hidden(static_cast<std::size_t>(network.num_steps()));
  hidden[static_cast<std::size_t>(layer)] = rows_of_layer;
  Workspace workspace;
  on.model.class_logits(on.graph, workspace, on.execution, {}, hidden);

  std::vector<std::string> columns{"node", "id"};
  for (Index c = 0; c < rows_of_layer.cols(); ++c) columns.push_back("h" + std::to_string(c));
  const auto sink = open_sink(call.settings.output_file);
  RowWriter rows(*sink, call.settings.json ? RowFormat::json : row_format_named(call.settings.output_format),
                 columns);
  for (Index i = 0; i < rows_of_layer.rows(); ++i) {
    rows.integer(i).text(on.dataset.node_name(static_cast<NodeId>(i)));
    for (Index c = 0; c < rows_of_layer.cols(); ++c) rows.number(rows_of_layer(i, c));
    rows.end_row();
  }
  rows.finish();
  return kDone;
}

}  // namespace gat::app
