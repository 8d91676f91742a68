// DictionaryLookup (Brody, Alon, Yahav 2022, section 4.1): k nodes hold a key and a value, k others ask for
// the value of a key each, and every asking node hears all the others. GAT ranks the neighbours alike for
// whoever asks, so it cannot look anything up; GATv2 can.
#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "examples/trained_network.hpp"
#include "gat/graph/disjoint_union.hpp"

namespace {

constexpr gat::Index kKeys = 10, kGraphsPerBatch = 50, kNodesPerGraph = 2 * kKeys;
constexpr gat::Index kTrainGraphs = 4000, kTestGraphs = 1000;
constexpr int kSteps = 2500;

using Dictionary = std::array<gat::NodeId, kKeys>;  // the value of each key

// Different dictionaries in random order, so any two parts of the list have none in common.
std::vector<Dictionary> make_dictionaries(gat::Index count, gat::RandomStream random) {
  std::vector<Dictionary> all;
  std::set<Dictionary> known;
  for (std::uint64_t drawn = 0; static_cast<gat::Index>(all.size()) < count; ++drawn) {
    Dictionary values;
    std::iota(values.begin(), values.end(), 0);
    random.derive(drawn).shuffle(values);
    if (known.insert(values).second) all.push_back(values);
  }
  return all;
}

// Complete bipartite graphs side by side. In each the first nodes ask and the others answer.
gat::CsrGraph make_graph() {
  std::vector<gat::EdgeId> row_offsets{0};
  std::vector<gat::NodeId> sources;
  for (gat::Index node = 0; node < kNodesPerGraph; ++node) {
    for (gat::Index key = 0; key < kKeys && node < kKeys; ++key)
      sources.push_back(static_cast<gat::NodeId>(kKeys + key));
    row_offsets.push_back(static_cast<gat::EdgeId>(sources.size()));
  }
  const gat::CsrGraph one = gat::CsrGraph::from_csr(row_offsets, sources, kNodesPerGraph);
  const std::vector<const gat::CsrGraph*> copies(static_cast<std::size_t>(kGraphsPerBatch), &one);
  return gat::disjoint_union(copies).graph;
}

// As many dictionaries as the graph has room for: features say key and, of those who know it, value.
class Batch {
 public:
  Batch()
      : graph_(make_graph()),
        blocks_(gat::Blocks::whole(graph_.view(), 2)),
        features_(graph_.num_nodes(), 2 * kKeys),
        classes_(static_cast<std::size_t>(graph_.num_nodes()), -1) {
    for (gat::Index node = 0; node < graph_.num_nodes(); ++node) {
      if (node % kNodesPerGraph < kKeys) asking_.push_back(static_cast<gat::NodeId>(node));
    }
  }

  void fill(const std::vector<Dictionary>& dictionaries, gat::Index first) {
    features_.view().fill(0);
    for (gat::Index g = 0; g < kGraphsPerBatch; ++g) {
      const Dictionary& values = dictionaries[static_cast<std::size_t>(first + g)];
      for (gat::Index key = 0; key < kKeys; ++key) {
        const gat::Index asks = g * kNodesPerGraph + key, knows = asks + kKeys;
        const gat::NodeId value = values[static_cast<std::size_t>(key)];
        features_(asks, key) = features_(knows, key) = features_(knows, kKeys + value) = 1;
        classes_[static_cast<std::size_t>(asks)] = value;
      }
    }
  }
  gat::NetworkInput input() const { return {blocks_, features_}; }
  std::span<const gat::NodeId> asking() const { return asking_; }
  std::span<const gat::NodeId> classes() const { return classes_; }

 private:
  gat::CsrGraph graph_;
  gat::Blocks blocks_;
  gat::Matrix features_;
  std::vector<gat::NodeId> classes_, asking_;
};

// One head of width 128, one map for both sides, no biases (their setting), then the classes.
gat::NetworkDescription make_network(const char* score) {
  gat::LayerDescription attention, output;
  attention.kind = "attention";
  attention.options = {{"score", std::string(score)},   {"num_heads", std::int64_t(1)},
                       {"head_dim", std::int64_t(128)}, {"query", std::string("shared")},
                       {"projection_bias", false},      {"bias", false}};
  output.kind = "linear";
  output.options = {{"out_features", std::int64_t(kKeys)}};
  return {2 * kKeys, 0, {{attention, "attention", "features"}, {output, "output", "attention"}}};
}

double accuracy(example::TrainedNetwork& network, Batch& batch, const std::vector<Dictionary>& dictionaries,
                gat::Index first, gat::Index count) {
  gat::Index correct = 0;
  for (gat::Index at = first; at < first + count; at += kGraphsPerBatch) {
    batch.fill(dictionaries, at);
    correct += network.count_correct(batch.input(), batch.asking(), batch.classes());
  }
  return static_cast<double>(correct) / static_cast<double>(count * kKeys);
}

struct Accuracies {
  double train = 0, test = 0;
};

Accuracies learn(const char* score, const std::vector<Dictionary>& dictionaries) {
  gat::AdamOptions adam;
  adam.learning_rate = 0.003;
  example::TrainedNetwork network(make_network(score), adam, gat::RandomStream(0));
  Batch batch;
  for (gat::Index step = 0; step < kSteps; ++step) {
    batch.fill(dictionaries, step * kGraphsPerBatch % kTrainGraphs);
    network.add_gradient(batch.input(), batch.asking(), batch.classes());
    network.step();
  }
  return {accuracy(network, batch, dictionaries, 0, kTrainGraphs),
          accuracy(network, batch, dictionaries, kTrainGraphs, kTestGraphs)};
}

}  // namespace

int main() {
  const std::vector<Dictionary> dictionaries =
      make_dictionaries(kTrainGraphs + kTestGraphs, gat::RandomStream(1));
  std::printf("%d keys, one head: share of values found\n", static_cast<int>(kKeys));
  std::printf("score   train     unseen dictionaries\n");
  const Accuracies v2 = learn("gatv2", dictionaries);
  std::printf("gatv2   %.4f    %.4f\n", v2.train, v2.test);
  const Accuracies v1 = learn("gat", dictionaries);
  std::printf("gat     %.4f    %.4f\n", v1.train, v1.test);
  const bool holds = v2.train == 1 && v2.test == 1 && v1.train < 0.6 && v1.test < 0.6;
  std::printf("gatv2 finds all, gat fewer than 0.6: %s\n", holds ? "as expected" : "NOT as expected");
  return holds ? 0 : 1;
}
