#include "gat/nn/layers/batch_norm.hpp"

#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::column_of;
using gat::test::relative_difference;
using gat::test::same_bits;

namespace {

// One column with gain 1, shift 0, running mean 0 and running variance 1.
struct Column {
  Column() { weights.initialize(RandomStream(1)); }
  Matrix forward(const Matrix& x, Mode mode) {
    const GraphView rows = GraphView::rows(x.rows());
    LayerInput input;
    input.source = x;
    Matrix out(x.rows(), 1);
    layer.forward({.graph = rows, .weights = weights, .workspace = workspace, .mode = mode, .tape = &tape},
                  input, out);
    return out;
  }
  void commit() { layer.commit(tape, weights); }
  double number(const char* name) { return static_cast<double>(weights[weights.find(name)](0, 0)); }

  BatchNormLayer layer{BatchNormOptions()};
  Weights weights = layer.make_weights();
  Tape tape;
  Workspace workspace;
};

}  // namespace

TEST_CASE("batch norm divides by the deviation of the batch in training and by the running one in evaluation",
          "[nn][batch_norm][unit]") {
  Column column;
  const double one = 1 / std::sqrt(1 + 1e-5);
  CHECK(relative_difference(column.forward(column_of({1, 3}), Mode::training), column_of({-one, one})) <
        1e-6);
  CHECK(relative_difference(column.forward(column_of({1, 3}), Mode::evaluation), column_of({one, 3 * one})) <
        1e-6);
}

TEST_CASE("a commit moves the running statistics once, by the momentum, with the unbiased variance",
          "[nn][batch_norm][unit]") {
  Column column;
  column.commit();  // nothing to learn yet
  CHECK(column.number("running_mean") == 0);
  column.forward(column_of({1, 3}), Mode::training);
  CHECK(column.number("running_mean") == 0);
  for (int k = 0; k < 2; ++k) {
    column.commit();
    CHECK(column.number("running_mean") == Approx(0.1 * 2));
    CHECK(column.number("running_variance") == Approx(0.9 * 1 + 0.1 * 2));
  }
  column.forward(column_of({1, 3}), Mode::evaluation);
  column.commit();
  CHECK(column.number("running_mean") == Approx(0.2));
}

TEST_CASE("a batch of one row is normalised by the running statistics and teaches nothing",
          "[nn][batch_norm][unit]") {
  Column column;
  CHECK(same_bits(column.forward(column_of({5}), Mode::training),
                  column.forward(column_of({5}), Mode::evaluation)));
  column.forward(column_of({5}), Mode::training);
  column.commit();
  CHECK(column.number("running_mean") == 0);
  CHECK(column.number("running_variance") == 1);
}

TEST_CASE("running statistics are parameters of the file that are not trained", "[nn][batch_norm][unit]") {
  const Column column;
  REQUIRE(column.weights.count() == 4);
  CHECK(column.weights.num_parameters() == 2);
  for (const ParameterSpec& spec : column.weights.specs()) {
    CHECK(spec.group == DecayGroup::norm);
    CHECK(spec.trained == (spec.name == "gain" || spec.name == "shift"));
  }
}

TEST_CASE("options of norms that are out of range are refused by name", "[nn][batch_norm][options]") {
  const auto refusal = [](const auto& change) {
    BatchNormOptions options;
    change(options);
    return message_of([&] { BatchNormLayer{options}; });
  };
  CHECK(refusal([](auto&) {}).empty());
  CHECK(lacking(refusal([](auto& o) { o.epsilon = 0; }), {"epsilon"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.momentum = 1.5; }), {"momentum", "[0, 1]"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.in_features = 0; }), {"column"}) == "");
}
