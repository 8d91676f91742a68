/// Tasks that can be learned in a moment, and one call that trains on them.
#pragma once

#include "gat/train/trainer.hpp"
#include "nn/networks.hpp"

namespace gat::test {

/// Two groups of six nodes, complete within, one edge between; a feature says the group, with noise.
struct TinyTask {
  GraphData data;
  Labels labels;
  Split split{{0, 6}, {1, 2, 7, 8}, {3, 4, 5, 9, 10, 11}};

  TinyTask() {
    Edges edges{{0, 6}, {6, 0}};
    for (NodeId i = 0; i < 12; ++i) {
      for (NodeId j = 0; j < 12; ++j) {
        if (i != j && i / 6 == j / 6) edges.emplace_back(i, j);
      }
      labels.classes.push_back(i / 6);
    }
    data.graph = graph_of(12, edges);
    data.features.dense = random_matrix(12, 4, 1);
    for (Index i = 0; i < 12; ++i) data.features.dense(i, i / 6) += 2;
  }

  PreparedGraph prepared() const { return PreparedGraph(data, GraphPolicy{}, InputTransform::none); }
};

/// A larger random one, on which epochs differ from each other.
struct RandomTask {
  GraphData data;
  Labels labels;
  Split split;

  explicit RandomTask(Index num_nodes = 120) {
    data.graph = random_graph(num_nodes, 4 * num_nodes, 3);
    data.features.dense = random_half_empty(num_nodes, 10, 4);
    const RandomStream stream(5);
    for (Index i = 0; i < num_nodes; ++i) {
      const auto k = static_cast<std::uint64_t>(i);
      labels.classes.push_back(stream.uniform(k) < 0.7 ? static_cast<NodeId>(i % 3)
                                                       : static_cast<NodeId>(stream.below(k + 1000, 3)));
      data.features.dense(i, i % 3) += 1;
      (i % 4 == 0   ? split.train
       : i % 4 == 1 ? split.validation
                    : split.test)
          .push_back(static_cast<NodeId>(i));
    }
  }

  PreparedGraph prepared() const { return PreparedGraph(data, GraphPolicy{}, InputTransform::row_normalize); }
};

/// Two layers without dropout.
inline Network plain_network(Index num_features, std::int64_t num_classes) {
  return Network({num_features,
                  0,
                  {gat_step({{"num_heads", 2}, {"head_dim", 4}, {"activation", std::string("elu")}}),
                   gat_step({{"num_heads", 1}, {"head_dim", num_classes}})}});
}

inline TrainOptions short_run(int epochs, std::uint64_t seed = 1) {
  TrainOptions options;
  options.epochs = epochs;
  options.adam.learning_rate = 0.01;
  options.seed = seed;
  return options;
}

/// Keeps every record.
class Recorder final : public TrainObserver {
 public:
  void epoch_finished(const EpochRecord& record, const Weights&, TrainControl&) override {
    records.push_back(record);
  }
  std::vector<EpochRecord> records;
};

}  // namespace gat::test
