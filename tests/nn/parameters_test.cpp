#include "gat/nn/parameters.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "gat/nn/layers/gat.hpp"
#include "numbers.hpp"

using namespace gat;

namespace {

ParameterSpec spec(Initializer initializer, Index out, Index in, bool transposed = true) {
  ParameterSpec s;
  s.name = "weight";
  s.shape = {out, in};
  s.rows = transposed ? in : out;
  s.cols = transposed ? out : in;
  s.transposed = transposed;
  s.initializer = initializer;
  s.in_width = in;
  s.num_heads = 4;
  s.head_dim = out / 4;
  return s;
}

const std::vector<Initializer> kUniform{
    Initializer::glorot_joined,         Initializer::glorot_per_head,
    Initializer::glorot_attention_rows, Initializer::glorot_attention_fan3d,
    Initializer::glorot_attention_half, Initializer::glorot_attention_joint,
    Initializer::uniform_fan_in};
const std::vector<Initializer> kNormal{Initializer::xavier_normal_relu, Initializer::xavier_normal_attention,
                                       Initializer::normal_embedding};

}  // namespace

TEST_CASE("the scale of every initialiser is that of its formula", "[nn][parameters][unit]") {
  // F = 10, H = 4, D = 5
  const auto scale = [](Initializer initializer) { return initial_scale(initializer, 10, 4, 5); };
  CHECK(scale(Initializer::zeros) == 0);
  CHECK(scale(Initializer::glorot_joined) == Approx(std::sqrt(0.2)));    // 6 / 30
  CHECK(scale(Initializer::glorot_per_head) == Approx(std::sqrt(0.4)));  // 6 / 15
  CHECK(scale(Initializer::glorot_attention_rows) == Approx(std::sqrt(6.0 / 9)));
  CHECK(scale(Initializer::glorot_attention_fan3d) == Approx(std::sqrt(0.24)));  // 6 / 25
  CHECK(scale(Initializer::glorot_attention_half) == Approx(1));                 // 6 / 6
  CHECK(scale(Initializer::glorot_attention_joint) == Approx(std::sqrt(6.0 / 11)));
  CHECK(scale(Initializer::xavier_normal_relu) == Approx(std::sqrt(4.0 / 30)));
  CHECK(scale(Initializer::xavier_normal_attention) == Approx(0.4));  // 2 / √25
  CHECK(scale(Initializer::uniform_fan_in) == Approx(1 / std::sqrt(10.0)));
  CHECK(scale(Initializer::normal_embedding) == 0.02);
}

TEST_CASE("uniform initial values fill their bounds and keep within", "[nn][parameters][property]") {
  for (const Initializer initializer : kUniform) {
    Weights weights({spec(initializer, 40, 50)});
    weights.initialize(RandomStream(3));
    const auto bound = static_cast<Real>(initial_scale(initializer, 50, 4, 10));
    const auto values = weights.values();
    CHECK(*std::max_element(values.begin(), values.end()) <= bound);
    CHECK(*std::min_element(values.begin(), values.end()) >= -bound);
    CHECK(*std::max_element(values.begin(), values.end()) > Real(0.99) * bound);
    CHECK(std::abs(std::accumulate(values.begin(), values.end(), 0.0) / 2000) <
          0.06 * static_cast<double>(bound));
  }
}

TEST_CASE("normal initial values have their standard deviation", "[nn][parameters][property]") {
  for (const Initializer initializer : kNormal) {
    Weights weights({spec(initializer, 40, 50)});
    weights.initialize(RandomStream(3));
    double squares = 0;
    for (const Real w : weights.values()) squares += static_cast<double>(w) * static_cast<double>(w);
    CHECK(std::sqrt(squares / 2000) == Approx(initial_scale(initializer, 50, 4, 10)).epsilon(0.07));
  }
}

TEST_CASE("initial values are decided by the seed, whatever the layout in memory",
          "[nn][parameters][determinism]") {
  Weights first({spec(Initializer::glorot_joined, 8, 5)});
  Weights same = first;
  Weights other = first;
  Weights untransposed({spec(Initializer::glorot_joined, 8, 5, false)});
  first.initialize(RandomStream(1));
  same.initialize(RandomStream(1));
  other.initialize(RandomStream(2));
  untransposed.initialize(RandomStream(1));
  CHECK(std::equal(first.values().begin(), first.values().end(), same.values().begin()));
  CHECK_FALSE(std::equal(first.values().begin(), first.values().end(), other.values().begin()));
  CHECK(first.export_values(0) == untransposed.export_values(0));
}

TEST_CASE("parameters of one set draw from streams of their own", "[nn][parameters][property]") {
  Weights weights({spec(Initializer::glorot_joined, 8, 5), spec(Initializer::glorot_joined, 8, 5)});
  weights.initialize(RandomStream(1));
  CHECK(weights.export_values(0) != weights.export_values(1));
}

TEST_CASE("a weight is stored transposed and travels in the file's order", "[nn][parameters][unit]") {
  Weights weights({spec(Initializer::zeros, 4, 2)});
  const std::vector<Real> file{1, 2, 3, 4, 5, 6, 7, 8};  // [4, 2]
  weights.import_values(0, file);
  CHECK(weights[0].rows == 2);
  CHECK(weights[0](1, 0) == 2);
  CHECK(weights[0](0, 3) == 7);
  CHECK(weights.export_values(0) == file);
}

TEST_CASE("weights are found by name and copied whole", "[nn][parameters][unit]") {
  ParameterSpec second = spec(Initializer::zeros, 4, 3);
  second.name = "other";
  Weights weights({spec(Initializer::zeros, 4, 2), second});
  CHECK(weights.count() == 2);
  CHECK(weights.num_parameters() == 20);
  CHECK(weights.find("other") == 1);
  CHECK(weights.find("none") == -1);
  const Weights copy = weights;
  weights.fill(3);
  CHECK(copy.export_values(1)[11] == 0);
  CHECK(weights.export_values(1)[11] == 3);
  CHECK(Weights().num_values() == 0);
}

TEST_CASE("the initial schemes are the original's, PyG's and DGL's", "[nn][parameters][gat_layer]") {
  const auto initializers = [](InitialScheme scheme) {
    GatLayerOptions options;
    options.initial = scheme;
    const GatLayer layer(options);
    const auto p = layer.parameters();
    return std::vector<Initializer>{p[0].initializer, p[1].initializer, p[2].initializer, p[3].initializer};
  };
  using I = Initializer;
  CHECK(initializers(InitialScheme::original) ==
        std::vector<I>{I::glorot_per_head, I::glorot_attention_half, I::glorot_attention_half, I::zeros});
  CHECK(initializers(InitialScheme::pyg) ==
        std::vector<I>{I::glorot_joined, I::glorot_attention_rows, I::glorot_attention_rows, I::zeros});
  CHECK(initializers(InitialScheme::dgl) == std::vector<I>{I::xavier_normal_relu, I::xavier_normal_attention,
                                                           I::xavier_normal_attention, I::zeros});
}
