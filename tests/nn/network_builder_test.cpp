#include "gat/nn/network_builder.hpp"

#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "nn/block_networks.hpp"

using namespace gat;
using gat::test::block_options;
using gat::test::kForms;

namespace {

// "name kind(inputs)" of every step.
std::vector<std::string> outline(const NetworkDescription& network) {
  std::vector<std::string> lines;
  for (const Step& step : network.steps) {
    std::string line = step.name + " " + step.layer.kind + "(";
    for (const std::string& name : step.inputs.names()) line += (line.back() == '(' ? "" : ", ") + name;
    lines.push_back(line + ")");
  }
  return lines;
}

std::vector<std::string> outline_of(BlockForm form) {
  BlockNetworkOptions options = block_options(form);
  options.num_blocks = 1;
  options.dropout = 0;
  return outline(block_network(options));
}

}  // namespace

TEST_CASE("GAT-sep concatenates a node's own features to its aggregate before the output map",
          "[nn][builder][unit]") {
  CHECK(outline_of(BlockForm::separate) ==
        std::vector<std::string>{"input linear(features)", "blocks.0.norm layer_norm(input)",
                                 "blocks.0.attention gat(blocks.0.norm)",
                                 "blocks.0.both concat(blocks.0.norm, blocks.0.attention)",
                                 "blocks.0.feed_forward feed_forward(blocks.0.both)",
                                 "blocks.0.sum add(blocks.0.feed_forward, input)",
                                 "norm layer_norm(blocks.0.sum)", "output linear(norm)"});
}

TEST_CASE("pre-norm blocks normalise before each part, post-norm blocks after each sum",
          "[nn][builder][unit]") {
  CHECK(outline_of(BlockForm::pre_norm) ==
        std::vector<std::string>{"input linear(features)", "blocks.0.attention_norm layer_norm(input)",
                                 "blocks.0.attention gat(blocks.0.attention_norm)",
                                 "blocks.0.attention_sum add(blocks.0.attention, input)",
                                 "blocks.0.norm layer_norm(blocks.0.attention_sum)",
                                 "blocks.0.feed_forward feed_forward(blocks.0.norm)",
                                 "blocks.0.sum add(blocks.0.feed_forward, blocks.0.attention_sum)",
                                 "norm layer_norm(blocks.0.sum)", "output linear(norm)"});
  CHECK(outline_of(BlockForm::post_norm) ==
        std::vector<std::string>{"input linear(features)", "blocks.0.attention gat(input)",
                                 "blocks.0.attention_sum add(blocks.0.attention, input)",
                                 "blocks.0.attention_norm layer_norm(blocks.0.attention_sum)",
                                 "blocks.0.feed_forward feed_forward(blocks.0.attention_norm)",
                                 "blocks.0.sum add(blocks.0.feed_forward, blocks.0.attention_norm)",
                                 "blocks.0.norm layer_norm(blocks.0.sum)", "output linear(blocks.0.norm)"});
}

TEST_CASE("GPS sums attention over edges and over all nodes", "[nn][builder][unit]") {
  BlockNetworkOptions options = block_options(BlockForm::gps);
  options.num_blocks = 1;
  const NetworkDescription network = block_network(options);
  for (const Step& step : network.steps)
    CHECK((step.edges == StepEdges::complete) == (step.name == "blocks.0.global_attention"));
  const auto lines = outline(network);
  const auto has = [&](const char* line) { return std::count(lines.begin(), lines.end(), line) == 1; };
  CHECK(has("blocks.0.attention_dropout dropout(blocks.0.attention)"));
  CHECK(has("blocks.0.global_attention gat(input)"));
  CHECK(has("blocks.0.global_sum add(blocks.0.global_dropout, input)"));
  CHECK(has("blocks.0.both add(blocks.0.attention_norm, blocks.0.global_norm)"));
}

TEST_CASE("a GPS block gives the numbers worked out by hand", "[nn][builder][unit]") {
  // Features 0, 1, 2; node 1 receives from 0 and 2, node 2 from 1, node 0 from itself.
  const CsrGraph graph = test::graph_of(3, {{0, 0}, {0, 1}, {2, 1}, {1, 2}});
  BlockNetworkOptions options;
  options.num_features = options.hidden = options.num_outputs = options.num_blocks = 1;
  options.form = BlockForm::gps;
  options.attention =
      options.global_attention = {"gat", {{"num_heads", std::int64_t(1)}, {"head_dim", std::int64_t(1)}}};
  options.norm = NormKind::batch_norm;
  options.activation = {ActivationKind::relu, 1};
  options.feed_forward_factor = 2;
  options.input_map = false;
  const Network network(block_network(options));
  Weights weights = network.make_weights();
  weights.fill(0);
  const auto set = [&](const std::string& name, std::vector<double> values) {
    const std::vector<Real> reals(values.begin(), values.end());
    const Index number = weights.find(name);
    REQUIRE(number >= 0);
    weights.import_values(number, reals);
  };
  // N(v) = gain · (v − mean) + shift: the variance and its epsilon sum to 1.
  const auto set_norm = [&](const std::string& name, double gain, double mean, double shift) {
    set(name + ".gain", {gain});
    set(name + ".shift", {shift});
    set(name + ".running_mean", {mean});
    set(name + ".running_variance", {1 - 1e-5});
  };
  // A: z = x, shares as 2^x. Node 1: (1 · 0 + 4 · 2)/5 = 1.6; nodes 0 and 2 have one source: 0, 1. And 0.4.
  set("blocks.0.attention.weight", {1});
  set("blocks.0.attention.a_src", {std::log(2.0)});
  set("blocks.0.attention.bias", {0.4});
  // G: z = 0.7 x, shares as 2^x = 1, 2, 4 of all nodes: 0.7 (1 · 0 + 2 · 1 + 4 · 2)/7 = 1 everywhere.
  set("blocks.0.global_attention.weight", {0.7});
  set("blocks.0.global_attention.a_src", {std::log(2.0) / 0.7});
  // x + A = 0.4, 3, 3.4, normalised 2 v − 1 = −0.2, 5, 5.8; x + G = 1, 2, 3, and 0.2: 1.2, 2.2, 3.2.
  set_norm("blocks.0.attention_norm", 2, 1, 1);
  set_norm("blocks.0.global_norm", 1, 0, 0.2);
  // y = 1, 7.2, 9. F = 0.5 max(0, y − 2) − max(0, 3 − y) + 0.1 = −1.9, 2.7, 3.6.
  set("blocks.0.feed_forward.hidden.weight", {1, -1});
  set("blocks.0.feed_forward.hidden.bias", {-2, 3});
  set("blocks.0.feed_forward.output.weight", {0.5, -1});
  set("blocks.0.feed_forward.output.bias", {0.1});
  // y + F = −0.9, 9.9, 12.6; less 0.9 and halved −0.9, 4.5, 5.85; the output is 2 v + 1.
  set_norm("blocks.0.norm", 0.5, 0.9, 0);
  set("output.weight", {2});
  set("output.bias", {1});
  const Blocks blocks = Blocks::whole(graph.view(), network.num_steps());
  const Matrix features = test::column_of({0, 1, 2});
  const Matrix out = test::run_network(network, weights, {blocks, features}, Mode::evaluation).class_logits;
  CHECK(test::relative_difference(out, test::column_of({-0.8, 10, 12.7})) < 1e-6);
}

TEST_CASE("classic blocks put norm, activation and dropout behind the sum", "[nn][builder][unit]") {
  BlockNetworkOptions options = block_options(BlockForm::classic);
  options.num_blocks = 2;
  options.norm = NormKind::batch_norm;
  options.jumping = JumpingKnowledge::sum;
  const auto lines = outline(block_network(options));
  CHECK(std::vector(lines.begin() + 1, lines.begin() + 6) ==
        std::vector<std::string>{
            "blocks.0.attention gat(input)", "blocks.0.sum add(blocks.0.attention, input)",
            "blocks.0.norm batch_norm(blocks.0.sum)", "blocks.0.activation activation(blocks.0.norm)",
            "blocks.0.dropout dropout(blocks.0.activation)"});
  CHECK(lines[lines.size() - 2] == "jumping add(blocks.0.dropout, blocks.1.dropout)");
}

TEST_CASE("jumping knowledge reads every block, a readout follows it", "[nn][builder][unit]") {
  for (const JumpingKnowledge jumping : {JumpingKnowledge::concat, JumpingKnowledge::max}) {
    BlockNetworkOptions options = block_options(BlockForm::plain);
    options.jumping = jumping;
    options.readout = Pooling::attention;
    const Network network(block_network(options));
    const auto lines = outline(network.description());
    CHECK(lines[lines.size() - 3] ==
          "jumping " + std::string(name_of(jumping)) + "(blocks.0.activation, blocks.1.activation)");
    CHECK(network.per_graph(network.num_steps() - 1));
    const Index width = jumping == JumpingKnowledge::concat ? 12 : 6;
    CHECK(network.input_widths(network.num_steps() - 2) == std::vector<Index>{width});
  }
}

TEST_CASE("jumping knowledge by an LSTM keeps the width of the blocks", "[nn][builder][unit]") {
  BlockNetworkOptions options = block_options(BlockForm::plain);
  options.jumping = JumpingKnowledge::lstm;
  const Network network(block_network(options));
  const int last = network.num_steps() - 1;
  CHECK(outline(network.description())[static_cast<std::size_t>(last) - 1] ==
        "jumping lstm_attention(blocks.0.activation, blocks.1.activation)");
  CHECK(network.input_widths(last) == std::vector<Index>{6});
}

TEST_CASE("learned positions are added to what the first block reads, or are columns of the features",
          "[nn][builder][unit]") {
  BlockNetworkOptions options = block_options(BlockForm::plain);
  options.num_blocks = 1;
  options.positions.emplace();
  CHECK(outline(block_network(options)) ==
        std::vector<std::string>{"input linear(features)", "positions learned_positions(input)",
                                 "blocks.0.attention gat(positions)",
                                 "blocks.0.activation activation(blocks.0.attention)",
                                 "output linear(blocks.0.activation)"});
  options.positions->join = PositionJoin::concat;
  options.positions->width = 3;
  const Network network(block_network(options));
  CHECK(outline(network.description())[0] == "positions learned_positions(features)");
  CHECK(outline(network.description())[1] == "input linear(positions)");
  CHECK(network.input_widths(1) == std::vector<Index>{7});
}

TEST_CASE("a plain stack is its layers in order", "[nn][builder][unit]") {
  const LayerDescription gat{"gat", {}}, linear{"linear", {{"out_features", std::int64_t(3)}}};
  CHECK(outline(plain_stack(5, 0, {gat, linear})) ==
        std::vector<std::string>{"layers.0 gat(features)", "layers.1 linear(layers.0)"});
  CHECK(Network(plain_stack(5, 0, {gat, linear})).output_width() == 3);
}

TEST_CASE("a norm of blocks is by node, by graph or by column", "[nn][builder][unit]") {
  const auto norm_of = [](NormKind kind) {
    NetworkBuilder builder(4, 0);
    builder.norm("norm", kind, "features");
    return builder.description().steps.at(0).layer;
  };
  CHECK(norm_of(NormKind::layer_norm) == LayerDescription{"layer_norm", {}});
  CHECK(norm_of(NormKind::graph_layer_norm) ==
        LayerDescription{"layer_norm", {{"mode", std::string("graph")}}});
  CHECK(norm_of(NormKind::batch_norm) == LayerDescription{"batch_norm", {}});
  CHECK(NetworkBuilder(4, 0).norm("norm", NormKind::none, "features") == "features");
  for (const NormKind kind :
       {NormKind::none, NormKind::layer_norm, NormKind::graph_layer_norm, NormKind::batch_norm})
    CHECK(norm_kind_named(name_of(kind)) == kind);
}

TEST_CASE("every form of blocks gives chosen nodes the rows of the whole graph", "[nn][builder][blocks]") {
  const CsrGraph graph = test::random_graph(40, 60, 1);
  const Matrix features = test::random_matrix(40, 4, 2);
  const std::vector<NodeId> nodes{7, 3, 20};
  for (const BlockForm form : kForms) {
    for (const NormKind norm : {NormKind::layer_norm, NormKind::graph_layer_norm, NormKind::batch_norm}) {
      INFO(name_of(form) << ", norm " << name_of(norm));
      BlockNetworkOptions options = block_options(form);
      options.norm = norm;
      const Network network(block_network(options));
      const Weights weights = test::random_weights(network);
      const Blocks whole = Blocks::whole(graph.view(), network.num_steps());
      const Blocks part = Blocks::receptive_field(graph, nodes, network.reach(Mode::evaluation));
      const Matrix all =
          test::run_network(network, weights, {whole, features}, Mode::evaluation).class_logits;
      const Matrix rows =
          test::run_network(network, weights, {part, features}, Mode::evaluation).class_logits;
      const Matrix expected = test::rows_of(all, nodes);
      if (form == BlockForm::gps) CHECK(test::relative_difference(rows, expected) < 1e-5);
      else CHECK(test::same_bits(rows, expected));
    }
  }
}

TEST_CASE("options of block networks that are out of range are refused by name", "[nn][builder][options]") {
  const auto refusal = [](const auto& change) {
    BlockNetworkOptions options = block_options(BlockForm::plain);
    change(options);
    return message_of([&] { block_network(options); });
  };
  CHECK(refusal([](auto&) {}).empty());
  CHECK(lacking(refusal([](auto& o) { o.num_blocks = 0; }), {"num_blocks is 0"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.hidden = 0; }), {"hidden is 0"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.num_outputs = 0; }), {"num_outputs is 0"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.dropout = 1; }), {"dropout"}) == "");
  CHECK(lacking(refusal([](auto& o) { o.feed_forward_factor = 0; }), {"feed_forward_factor"}) == "");
  for (const BlockForm form : kForms) CHECK(block_form_named(name_of(form)) == form);
  CHECK_THROWS_AS(block_form_named("seperate"), UsageError);
  CHECK_THROWS_AS(norm_kind_named("layers"), UsageError);
  CHECK_THROWS_AS(jumping_knowledge_named("gru"), UsageError);
}
