// Training with the rows of the whole graph in another order against the order given.
#include <algorithm>

#include "catch.hpp"
#include "gat/data/generate_power_law.hpp"
#include "gat/kernels/head_layout.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::Recorder;

namespace {

constexpr Index kNodes = 3000;
constexpr Index kFeatures = 12;

// Communities that the given order scatters; the classes follow them.
struct CommunityTask {
  GraphData data;
  Labels labels;
  Split split;

  explicit CommunityTask(bool sparse) {
    PowerLawOptions options;
    options.num_nodes = kNodes;
    options.num_edges = 30000;
    options.community_share = 0.8;
    options.community_size = 150;
    options.max_degree = 200;
    const PowerLawGraph drawn = generate_power_law(options);
    data.graph = drawn.graph;
    Matrix features = test::random_half_empty(kNodes, kFeatures, 4);
    for (Index i = 0; i < kNodes; ++i) {
      labels.classes.push_back(drawn.communities[static_cast<std::size_t>(i)] % 3);
      features(i, labels.classes.back()) += 1;
      (i % 2 == 0 ? split.train : split.validation).push_back(static_cast<NodeId>(i));
    }
    std::reverse(split.train.begin(), split.train.end());
    data.features.is_sparse = sparse;
    if (sparse) data.features.sparse = test::sparse_copy(features);
    else data.features.dense = features;
  }
  PreparedGraph prepared() const { return PreparedGraph(data, GraphPolicy{}, InputTransform::none); }
};

// Rows of 8 × 128 numbers: too many for small caches. All dropouts in the first layer.
Network wide_network() {
  return Network({kFeatures,
                  0,
                  {test::gat_step({{"num_heads", 8},
                                   {"head_dim", 128},
                                   {"activation", std::string("elu")},
                                   {"feature_dropout", 0.3},
                                   {"value_dropout", 0.2},
                                   {"attention_dropout", 0.3}}),
                   test::gat_step({{"num_heads", 1}, {"head_dim", 3}})}});
}

struct Run {
  TrainResult result;
  std::vector<EpochRecord> records;
  Matrix logits;
};

Run run(const Network& network, const PreparedGraph& graph, const CommunityTask& task, Reorder reorder,
        bool prune = false) {
  TrainOptions options = test::short_run(4);
  options.reorder = reorder;
  options.prune = prune;
  options.execution = 2;
  Recorder recorder;
  TrainObserver* const observers[] = {&recorder};
  Run run{train(network, graph, task.labels, task.split, options, observers), recorder.records, {}};
  const Model model({network.description(), {}, InputTransform::none, false, {}, {}}, run.result.weights);
  Workspace workspace;
  run.logits = model.class_logits(graph, workspace);
  return run;
}

void check_alike(const Run& a, const Run& b) {
  REQUIRE(a.records.size() == b.records.size());
  // Forward of the first epoch has no bit that an order could change.
  CHECK(a.records[0].train_loss == b.records[0].train_loss);
  for (std::size_t k = 0; k < a.records.size(); ++k) {
    CHECK(a.records[k].train_loss == Approx(b.records[k].train_loss).epsilon(1e-5));
    CHECK(a.records[k].validation_loss == Approx(b.records[k].validation_loss).epsilon(1e-5));
    CHECK(a.records[k].validation_accuracy == Approx(b.records[k].validation_accuracy).margin(0.002));
  }
  CHECK(test::relative_difference(a.logits, b.logits) < 1e-4);
}

bool same_weights(const Run& a, const Run& b) {
  return test::same_bits(test::all_values(a.result.weights), test::all_values(b.result.weights));
}

}  // namespace

TEST_CASE("the widest gathered row is that of the layer with most numbers", "[train][reorder][unit]") {
  CHECK(wide_network().gathered_row_bytes() == 8 * 128 * Index(sizeof(Real)));
  CHECK(test::plain_network(4, 3).gathered_row_bytes() == HeadLayout(1, 3).width() * Index(sizeof(Real)));
}

TEST_CASE("a large graph with communities is reordered and trains to the same losses and predictions",
          "[train][reorder][reference]") {
  const Network network = wide_network();
  for (const bool sparse : {false, true}) {
    INFO((sparse ? "sparse" : "dense") << " features");
    const CommunityTask task(sparse);
    const PreparedGraph graph = task.prepared();
    const Run reordered = run(network, graph, task, Reorder::automatic);
    const Run given = run(network, graph, task, Reorder::off);
    CHECK(reordered.result.training_rows == ComputedRows::reordered);
    CHECK(reordered.result.validation_rows == ComputedRows::reordered);
    CHECK(given.result.training_rows == ComputedRows::whole);
    check_alike(reordered, given);
    CHECK(same_weights(reordered, run(network, graph, task, Reorder::automatic)));
  }
}

TEST_CASE("an order that a graph is laid out in is taken, unless reordering is off", "[train][reorder]") {
  const CommunityTask task(false);
  const Network network = test::plain_network(kFeatures, 3);
  const PreparedGraph graph = task.prepared();
  PreparedGraph laid_out = task.prepared();
  std::vector<NodeId> order(static_cast<std::size_t>(kNodes));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<NodeId>(order.size() - 1 - k);
  laid_out.lay_out(order);
  const Run given = run(network, graph, task, Reorder::automatic);
  CHECK(given.result.training_rows == ComputedRows::whole);
  const Run taken = run(network, laid_out, task, Reorder::automatic);
  CHECK(taken.result.training_rows == ComputedRows::reordered);
  check_alike(taken, given);
  CHECK(same_weights(run(network, laid_out, task, Reorder::off), given));
}

TEST_CASE("small graphs and receptive fields are not reordered", "[train][reorder]") {
  CommunityTask task(false);
  const PreparedGraph graph = task.prepared();
  const Network narrow = test::plain_network(kFeatures, 3);
  CHECK(same_weights(run(narrow, graph, task, Reorder::automatic), run(narrow, graph, task, Reorder::off)));
  task.split.train.resize(2);
  task.split.validation.resize(2);
  const Run field = run(wide_network(), graph, task, Reorder::automatic, true);
  CHECK(field.result.training_rows == ComputedRows::pruned);
  CHECK(field.result.validation_rows == ComputedRows::pruned);
}
