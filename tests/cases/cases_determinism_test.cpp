// Reported faults about bits that change from run to run: B07 and B29.
#include "cases/probe.hpp"
#include "catch.hpp"
#include "nn/models.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::Probe;
using gat::test::ProbeResult;
using gat::test::same_bits;

namespace {

constexpr int kThreads[] = {1, 2, 7, 16};

// Two layers whose dropouts are all of one probability.
Network dropping_network(double p) {
  const auto layer = [&](std::int64_t heads, std::int64_t dim) {
    return test::gat_step({{"num_heads", heads},
                           {"head_dim", dim},
                           {"feature_dropout", p},
                           {"value_dropout", p},
                           {"attention_dropout", p}});
  };
  return Network({10, 0, {layer(4, 4), layer(1, 3)}});
}

}  // namespace

TEST_CASE("B07: prediction applies no dropout of any kind", "[cases][dropout]") {
  const test::RandomTask task;
  const Network network = dropping_network(0.6);
  const PreparedGraph prepared = task.prepared();
  const Weights weights = train(network, prepared, task.labels, task.split, test::short_run(5)).weights;
  const Model model({network.description(), {}, {}, false, {}, {}}, weights);
  const Model without({dropping_network(0).description(), {}, {}, false, {}, {}}, weights);
  Workspace workspace;
  const Matrix first = model.class_logits(prepared, workspace);
  const Matrix second = model.class_logits(prepared, workspace);
  const Matrix third = without.class_logits(prepared, workspace);
  CHECK(same_bits(first, second));
  CHECK(same_bits(first, third));
  CHECK(evaluate(first, task.labels, task.split.validation).loss ==
        evaluate(third, task.labels, task.split.validation).loss);
}

TEST_CASE("B07: the validation score of an epoch is that of a prediction", "[cases][dropout]") {
  const test::RandomTask task;
  const Network network = dropping_network(0.6);
  const PreparedGraph prepared = task.prepared();
  test::Recorder recorder;
  TrainObserver* const observers[] = {&recorder};
  TrainOptions options = test::short_run(3);
  options.stop = StopRule::none;
  const Weights weights = train(network, prepared, task.labels, task.split, options, observers).weights;
  const Model model({network.description(), {}, {}, false, {}, {}}, weights);
  Workspace workspace;
  const Evaluation evaluation =
      evaluate(model.class_logits(prepared, workspace), task.labels, task.split.validation);
  CHECK(recorder.records.back().validation_loss == evaluation.loss);
  CHECK(recorder.records.back().validation_accuracy == evaluation.metrics.accuracy);
}

TEST_CASE("B29: the gradient of a star's centre is exactly the number of its edges", "[cases][determinism]") {
  test::Edges star;
  Matrix h(1001, 1);
  for (NodeId k = 1; k <= 1000; ++k) star.emplace_back(0, k);
  const CsrGraph graph = test::graph_of(1001, star);
  for (const int threads : kThreads) {
    Probe probe = Probe::zero_scores();
    probe.num_threads = threads;
    const ProbeResult r = probe.run(graph, h);
    CHECK(r.d_source(0, 0) == 1000);
    CHECK(r.statistics.largest_team == threads);
  }
}

TEST_CASE("B29: a thousand sources into one node give equal bits for any number of threads",
          "[cases][determinism]") {
  test::Edges edges;
  Matrix h(1001, 1);
  for (NodeId k = 1; k <= 1000; ++k) {
    edges.emplace_back(k, 0);
    h(k, 0) = Real(0.1) * static_cast<Real>(k);
  }
  const CsrGraph graph = test::graph_of(1001, edges);
  const ProbeResult serial = Probe::p1(1, 0).run(graph, h);
  for (const int threads : kThreads) {
    Probe probe = Probe::p1(1, 0);
    probe.num_threads = threads;
    const ProbeResult r = probe.run(graph, h);
    CHECK(r.statistics.largest_team == threads);
    CHECK(same_bits(r.out, serial.out));
    CHECK(same_bits(r.d_source, serial.d_source));
    CHECK(same_bits(test::all_values(r.gradients), test::all_values(serial.gradients)));
  }
}

TEST_CASE("B29: one seed trains to the same bits twice, another one does not", "[cases][determinism]") {
  const test::RandomTask task;
  const Network network = dropping_network(0.6);
  const auto weights = [&](std::uint64_t seed) {
    return train(network, task.prepared(), task.labels, task.split, test::short_run(20, seed)).weights;
  };
  const Weights first = weights(1);
  CHECK(same_bits(test::all_values(weights(1)), test::all_values(first)));
  CHECK_FALSE(same_bits(test::all_values(weights(2)), test::all_values(first)));
}
