// Models of general attention layers: files, chosen nodes, parts and orders of the graph.
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "io/temporary_folder.hpp"
#include "nn/attention_run.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::Options;
using gat::test::random_data;
using gat::test::same_bits;

namespace {

Model attention_model(Options options) {
  options["num_heads"] = std::int64_t(2);
  options["head_dim"] = std::int64_t(3);
  options["key_dim"] = std::int64_t(3);
  Options last = options;
  last["output_dim"] = std::int64_t(2);
  ModelDescription d = test::small_description();
  d.network.steps = {{{"attention", options}, "", ""}, {{"attention", last}, "", ""}};
  return Model(d, test::random_weights(Network(d.network)));
}

// The options of every kind of layer whose results depend on where a node stands.
std::vector<Options> various_options() {
  std::vector<Options> all;
  for (const std::string& score : test::all_scores()) {
    if (score != "custom") all.push_back({{"score", score}});  // a caller's score is no part of a model
  }
  const std::string dot = "scaled_dot";
  all.push_back({{"score", dot}, {"selection", std::string("top-k")}, {"top_k", std::int64_t(2)}});
  all.push_back({{"score", dot}, {"selection", std::string("sampled")}});
  for (const char* const window : {"monotonic", "predictive"}) {
    for (const bool edges : {false, true}) {
      all.push_back({{"score", dot},
                     {"window", std::string(window)},
                     {"window_width", std::int64_t(12)},
                     {"window_edges", edges},
                     {"renormalize", edges}});
    }
  }
  return all;
}

void show(const Options& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += name + " ";
    if (std::holds_alternative<std::string>(value)) text += std::get<std::string>(value) + " ";
  }
  UNSCOPED_INFO(text);
}

}  // namespace

TEST_CASE("every kind of attention survives a model file", "[nn][attention][model_file]") {
  TemporaryFolder folder;
  const GraphData data = random_data(12, 4);
  for (const Options& options : various_options()) {
    show(options);
    const Model model = attention_model(options);
    model.save(folder / "model.gat");
    const Model again = Model::load(folder / "model.gat");
    CHECK(again.description().network == model.description().network);
    CHECK(same_bits(test::predict(again, data), test::predict(model, data)));
  }
}

TEST_CASE("chosen nodes have the same bits with every kind of attention", "[nn][attention][model]") {
  const GraphData data = random_data(40, 4);
  const std::vector<NodeId> nodes{31, 2, 17};
  for (const Options& options : various_options()) {
    show(options);
    const Model model = attention_model(options);
    const PreparedGraph graph = model.prepare(data);
    Workspace workspace;
    const Matrix all = model.class_logits(graph, workspace);
    CHECK(same_bits(model.class_logits(graph, nodes, workspace), test::rows_of(all, nodes)));
  }
}

TEST_CASE("another order of the rows leaves every node its bits with every kind of attention",
          "[nn][attention][model][reorder]") {
  const GraphData data = random_data(40, 4);
  std::vector<NodeId> order;
  for (NodeId i = 0; i < 40; ++i) order.push_back((7 * i + 3) % 40);
  for (const Options& options : various_options()) {
    show(options);
    const Model model = attention_model(options);
    const PreparedGraph graph = model.prepare(data, Reorder::off);
    PreparedGraph reordered = model.prepare(data, Reorder::off);
    reordered.lay_out(order);
    Workspace workspace;
    CHECK(same_bits(model.class_logits(reordered, workspace), model.class_logits(graph, workspace)));
  }
}

TEST_CASE("hostile widths of attention layers in a model file are refused", "[nn][attention][model_file]") {
  TemporaryFolder folder;
  ModelDescription d = test::small_description();
  d.network.steps = {
      {{"attention",
        {{"key_dim", std::int64_t(0)}, {"num_heads", std::int64_t(1)}, {"head_dim", std::int64_t(2)}}},
       "",
       ""}};
  Model(d, test::random_weights(Network(d.network))).save(folder / "model.gat");
  std::ifstream file(folder / "model.gat", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string before = "\\\"key_dim\\\":0,", after = "\\\"key_dim\\\":9999999999999,";
  const auto at = bytes.find(before);
  REQUIRE(at != std::string::npos);
  // The header's length stands before it, in eight bytes.
  bytes.replace(at, before.size(), after);
  bytes[0] = static_cast<char>(static_cast<unsigned char>(bytes[0]) + (after.size() - before.size()));
  std::ofstream(folder / "hostile.gat", std::ios::binary) << bytes;
  CHECK_THROWS_WITH(Model::load(folder / "hostile.gat"), Catch::Contains("key_dim"));
}
