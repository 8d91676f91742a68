/// Layers in sequence over named intermediate results; a description without numbers.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// What a step reads: nothing named (the result of the step before), one result, or several.
class InputNames {
 public:
  InputNames() = default;
  InputNames(const char* name) : InputNames(std::string(name)) {}
  /// An empty name names nothing.
  InputNames(std::string name) {
    if (!name.empty()) names_.push_back(std::move(name));
  }
  InputNames(std::initializer_list<std::string> names) : names_(names) {}
  InputNames(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::vector<std::string>& names() const { return names_; }
  bool operator==(const InputNames&) const = default;

 private:
  std::vector<std::string> names_;
};

/// Which edges a step's layer sees.
enum class StepEdges {
  graph,    ///< those of the graph
  complete  ///< all pairs of nodes of a graph, as in global attention; never stored, without edge features
            ///< and terms. A batch of several graphs needs views with `segment_begins`
};

/// One use of a layer: it reads `inputs` and its result is called `name`.
struct Step {
  LayerDescription layer;
  std::string name;   ///< empty = "layers.<number>"; also the prefix of the layer's parameters
  InputNames inputs;  ///< earlier names or "features"
  StepEdges edges = StepEdges::graph;

  bool operator==(const Step&) const = default;
};

struct NetworkDescription {
  Index num_features = 0;   ///< width of the node features
  Index edge_features = 0;  ///< width of the edge features, 0 = none
  std::vector<Step> steps;

  bool operator==(const NetworkDescription&) const = default;
};

/// What a network reads, by the numbers of the whole graph.
struct NetworkInput {
  const Blocks& blocks;                ///< one view per step
  FeatureView features = {};           ///< one row per node of the whole graph
  ConstMatrixView edge_features = {};  ///< one row per edge of the whole graph; may be empty
  EdgeTerms edges = {};                ///< of every step that sees the edges of the graph
  /// Of sparse features, optional: `columns_of` the rows that the first layer reads, for gradients.
  CsrView feature_columns = {};
};

/// Memory of one training run: results and tapes of all steps.
struct NetworkTape {
  ConstMatrixView class_logits;  ///< where forward wrote them; they must be there until backward
  std::vector<Tape> layers;
  std::vector<Matrix> results;
  std::vector<Matrix> d_results;  ///< memory for gradients of results; several may share one
};

/// Seconds that each step took; rounds add to them.
struct StepTimes {
  std::vector<double> forward_seconds, backward_seconds;  ///< one per step
};

/// How one round runs: `{.workspace = workspace}` is an evaluation on one thread.
struct Round {
  Workspace& workspace;
  Mode mode = Mode::evaluation;
  RandomStream random = {};  ///< seed and epoch
  Execution execution = {};
  NetworkTape* tape = nullptr;                    ///< needed when backward follows
  std::span<const AttentionSink> attention = {};  ///< empty, or one per step
  std::span<const MatrixView> hidden = {};        ///< empty, or one per step: empty views and views that
                                                  ///< receive a copy of the step's result
  StepTimes* times = nullptr;                     ///< null: no clock is read
  std::span<const double> loss = {};              ///< of backward: as in `Context`
  std::span<const double> baseline = {};          ///< of backward: as in `Context`
};

class Network {
 public:
  /// \throws UsageError for an unknown kind of layer, option or name
  explicit Network(const NetworkDescription& description);

  const NetworkDescription& description() const { return description_; }
  int num_steps() const { return static_cast<int>(layers_.size()); }
  /// Columns of a step's inputs.
  std::vector<Index> input_widths(int step) const;
  const Layer& layer(int step) const { return *layers_[static_cast<std::size_t>(step)]; }
  Index output_width() const { return layers_.back()->output_width(); }
  /// Whether the result of a step has one row per graph (after a readout) instead of one per node.
  bool per_graph(int step) const { return per_graph_[static_cast<std::size_t>(step)]; }
  /// Rows of the class logits.
  Index num_outputs(const Blocks& blocks) const;
  /// Steps that read the rows of neighbours.
  int num_edge_steps() const;
  /// What each step's rows depend on; the argument of Blocks::receptive_field.
  std::vector<Reach> reach(Mode mode) const;
  /// Whether a layer trains on the whole graph alone (Layer::trains_on_whole_graph): on no receptive field.
  bool trains_on_whole_graph() const;
  /// Bytes of the widest row that attention gathers per edge; 0 without attention. The argument of
  /// order_that_pays (gat/graph/reorder.hpp).
  Index gathered_row_bytes() const;
  /// \throws ShapeError when a layer does not serve a graph of so many nodes (Layer::check_num_nodes)
  void check_num_nodes(Index num_nodes) const;
  /// Zeros for all parameters, named "<step>.<parameter>".
  Weights make_weights() const;

  /// \param class_logits  num_outputs(blocks) × output_width(), overwritten
  /// \throws ShapeError, UsageError when the input does not fit
  void forward(const Round& round, const Weights& weights, const NetworkInput& input,
               MatrixView class_logits) const;
  /// Adds the gradients of all parameters; follows a forward with the same arguments and a tape.
  void backward(const Round& round, const Weights& weights, const NetworkInput& input,
                ConstMatrixView d_class_logits, Weights& gradients) const;
  /// What layers add to the loss (Layer::added_loss), from the tape of a forward in training mode.
  double added_loss(NetworkTape& tape) const;
  /// Writes running statistics of a forward in training mode to the weights (Layer::commit). To be called
  /// once per training step, after the optimiser or before it.
  void commit(NetworkTape& tape, Weights& weights) const;

 private:
  static constexpr int kFeatures = -1;

  struct StepInput;
  class Backward;

  void add_step(const Step& step, int number);
  void check_rows(const Step& step, int number) const;
  int step_named(const Step& reader, const std::string& name, int number) const;
  bool reads_graphs(int step) const;
  GraphView view(const Blocks& blocks, int step) const;
  Index result_rows(const GraphView& view, int step) const;
  Context context(const Round& round, const Weights& weights, const GraphView& view, int step) const;
  StepInput step_input(const NetworkInput& input, const std::vector<ConstMatrixView>& results,
                       const GraphView& view, int step) const;

  NetworkDescription description_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<std::vector<int>> reads_;  // steps whose results each step reads, or kFeatures
  std::vector<bool> per_graph_;          // of each step's result
  std::vector<Index> first_parameter_;   // of each step
};

std::string_view name_of(StepEdges value);
/// \throws UsageError for an unknown name, with the known ones
StepEdges step_edges_named(std::string_view name);

}  // namespace gat::inline GAT_PRECISION
