// The model file: what is saved comes back, and nothing else is taken for a model.
#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/io/file.hpp"
#include "gat/io/safetensors.hpp"
#include "io/temporary_folder.hpp"
#include "nn/models.hpp"

using namespace gat;
using gat::test::predict;
using gat::test::random_data;
using gat::test::small_model;

namespace {

/// A saved model whose parts can be changed before it is loaded again.
class SavedModel {
 public:
  SavedModel() {
    small_model().save(path_);
    file_ = read_safetensors(path_);
  }
  TensorFile& file() { return file_; }
  Tensor& tensor(const std::string& name) {
    return *std::find_if(file_.tensors.begin(), file_.tensors.end(),
                         [&](const Tensor& t) { return t.name == name; });
  }
  /// Replaces text in the description.
  SavedModel& replace(const std::string& from, const std::string& to) {
    std::string& text = file_.metadata["gat.model"];
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
    return *this;
  }
  /// The message with which the changed file is refused.
  std::string refused() const {
    write_safetensors(path_, file_);
    return message_of([&] { Model::load(path_); });
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "model.safetensors";
  TensorFile file_;
};

}  // namespace

TEST_CASE("a loaded model is the saved one, to the bit", "[nn][model_file][unit]") {
  const SavedModel saved;
  const Model model = small_model();
  const Model loaded = Model::load(saved.path());
  const ModelDescription& d = loaded.description();
  CHECK(d.network == model.description().network);
  CHECK(d.class_names == std::vector<std::string>{"b", "a"});
  CHECK(d.input_transform == InputTransform::row_normalize);
  CHECK(d.graph_policy.direction == Direction::symmetrize);
  CHECK(d.graph_policy.self_loops == SelfLoops::as_given);
  CHECK(d.graph_policy.duplicates == Duplicates::keep);
  CHECK(d.graph_policy.dangling == Dangling::drop);
  CHECK(d.graph_policy.loop_fill == LoopFill::max);
  CHECK(d.graph_policy.loop_fill_constant == 0.25);
  CHECK_FALSE(d.multi_label);
  CHECK(d.metadata.at("seed") == "7");
  CHECK(d.metadata.at("split") == "public");
  CHECK(test::same_bits(test::all_values(loaded.weights()), test::all_values(model.weights())));
  CHECK(test::same_bits(predict(loaded, random_data(30, 4)), predict(model, random_data(30, 4))));
}

TEST_CASE("tensors are named by step and shaped as in files of PyG", "[nn][model_file][unit]") {
  SavedModel saved;
  CHECK(saved.tensor("layers.0.weight").array.shape() == std::vector<Index>{6, 4});
  CHECK(saved.tensor("layers.0.a_src").array.shape() == std::vector<Index>{3, 2});
  CHECK(saved.tensor("layers.1.bias").array.shape() == std::vector<Index>{2});
  CHECK(saved.file().metadata.at("format") == "pt");
}

TEST_CASE("saving a loaded model gives the same bytes", "[nn][model_file][unit]") {
  const SavedModel saved;
  const TemporaryFolder folder;
  Model::load(saved.path()).save(folder / "again");
  CHECK(read_file(folder / "again") == read_file(saved.path()));
}

TEST_CASE("models of the first version of the format still load", "[nn][model_file][unit]") {
  SavedModel saved;
  saved.replace("\"format_version\":2", "\"format_version\":1");
  for (int step = 0; step < 2; ++step) saved.replace("\"inputs\":[],\"edges\":\"graph\"", "\"input\":\"\"");
  write_safetensors(saved.path(), saved.file());
  CHECK(Model::load(saved.path()).description().network == small_model().description().network);
}

TEST_CASE("what steps read and which edges they see is saved", "[nn][model_file][unit]") {
  ModelDescription d;
  d.network = {4, 0, {gat::test::gat_step({}, "a"), {{"concat", {}}, "b", {"a", "features"}}}};
  d.network.steps[0].edges = StepEdges::complete;
  const TemporaryFolder folder;
  Model(d, gat::test::random_weights(Network(d.network))).save(folder / "model");
  const NetworkDescription loaded = Model::load(folder / "model").description().network;
  CHECK(loaded.steps[0].edges == StepEdges::complete);
  CHECK(loaded.steps[1].inputs == InputNames{"a", "features"});
}

TEST_CASE("a model whose LSTM has the width of PyG comes back", "[nn][model_file][unit]") {
  ModelDescription d;
  d.network = {4,
               0,
               {gat::test::gat_step({{"num_heads", 2}, {"head_dim", 2}}, "a"),
                gat::test::gat_step({{"num_heads", 1}, {"head_dim", 4}}, "b"),
                {{"lstm_attention", {{"hidden_features", std::int64_t(0)}}}, "lstm", {"a", "b"}}}};
  const Model model(d, gat::test::random_weights(Network(d.network)));
  const TemporaryFolder folder;
  model.save(folder / "model");
  const Model loaded = Model::load(folder / "model");
  CHECK(loaded.description().network == model.description().network);
  CHECK(test::same_bits(predict(loaded, random_data(20, 4)), predict(model, random_data(20, 4))));
  // Other layers have no width of their own choice.
  TensorFile file = read_safetensors(folder / "model");
  std::string& text = file.metadata["gat.model"];
  text.replace(text.find("\"lstm_attention\""), 16, "\"feed_forward\"");
  text.replace(text.find("[\"a\",\"b\"]"), 9, "[\"b\"]");
  write_safetensors(folder / "model", file);
  CHECK(lacking(message_of([&] { Model::load(folder / "model"); }),
                {"description", "hidden_features is 0"}) == "");
}

TEST_CASE("a renamed, missing or additional tensor is named", "[nn][model_file][hostile]") {
  SavedModel renamed;
  renamed.tensor("layers.0.bias").name = "layers.0.bixs";
  CHECK(lacking(renamed.refused(), {renamed.path().string(), "\"layers.0.bias\" is missing"}) == "");
  SavedModel missing;
  missing.file().tensors.pop_back();
  CHECK(lacking(missing.refused(), {"is missing"}) == "");
  SavedModel additional;
  additional.file().tensors.push_back({"layers.9.bias", StoredArray::of(std::vector<Real>{1}, {1})});
  CHECK(lacking(additional.refused(), {"\"layers.9.bias\"", "no parameter"}) == "");
}

TEST_CASE("a tensor of another shape is refused with both shapes", "[nn][model_file][hostile]") {
  SavedModel saved;
  saved.tensor("layers.1.bias").array = StoredArray::of(std::vector<Real>{1, 2, 3}, {3});
  CHECK(lacking(saved.refused(), {"layers.1.bias", "[3]", "[2]"}) == "");
  SavedModel wide;
  CHECK(lacking(wide.replace("\"num_features\":4", "\"num_features\":5").refused(),
                {"layers.0.weight", "[6, 4]", "[6, 5]"}) == "");
}

TEST_CASE("descriptions that lie or are damaged are refused with the file", "[nn][model_file][hostile]") {
  const std::vector<std::pair<std::string, std::string>> lies{
      {"\"num_features\":4", "\"num_features\":900000000000"},
      {"\"num_features\":4", "\"num_features\":-4"},
      {"\"num_features\":4", "\"num_features\":\"four\""},
      {"\"num_features\"", "\"num_featurez\""},
      {"\"head_dim\":2", "\"head_dim\":999999999"},
      {"\"num_heads\":3", "\"num_heads\":0"},
      {"\"negative_slope\":0.1", "\"negative_slope\":[0.1]"},
      {"\"negative_slope\":0.1", "\"negative_slop\":0.1"},
      {"\"kind\":\"gat\"", "\"kind\":\"gta\""},
      {"\"format_version\":2", "\"format_version\":3"},
      {"\"format_version\":2", "\"format_version\":0"},
      {"\"format_version\":2", "\"format_version\":1"},
      {"\"inputs\":[]", "\"inputs\":[\"layers.1\"]"},
      {"\"edges\":\"graph\"", "\"edges\":\"some\""},
      {"\"self_loops\":\"as-given\"", "\"self_loops\":\"some\""},
      {"\"input_transform\":\"row-normalize\"", "\"input_transform\":\"squared\""},
      {"\"class_names\":[\"b\",\"a\"]", "\"class_names\":[\"b\"]"},
      {"{", "["}};
  for (const auto& [from, to] : lies) {
    INFO(to);
    SavedModel saved;
    saved.replace(from, to);
    CHECK(lacking(saved.refused(), {saved.path().string(), "description"}) == "");
  }
}

TEST_CASE("a model file cut anywhere is refused and gives no model", "[nn][model_file][hostile]") {
  const SavedModel saved;
  const auto bytes = read_file(saved.path());
  const TemporaryFolder folder;
  for (std::size_t size = 0; size < bytes.size(); size += 64) {
    write_plainly(folder / "cut",
                  std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    CHECK_THROWS_AS(Model::load(folder / "cut"), InputError);
  }
  write_plainly(folder / "cut", std::string(bytes.begin(), bytes.end() - 1));
  CHECK_THROWS_AS(Model::load(folder / "cut"), InputError);
}

TEST_CASE("files that are no models are refused, absent ones are file errors", "[nn][model_file][hostile]") {
  SavedModel foreign;
  foreign.file().metadata.erase("gat.model");
  CHECK(lacking(foreign.refused(), {"gat.model", "only models written by gat"}) == "");
  const TemporaryFolder folder;
  write_plainly(folder / "text", "0 1\n1 2\n");
  CHECK_THROWS_AS(Model::load(folder / "text"), Error);
  CHECK_THROWS_AS(Model::load(folder / "absent"), FileError);
}
