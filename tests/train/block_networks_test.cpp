// Networks of blocks in training, from description to score.
#include "nn/block_networks.hpp"
#include "catch.hpp"
#include "train/tiny_task.hpp"

using namespace gat;

namespace {

double accuracy_after(const NetworkDescription& description, const test::TinyTask& task) {
  const Network network(description);
  TrainOptions options;
  options.epochs = 100;
  options.stop = StopRule::none;
  options.adam.learning_rate = 0.01;
  options.seed = 3;
  const PreparedGraph prepared = task.prepared();
  const TrainResult result = train(network, prepared, task.labels, task.split, options);
  ModelDescription model;
  model.network = description;
  Workspace workspace;
  const Matrix logits = Model(model, result.weights).class_logits(prepared, workspace);
  return evaluate(logits, task.labels, task.split.test).metrics.accuracy;
}

}  // namespace

TEST_CASE("networks of every form of blocks learn two groups of nodes", "[train][builder]") {
  test::TinyTask task;
  task.split = {{0, 1, 2, 6, 7, 8}, {3, 9}, {4, 5, 10, 11}};  // two labels alone leave room for chance
  for (const BlockForm form : test::kForms) {
    for (const NormKind norm :
         {NormKind::none, NormKind::layer_norm, NormKind::graph_layer_norm, NormKind::batch_norm}) {
      INFO(name_of(form) << ", norm " << name_of(norm));
      BlockNetworkOptions options = test::block_options(form);
      options.num_outputs = 2;
      options.norm = norm;
      CHECK(accuracy_after(block_network(options), task) == 1);
    }
  }
}
