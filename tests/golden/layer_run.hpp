/// One layer on one golden vector: the graph and inputs of the file, forward in both modes, backward, and
/// the comparison of everything the file holds.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gat/graph/graph_builder.hpp"
#include "gat/nn/layer.hpp"
#include "golden/golden_case.hpp"
#include "golden/vector_file.hpp"

namespace golden {

/// The policy that the options add_self_loops, fill_kind and fill_const state.
gat::GraphPolicy policy_of(GoldenCase& c);
/// The list of edges first becomes a graph as it is and then the graph of the layer, as in training.
gat::CsrGraph graph_of(GoldenCase& c, const gat::GraphPolicy& policy);
/// Why options that are common to layers cannot be run: flags that are neither 0 nor 1, unknown fills.
std::string unsupported_layer(const VectorFile& file, std::span<const std::string_view> flags);

class LayerRun {
 public:
  using Names = std::map<std::string, std::string, std::less<>>;

  /// \param names  the name in the file of each of the layer's parameters; parameters without one are
  ///               imported and compared by the caller
  LayerRun(GoldenCase& golden_case, std::unique_ptr<gat::Layer> layer, Names names);

  const gat::CsrGraph& graph() const { return graph_; }
  gat::Weights& weights() { return weights_; }
  gat::Layer& layer() { return *layer_; }

  /// Inputs by the names of their arrays, of two dimensions or of three (rows, heads, width).
  void read_source(const char* name) { source_.read(c_, name); }
  void read_destination(const char* name) { destination_.read(c_, name); }
  void read_values(const char* name) { values_.read(c_, name); }
  void no_destination() { input_.destination = gat::Destinations::none(); }
  void read_edge_features(const char* name);
  /// edge_mask of the file, by our edge ids.
  void read_mask();
  void use_score(const gat::CustomScore& score) { input_.custom_score = &score; }
  /// Runs on another view of the same edges.
  void use_view(const gat::GraphView& view) { view_ = view; }

  /// Forward in evaluation: compares `out`. \return the coefficients by edge id of the view
  gat::Matrix evaluate(std::string_view route = "evaluation", bool masked = true);
  /// Forward and backward in training: compares out, the coefficients as `alpha` (unless it is empty), the
  /// gradients of inputs and of named parameters. \return gradients of all parameters
  gat::Weights train(std::string_view route = "", const char* alpha = "alpha");
  /// The same with CSR features; inputs have no gradients then.
  void train_sparse();
  /// What the last forward wrote: logits, α, m·α by edge id.
  const gat::Matrix& logits() const { return logits_; }
  const gat::Matrix& attention() const { return attention_; }
  const gat::Matrix& weighted() const { return weighted_; }

  /// Compares numbers by edge id of the stored graph with an array in the order of the file.
  void compare_by_edge(std::string_view name, gat::ConstMatrixView by_edge, std::string_view route = {});
  void compare_gradient(std::string_view name, const gat::Weights& gradients, std::string_view parameter,
                        const std::function<double(double)>& change = {});
  /// The edge of our graph that edge k of the file became.
  gat::EdgeId edge_of(gat::Index k) const { return graph_.edge_of_user()[static_cast<std::size_t>(k)]; }

 private:
  struct Side {
    void read(GoldenCase& c, const char* array);
    void compare(GoldenCase& c) const;
    bool given() const { return !name.empty(); }

    std::string name;
    gat::Matrix numbers, gradient;
    std::vector<gat::Index> shape;
  };

  void read_parameters();
  gat::LayerInput input() const;
  gat::Context context(gat::Mode mode, gat::Tape* tape, const gat::AttentionSink* sink);
  gat::AttentionSink sink();
  gat::Weights train(const gat::LayerInput& input, const gat::InputGradient& d_input, std::string_view route,
                     const char* alpha);
  std::vector<std::size_t> golden_order() const;
  void compare_edges();

  GoldenCase& c_;
  gat::GraphPolicy policy_;
  gat::CsrGraph graph_;
  gat::GraphView view_;
  std::unique_ptr<gat::Layer> layer_;
  Names names_;
  gat::Weights weights_;
  gat::LayerInput input_;
  Side source_, destination_, values_;
  gat::Matrix user_edges_, edges_, d_edges_, upstream_;
  std::vector<std::uint8_t> mask_;
  gat::Matrix logits_, attention_, weighted_;
  gat::Workspace workspace_;
};

}  // namespace golden
