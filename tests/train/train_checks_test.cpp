// What train() refuses before it starts.
#include "catch.hpp"
#include "data/expectations.hpp"
#include "train/tiny_task.hpp"

using namespace gat;
using gat::test::TinyTask;

namespace {

// The message with which a spoilt task is refused; empty when it trains.
template <class Change>
std::string refusal(const Change& change) {
  TinyTask task;
  TrainOptions options = test::short_run(1);
  change(task, options);
  return message_of(
      [&] { train(test::plain_network(4, 2), task.prepared(), task.labels, task.split, options); });
}

void make_multi_label(TinyTask& task, Index columns = 2) {
  task.labels.classes.clear();
  task.labels.targets = Matrix(12, columns);
}

using Task = TinyTask;
using Options = TrainOptions;

}  // namespace

TEST_CASE("training needs labels, training nodes and what its rule watches", "[train][trainer][check]") {
  CHECK(refusal([](Task&, Options&) {}).empty());
  CHECK(lacking(refusal([](Task& t, Options&) { t.labels = {}; }), {"no labels"}) == "");
  CHECK(lacking(refusal([](Task& t, Options&) { t.split.train.clear(); }), {"no training nodes"}) == "");
  CHECK(lacking(refusal([](Task& t, Options&) { t.labels.classes.assign(12, kNoLabel); }),
                {"none of the", "has a label"}) == "");
  for (const StopRule rule : {StopRule::paper, StopRule::accuracy, StopRule::loss}) {
    CHECK(lacking(refusal([&](Task& t, Options& o) { t.split.validation.clear(), o.stop = rule; }),
                  {std::string(name_of(rule)), "validation nodes", "\"none\""}) == "");
  }
  CHECK(refusal([](Task& t, Options& o) { t.split.validation.clear(), o.stop = StopRule::none; }).empty());
}

TEST_CASE("a loss that does not fit the labels is refused", "[train][trainer][check]") {
  CHECK(lacking(refusal([](Task&, Options& o) { o.loss.kind = LossKind::sigmoid; }),
                {"sigmoid", "one class", "softmax"}) == "");
  CHECK(lacking(refusal([](Task& t, Options& o) { make_multi_label(t), o.loss.kind = LossKind::softmax; }),
                {"softmax", "2 columns", "sigmoid"}) == "");
  CHECK(refusal([](Task& t, Options& o) { make_multi_label(t), o.loss.kind = LossKind::sigmoid; }).empty());
  CHECK(refusal([](Task&, Options& o) { o.loss.kind = LossKind::softmax; }).empty());
}

TEST_CASE("labels that do not fit the graph or the network are refused with both sizes",
          "[train][trainer][check]") {
  CHECK(lacking(refusal([](Task& t, Options&) { t.labels.classes.pop_back(); }), {"11 labels", "12 nodes"}) ==
        "");
  CHECK(lacking(refusal([](Task& t, Options&) { t.labels.classes[3] = 2; }), {"class 2", "2 outputs"}) == "");
  CHECK(lacking(refusal([](Task& t, Options&) { make_multi_label(t, 3); }), {"3 columns", "2 outputs"}) ==
        "");
  CHECK(refusal([](Task& t, Options&) { t.labels.classes[3] = kNoLabel; }).empty());
}

TEST_CASE("weights of classes that do not fit are refused by name", "[train][trainer][check]") {
  CHECK(lacking(refusal([](Task&, Options& o) { o.loss.class_weights = {1}; }),
                {"class_weights", "1 numbers", "2 classes"}) == "");
  CHECK(lacking(refusal([](Task&, Options& o) { o.loss.class_weights = {1, -1}; }), {"class_weights"}) == "");
  CHECK(lacking(refusal([](Task& t, Options& o) {
                  make_multi_label(t), o.loss.positive_weights = {1, INFINITY};
                }),
                {"positive_weights"}) == "");
  CHECK(lacking(refusal([](Task& t, Options& o) {
                  make_multi_label(t), o.loss.positive_weights = {1, 2, 3};
                }),
                {"positive_weights", "3 numbers"}) == "");
}

TEST_CASE("options of training that are out of range are refused by name", "[train][trainer][options]") {
  CHECK(lacking(refusal([](Task&, Options& o) { o.epochs = 0; }), {"epochs is 0"}) == "");
  CHECK(lacking(refusal([](Task&, Options& o) { o.patience = 0; }), {"patience is 0"}) == "");
  CHECK(lacking(refusal([](Task&, Options& o) { o.execution = 0; }), {"num_threads is 0"}) == "");
  CHECK(lacking(refusal([](Task&, Options& o) { o.loss.label_smoothing = 1; }), {"label_smoothing"}) == "");
  CHECK(lacking(refusal([](Task&, Options& o) { o.adam.learning_rate = -1; }), {"learning_rate"}) == "");
}

TEST_CASE("nodes of a split outside the graph are refused", "[train][trainer][check]") {
  for (const bool prune : {true, false}) {
    CHECK(lacking(refusal([&](Task& t, Options& o) {
                    t.split.train = {0, 12}, o.prune = prune;
                  }),
                  {"training node 12", "0..11"}) == "");
    CHECK(lacking(refusal([&](Task& t, Options& o) { t.split.validation = {-1}, o.prune = prune; }),
                  {"validation node -1"}) == "");
  }
}

TEST_CASE("loss kinds have names", "[train][trainer][names]") {
  for (const char* name : {"auto", "softmax", "sigmoid"}) CHECK(name_of(loss_kind_named(name)) == name);
  CHECK_THROWS_AS(loss_kind_named("hinge"), UsageError);
}

TEST_CASE("a graph with more nodes than learned positions is refused even where training sees few of them",
          "[train][trainer][check]") {
  TinyTask task;
  task.split.train = {0};
  task.split.validation.clear();
  TrainOptions options = test::short_run(1);
  options.stop = StopRule::none;
  const auto refused = [&](std::int64_t num_positions) {
    const Network network({4,
                           0,
                           {{{"learned_positions", {{"num_positions", num_positions}}}, "p", "features"},
                            test::gat_step({{"num_heads", 1}, {"head_dim", 2}}, "gat")}});
    return message_of([&] { train(network, task.prepared(), task.labels, task.split, options); });
  };
  CHECK(refused(12).empty());
  CHECK(lacking(refused(11), {"learned_positions layer", "has 12 nodes", "11 positions"}) == "");
}
