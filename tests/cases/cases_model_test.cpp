// Reported faults about models and their files: B31, B32, B41.
#include <malloc.h>

#include "cases/probe.hpp"
#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/io/file.hpp"
#include "gat/io/safetensors.hpp"
#include "gat/train/trainer.hpp"
#include "io/temporary_folder.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::same_bits;

namespace {

// 1433 features → 8 heads of width 8 → 7 classes.
Network cora_network(bool score_bias) {
  const auto layer = [&](std::int64_t heads, std::int64_t dim) {
    return test::gat_step({{"num_heads", heads}, {"head_dim", dim}, {"score_bias", score_bias}});
  };
  return Network({1433, 0, {layer(8, 8), layer(1, 7)}});
}

// malloc fills new memory with this byte, as MALLOC_PERTURB_ does.
class FilledMemory {
 public:
  FilledMemory() { mallopt(M_PERTURB, 165); }
  ~FilledMemory() { mallopt(M_PERTURB, 0); }
  FilledMemory(const FilledMemory&) = delete;
  FilledMemory& operator=(const FilledMemory&) = delete;
};

}  // namespace

TEST_CASE("B31: a reloaded model predicts the same bits under the same class names", "[cases][model_file]") {
  const TemporaryFolder folder;
  const Model model = test::small_model();
  const GraphData data = test::random_data(40, 4);
  model.save(folder / "model.safetensors");
  const Model loaded = Model::load(folder / "model.safetensors");
  CHECK(same_bits(test::predict(loaded, data), test::predict(model, data)));
  CHECK(loaded.description().class_names == std::vector<std::string>{"b", "a"});
  CHECK(loaded.description().graph_policy.self_loops == SelfLoops::as_given);
  CHECK(loaded.description().input_transform == InputTransform::row_normalize);
  CHECK(loaded.description().network == model.description().network);
}

TEST_CASE("B31: a renamed tensor is named, and a truncated file gives no model", "[cases][model_file]") {
  const TemporaryFolder folder;
  test::small_model().save(folder / "model");
  TensorFile file = read_safetensors(folder / "model");
  const std::string name = file.tensors.front().name;
  file.tensors.front().name = "renamed";
  write_safetensors(folder / "renamed", file);
  CHECK(lacking(message_of([&] { Model::load(folder / "renamed"); }), {"\"" + name + "\"", "missing"}) == "");
  const std::string bytes = read_file(folder / "model");
  write_plainly(folder / "cut", bytes.substr(0, bytes.size() / 2));
  CHECK_THROWS_AS(Model::load(folder / "cut"), InputError);
}

TEST_CASE("B32: all parameters exist when the model is built, before and after a pass",
          "[cases][parameters]") {
  CHECK(cora_network(true).make_weights().num_parameters() == 92391);
  const Network network = cora_network(false);
  const Weights weights = initial_weights(network, 1);
  CHECK(weights.num_parameters() == 92373);
  const CsrGraph graph = test::graph_of(3, {{0, 1}, {1, 2}});
  const Blocks blocks = Blocks::whole(graph.view(), 2);
  const Matrix features(3, 1433);
  const auto run = test::run_network(network, weights, {blocks, features}, Mode::training, Matrix(3, 7));
  CHECK(weights.num_parameters() == 92373);
  CHECK(run.gradients.num_parameters() == 92373);
  CHECK(network.make_weights().num_parameters() == 92373);
}

TEST_CASE("B32: a thousand models start finite with biases 0 whatever memory held before",
          "[cases][parameters]") {
  const FilledMemory filled;
  const Network network = cora_network(true);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Weights weights = initial_weights(network, seed);
    REQUIRE(test::all_finite(test::all_values(weights)));
    for (Index p = 0; p < weights.count(); ++p) {
      if (weights.spec(p).group != DecayGroup::bias) continue;
      for (const Real b : weights.export_values(p)) REQUIRE(b == 0);
    }
  }
}

TEST_CASE("B41: row normalisation leaves zero rows zero and takes matrices without columns",
          "[cases][transform]") {
  Features features;
  features.dense = matrix_of({{2, 2}, {0, 0}});
  CHECK(same_bits(apply(InputTransform::row_normalize, features).dense, matrix_of({{0.5, 0.5}, {0, 0}})));
  Features sparse;
  sparse.sparse = test::sparse_copy(features.dense);
  sparse.is_sparse = true;
  const Features normalised = apply(InputTransform::row_normalize, sparse);
  CHECK(normalised.sparse.values == std::vector<Real>{Real(0.5), Real(0.5)});
  CHECK(normalised.sparse.row_offsets == std::vector<EdgeId>{0, 2, 2});
  // Negative numbers: the sum of absolute values divides.
  features.dense = matrix_of({{-1, 3}, {1, -1}});
  CHECK(same_bits(apply(InputTransform::row_normalize, features).dense,
                  matrix_of({{-0.25, 0.75}, {0.5, -0.5}})));
  features.dense = Matrix(4, 0);
  CHECK(apply(InputTransform::row_normalize, features).rows() == 4);
}
