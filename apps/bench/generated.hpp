/// Generated graphs, networks and training tasks of stated shapes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/training_steps.hpp"
#include "bench/yardsticks.hpp"
#include "gat/data/generate_power_law.hpp"
#include "gat/nn/layers/gat.hpp"

namespace gat::app {

/// Numbers uniform in [−1, 1).
Matrix random_matrix(Index rows, Index cols, std::uint64_t seed);

struct LayerShape {
  int num_heads = 1;
  Index head_dim = 1;
  HeadMerge merge = HeadMerge::concat;
};

/// PyG-like layers of the original paper: ELU between them, one dropout probability for inputs and
/// coefficients, one input mask for all heads.
NetworkDescription gat_network(Index num_features, std::span<const LayerShape> layers, double dropout);

/// A power-law graph with random features and labels; `share_labelled` of the nodes train.
struct GeneratedData {
  GeneratedData(const std::string& graph_name, const PowerLawOptions& options, Index num_features,
                Index num_classes, double share_labelled);
  GeneratedData(const GeneratedData&) = delete;

  Index num_edges() const { return graph.num_edges(); }

  CsrGraph graph;
  BenchGraph named;
  Matrix features;
  Labels labels;
  std::vector<NodeId> train;
};

/// A network with a state of training on generated data, on the whole graph: as given, or laid out in an
/// order of its nodes.
struct GeneratedTraining {
  GeneratedTraining(const GeneratedData& data, const NetworkDescription& description,
                    std::span<const NodeId> order = {});
  GeneratedTraining(const GeneratedTraining&) = delete;

  Network network;
  TrainingSteps steps;
};

}  // namespace gat::app
