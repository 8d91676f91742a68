// Reported faults of reading, from a path to a data set: B20, B35, B38.
#include <clocale>
#include <locale>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/split.hpp"
#include "gat/data/statistics.hpp"
#include "gat/io/file.hpp"
#include "io/temporary_folder.hpp"
#include "nn/models.hpp"
#include "test_data.hpp"

using namespace gat;

TEST_CASE("B20: Cora's public split is that of the Planetoid files", "[cases][split][real]") {
  const auto path = find_test_data("planetoid/cora");
  if (!path) return;
  const Dataset data = load_dataset(path->string());
  const Split split = make_split(data, parse_split("public"), 0);
  const auto range = [](NodeId first, NodeId last) {
    std::vector<NodeId> nodes;
    for (NodeId node = first; node <= last; ++node) nodes.push_back(node);
    return nodes;
  };
  CHECK(split.train == range(0, 139));
  CHECK(class_counts(data, split.train) == std::vector<Index>(7, 20));
  CHECK(split.validation == range(140, 639));
  CHECK(split.test == range(1708, 2707));  // so 640 … 1707 are in no part
  CHECK(class_counts(data) == std::vector<Index>{351, 217, 418, 818, 426, 298, 180});
}

TEST_CASE("B35: carriage returns and byte-order marks make no class and no node", "[cases][files]") {
  const TemporaryFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  write_plainly(folder / "labels.txt", mark + "0\tA\r\n1\tA\n");
  write_plainly(folder / "edges.txt", mark + "0\t1\r\n");
  const Dataset data = load_dataset(folder.path().string());
  CHECK(data.class_names == std::vector<std::string>{"A"});
  CHECK(data.num_nodes() == 2);
  CHECK(test::edges_of(data.graph_data.graph) == test::Edges{{0, 1}});
}

namespace {

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// A locale with a decimal comma, for C++ streams and, where one is installed, for C.
class CommaLocale {
 public:
  CommaLocale() {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) return;
    }
    WARN("no locale of C with a decimal comma is installed; only that of C++ streams is tested");
  }
  ~CommaLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, c_before_.c_str());
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

 private:
  std::string c_before_ = std::setlocale(LC_ALL, nullptr);
  std::locale before_ = std::locale::global(std::locale(std::locale(), new DecimalComma));
};

struct Loaded {
  Matrix features, logits;
  std::string model_bytes;
};

// Loads features, saves a model with numbers in its description, loads it again and predicts.
Loaded load_and_save(const std::filesystem::path& folder) {
  const Dataset data = load_dataset((folder / "data").string());
  ModelDescription d = test::small_description(2);
  d.graph_policy.loop_fill_constant = 0.005;
  Model(d, test::random_weights(Network(d.network))).save(folder / "model");
  return {data.graph_data.features.dense, test::predict(Model::load(folder / "model"), data.graph_data),
          read_file(folder / "model")};
}

}  // namespace

TEST_CASE("B38: a decimal-comma locale changes neither what is read nor what is written",
          "[cases][files][locale]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "data");
  write_plainly(folder / "data/edges.csv", "0 1\n1 0\n");
  write_plainly(folder / "data/features.csv", "0.5 1.25e-1\n0.25 0.75\n");
  const Loaded plain = load_and_save(folder.path());
  const Loaded comma = [&] {
    const CommaLocale german;
    return load_and_save(folder.path());
  }();
  CHECK(test::same_bits(comma.features, test::matrix_of({{0.5, 0.125}, {0.25, 0.75}})));
  CHECK(test::same_bits(comma.logits, plain.logits));
  CHECK(comma.model_bytes == plain.model_bytes);
  CHECK(comma.model_bytes.find("0.005") != std::string::npos);
  CHECK(comma.model_bytes.find("0,005") == std::string::npos);
}
