// What a network is: its steps, what they read, and what their rows depend on. Its rounds are in
// network_run.cpp.
#include "gat/nn/network.hpp"

#include <algorithm>
#include <string>

#include "core/named_values.hpp"
#include "gat/kernels/head_layout.hpp"
#include "gat/nn/layers/table.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<StepEdges, 2> kStepEdges{
    {{StepEdges::graph, "graph"}, {StepEdges::complete, "complete"}}};

}  // namespace

std::string_view name_of(StepEdges value) { return name_in(kStepEdges, value); }
StepEdges step_edges_named(std::string_view name) { return value_in(kStepEdges, name, "edges of a step"); }

Network::Network(const NetworkDescription& description) : description_(description) {
  if (description.steps.empty()) throw UsageError("a network needs at least one layer");
  first_parameter_.push_back(0);
  for (std::size_t k = 0; k < description.steps.size(); ++k) {
    Step& step = description_.steps[k];
    if (step.name.empty()) step.name = "layers." + std::to_string(k);
    add_step(step, static_cast<int>(k));
  }
}

// The step called `name` among those before step `number`.
int Network::step_named(const Step& reader, const std::string& name, int number) const {
  if (name == "features") return kFeatures;
  const auto steps = description_.steps.begin();
  const auto found = std::find_if(steps, steps + number, [&](const Step& s) { return s.name == name; });
  if (found == steps + number) {
    throw UsageError("step \"" + reader.name + "\" reads \"" + name +
                     "\", which is no earlier step; the node features are called \"features\"");
  }
  return static_cast<int>(found - steps);
}

void Network::add_step(const Step& step, int number) {
  const auto steps = description_.steps.begin();
  if (step.name == "features" ||
      std::any_of(steps, steps + number, [&](const Step& s) { return s.name == step.name; })) {
    throw UsageError("the name \"" + step.name + "\" of a step is taken; give each step a name of its own");
  }
  std::vector<int> reads;
  for (const std::string& name : step.inputs.names()) reads.push_back(step_named(step, name, number));
  if (reads.empty()) reads.push_back(number - 1);  // of the first step, the features
  reads_.push_back(reads);
  const Index edge_features = step.edges == StepEdges::graph ? description_.edge_features : 0;
  const std::vector<Index> widths = input_widths(number);
  layers_.push_back(make_layer(step.layer, {widths, edge_features}));
  check_rows(step, number);
  per_graph_.push_back(reads_graphs(number) || layers_.back()->per_graph());
  first_parameter_.push_back(first_parameter_.back() +
                             static_cast<Index>(layers_.back()->parameters().size()));
}

// A step reads rows of nodes or rows of graphs, and only single rows of graphs.
void Network::check_rows(const Step& step, int number) const {
  const std::vector<int>& reads = reads_[static_cast<std::size_t>(number)];
  const auto is_graphs = [&](int read) { return read != kFeatures && per_graph(read); };
  if (!std::any_of(reads.begin(), reads.end(), is_graphs)) return;
  if (!std::all_of(reads.begin(), reads.end(), is_graphs)) {
    throw UsageError("step \"" + step.name + "\" reads rows of nodes and rows of graphs; read one kind");
  }
  const Layer& layer = *layers_.back();
  const bool by_row = layer.reach(Mode::training) != Reach::neighbourhood && layer.num_heads() == 0;
  if (!by_row || layer.per_graph() || step.edges != StepEdges::graph) {
    throw UsageError("step \"" + step.name + "\" of kind \"" + step.layer.kind +
                     "\" needs the nodes of a graph, but it stands after a readout");
  }
}

std::vector<Index> Network::input_widths(int step) const {
  std::vector<Index> widths;
  for (const int read : reads_[static_cast<std::size_t>(step)])
    widths.push_back(read == kFeatures ? description_.num_features : layer(read).output_width());
  return widths;
}

bool Network::reads_graphs(int step) const {
  const int read = reads_[static_cast<std::size_t>(step)].front();
  return read != kFeatures && per_graph(read);
}

std::vector<Reach> Network::reach(Mode mode) const {
  std::vector<Reach> result;
  for (int k = 0; k < num_steps(); ++k) {
    const bool complete = description_.steps[static_cast<std::size_t>(k)].edges == StepEdges::complete;
    result.push_back(complete ? Reach::whole_graph : layer(k).reach(mode));
  }
  return result;
}

int Network::num_edge_steps() const {
  const std::vector<Reach> reaches = reach(Mode::evaluation);
  return static_cast<int>(
      std::count_if(reaches.begin(), reaches.end(), [](Reach reach) { return reach != Reach::row; }));
}

bool Network::trains_on_whole_graph() const {
  return std::any_of(layers_.begin(), layers_.end(),
                     [](const auto& layer) { return layer->trains_on_whole_graph(); });
}

void Network::check_num_nodes(Index num_nodes) const {
  for (const auto& layer : layers_) layer->check_num_nodes(num_nodes);
}

Index Network::gathered_row_bytes() const {
  Index width = 0;
  for (const auto& layer : layers_) {
    for (const ParameterSpec& spec : layer->parameters()) {
      if (spec.num_heads == layer->num_heads())
        width = std::max(width, HeadLayout(spec.num_heads, spec.head_dim).width());
    }
  }
  return width * Index(sizeof(Real));
}

Weights Network::make_weights() const {
  std::vector<ParameterSpec> specs;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    for (ParameterSpec spec : layers_[k]->parameters()) {
      spec.name = description_.steps[k].name + "." + spec.name;
      specs.push_back(std::move(spec));
    }
  }
  return Weights(std::move(specs));
}

// The rows and edges that a step's layer sees.
GraphView Network::view(const Blocks& blocks, int step) const {
  const GraphView& nodes = blocks.layer(step);
  if (reads_graphs(step)) return GraphView::rows(nodes.num_segments());
  if (description_.steps[static_cast<std::size_t>(step)].edges == StepEdges::graph) return nodes;
  if (nodes.num_segments() == 1) return GraphView::complete(nodes);
  if (nodes.arrays().segment_begins.empty()) {
    throw UsageError("step \"" + description_.steps[static_cast<std::size_t>(step)].name +
                     "\" joins all pairs of nodes of each graph, but the batch does not say where its graphs "
                     "begin; make its view with SegmentPointer::attach");
  }
  return GraphView::complete_segments(nodes);
}

Index Network::result_rows(const GraphView& view, int step) const {
  return layer(step).per_graph() ? view.num_segments() : view.num_destinations();
}

Index Network::num_outputs(const Blocks& blocks) const {
  const int last = num_steps() - 1;
  return result_rows(view(blocks, last), last);
}

}  // namespace gat::inline GAT_PRECISION
