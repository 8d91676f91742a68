#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/split.hpp"
#include "gat/data/statistics.hpp"
#include "gat/io/npy.hpp"
#include "io/temporary_folder.hpp"

namespace {

using Nodes = std::vector<gat::NodeId>;
using Names = std::vector<std::string>;

/// A folder of text files, written one by one.
class Folder {
 public:
  Folder& write(const std::string& name, const std::string& text) {
    write_plainly(folder_ / name, text);
    return *this;
  }
  Folder& write_npy(const std::string& name, const gat::Matrix& matrix) {
    return write(name, gat::npy_bytes(gat::StoredArray::of(matrix.view())));
  }
  gat::Dataset load() const { return gat::load_dataset(folder_.path().string()); }
  std::string refused() const {
    return message_of([&] { load(); });
  }

 private:
  TemporaryFolder folder_;
};

gat::Dataset load_edges(const std::string& text) { return Folder().write("edges.csv", text).load(); }

/// source → destination, in the order of the file.
std::vector<std::pair<gat::NodeId, gat::NodeId>> listed_edges(const gat::Dataset& data) {
  const gat::CsrGraph& graph = data.graph_data.graph;
  std::vector<std::pair<gat::NodeId, gat::NodeId>> edges(static_cast<std::size_t>(graph.num_edges()));
  for (gat::Index i = 0; i < graph.num_nodes(); ++i) {
    const gat::EdgeRow row = graph.in_edges(i);
    for (gat::Index k = 0; k < row.count; ++k) {
      const auto user =
          static_cast<std::size_t>(graph.user_edge_ids()[static_cast<std::size_t>(row.edge(k))]);
      edges[user] = {row.node(k), static_cast<gat::NodeId>(i)};
    }
  }
  return edges;
}

bool mentions(const gat::Dataset& data, const std::string& part) {
  return std::any_of(data.notes.begin(), data.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

using Edges = std::vector<std::pair<gat::NodeId, gat::NodeId>>;

}  // namespace

TEST_CASE("a header is detected and noted, the delimiter comes from the content", "[data][folder][B34]") {
  const gat::Dataset with_header = load_edges("source,target\n0,1\n1,2\n");
  const gat::Dataset without = load_edges("0,1\n1,2\n");
  const gat::Dataset tabs = load_edges("0\t1\n1\t2\n");
  for (const auto* data : {&with_header, &without, &tabs}) {
    CHECK(data->num_nodes() == 3);
    CHECK(listed_edges(*data) == Edges{{0, 1}, {1, 2}});
  }
  CHECK(mentions(with_header, "header: yes"));
  CHECK(mentions(without, "header: no"));
  CHECK(mentions(tabs, "delimiter: tab"));
}

TEST_CASE("byte-order mark and Windows line ends reach neither ids nor classes", "[data][folder][B35]") {
  const gat::Dataset data = Folder()
                                .write("edges.csv",
                                       "\xEF\xBB\xBF"
                                       "0\t1\r\n")
                                .write("labels.csv",
                                       "\xEF\xBB\xBF"
                                       "0\tA\r\n1\tA\n")
                                .load();
  CHECK(data.num_nodes() == 2);
  CHECK(data.node_names.empty());
  CHECK(data.class_names == Names{"A"});
  CHECK(listed_edges(data) == Edges{{0, 1}});
  CHECK(mentions(data, "edges.csv: header: no, delimiter: tab, byte-order mark dropped, line ends: CRLF"));
}

TEST_CASE("blank lines, extra blanks and comments are no edges, ids may hold a hash sign",
          "[data][folder][B37]") {
  const gat::Dataset data = load_edges("# c\n0  1\n\n1 2\t\na#1 0");
  CHECK(data.num_nodes() == 4);
  CHECK(data.node_names == Names{"0", "1", "2", "a#1"});
  CHECK(listed_edges(data) == Edges{{0, 1}, {1, 2}, {3, 0}});
}

TEST_CASE("ids beyond 32 bits are accepted and mapped", "[data][folder][B47]") {
  const gat::Dataset data = load_edges("4294967296 7\n7 99999999999999999999999\n");
  CHECK(data.num_nodes() == 3);
  CHECK(data.node_named("4294967296") == 0);
  const gat::Dataset integers = load_edges("4294967296 7\n7 -3\n");
  CHECK(integers.node_names == Names{"-3", "7", "4294967296"});
  CHECK(listed_edges(integers) == Edges{{2, 1}, {1, 0}});
}

TEST_CASE("one-way edges are noted, and making the graph symmetric adds them once", "[data][folder][B19]") {
  const gat::Dataset data = load_edges("0 1\n1 0\n1 2\n");
  CHECK(data.graph_data.graph.num_edges() == 3);
  CHECK(mentions(data, "1 of 3 edges has no reverse"));
  CHECK(mentions(data, "--direction symmetrize"));
  CHECK(data.suggested_direction == gat::Direction::as_given);
  gat::GraphPolicy policy;
  policy.direction = gat::Direction::symmetrize;
  policy.self_loops = gat::SelfLoops::as_given;
  const gat::CsrGraph once = gat::rebuild_graph(data.graph_data.graph, policy).graph;
  CHECK(once.num_edges() == 4);
  CHECK(gat::rebuild_graph(once, policy).graph.num_edges() == 4);
}

TEST_CASE("duplicate edges are kept and noted", "[data][folder][B13]") {
  const gat::Dataset data = load_edges("1 0\n1 0\n2 0\n");
  CHECK(data.graph_data.graph.num_edges() == 3);
  CHECK(has_note(data, "1 duplicate edge"));
}

TEST_CASE("missing labels are no class and are counted", "[data][folder][B28]") {
  for (const char* labels : {"0,1\n1,nan\n2,0\n", "0,1\n1,\n2,0\n", "0,1\n2,0\n", "1\nNaN\n0\n"}) {
    INFO(labels);
    const gat::Dataset data = Folder().write("edges.csv", "0,1\n1,2\n").write("labels.csv", labels).load();
    CHECK(data.labels.classes == Nodes{1, gat::kNoLabel, 0});
    CHECK(data.class_names == Names{"0", "1"});
    CHECK(has_note(data, "1 unlabelled node"));
  }
}

TEST_CASE("numeric classes are sorted by value, others by name", "[data][folder]") {
  Folder numbers;
  numbers.write("edges.csv", "0,1\n1,2\n").write("labels.csv", "0,10\n1,9\n2,-1\n");
  CHECK(numbers.load().class_names == Names{"-1", "9", "10"});
  CHECK(numbers.load().labels.classes == Nodes{2, 1, 0});
  Folder words;
  words.write("edges.csv", "0,1\n1,2\n").write("labels.csv", "node,class\n0,tea\n1,10\n2,9\n");
  CHECK(words.load().class_names == Names{"10", "9", "tea"});
}

TEST_CASE("several 0/1 columns are several labels per node", "[data][folder]") {
  const gat::Dataset data = Folder()
                                .write("edges.csv", "0,1\n1,2\n")
                                .write("labels.csv", "id,red,green\n0,1,0\n1,nan,1\n2,nan,\n")
                                .load();
  REQUIRE(data.labels.multi_label());
  CHECK(data.class_names == Names{"red", "green"});
  CHECK(data.labels.targets(0, 0) == 1);
  CHECK(std::isnan(data.labels.targets(1, 0)));
  CHECK_FALSE(data.labels.labelled(2));
  CHECK(has_note(data, "3 unlabelled targets"));
}

TEST_CASE("a table of 0/1 columns without ids is read by rows", "[data][folder]") {
  const gat::Dataset data =
      Folder().write("edges.csv", "0,1\n1,2\n").write("labels.csv", "0,1,1\n1,0,0\n1,1,0\n").load();
  CHECK(data.num_classes == 3);
  CHECK(data.labels.targets(0, 2) == 1);
  CHECK(data.labels.targets(2, 0) == 1);
}

TEST_CASE("a features table with ids fixes the order of the nodes", "[data][folder]") {
  const gat::Dataset data = Folder()
                                .write("edges.csv", "b,a\nc,b\n")
                                .write("features.csv", "id,f,g\nc,1,2\na,3,4\nb,5,6\n")
                                .write("labels.csv", "a,x\nb,y\nc,x\n")
                                .load();
  CHECK(data.node_names == Names{"c", "a", "b"});
  CHECK(data.graph_data.features.dense(0, 1) == 2);
  CHECK(data.graph_data.features.dense(2, 0) == 5);
  CHECK(data.labels.classes == Nodes{0, 0, 1});
  CHECK(listed_edges(data) == Edges{{2, 1}, {0, 2}});
}

TEST_CASE("a first column of different integers that the edges use holds ids", "[data][folder]") {
  const gat::Dataset data =
      Folder().write("edges.csv", "7,5\n5,9\n").write("features.csv", "9,0.5\n7,1.5\n5,2.5\n").load();
  CHECK(data.node_names == Names{"9", "7", "5"});
  CHECK(data.graph_data.num_features() == 1);
  CHECK(mentions(data, "first column: node ids"));
}

TEST_CASE("rows of features without ids are the nodes 0, 1, 2, …", "[data][folder]") {
  gat::Matrix matrix(3, 2);
  matrix(2, 1) = gat::Real(0.5);
  const gat::Dataset from_npy = Folder().write("edges.csv", "0,1\n").write_npy("features.npy", matrix).load();
  const gat::Dataset from_csv =
      Folder().write("edges.csv", "0,1\n").write("features.csv", "0,0\n0,0\n0,0.5\n").load();
  CHECK(from_npy.num_nodes() == 3);
  CHECK(from_npy.node_names.empty());
  CHECK(from_npy.fingerprint() == from_csv.fingerprint());
  CHECK(has_note(from_npy, "1 isolated node"));
}

TEST_CASE("numeric columns beyond the ids are edge features, others are left out with a note",
          "[data][folder]") {
  const gat::Dataset data = load_edges("kind,target,source,weight\nroad,1,0,0.5\nrail,2,1,1.25e-1\n");
  CHECK(listed_edges(data) == Edges{{0, 1}, {1, 2}});
  REQUIRE(data.graph_data.edge_features.cols() == 1);
  CHECK(data.graph_data.edge_features(1, 0) == gat::Real(0.125));
  CHECK(has_note(data, "edge features: weight"));
  CHECK(mentions(data, "left out, not numeric: kind"));
}

TEST_CASE("a single edge list loads without labels and cannot be split", "[data][folder]") {
  const TemporaryFolder folder;
  write_plainly(folder / "web.edges", "1 2\n2 3\n");
  const gat::Dataset data = gat::load_dataset((folder / "web.edges").string());
  CHECK(data.name == "web");
  CHECK(data.node_names == Names{"1", "2", "3"});
  CHECK(data.graph_data.num_features() == 3);
  CHECK(has_note(data, "no labels"));
  CHECK_THROWS_AS(gat::make_split(data, {}, 0), gat::UsageError);
}

TEST_CASE("a split file in the folder is the stored split", "[data][folder]") {
  const gat::Dataset data = Folder()
                                .write("edges.csv", "a,b\nb,c\n")
                                .write("labels.csv", "a,0\nb,1\nc,0\n")
                                .write("split.csv", "a,train\nc,test\n")
                                .load();
  REQUIRE(data.splits.size() == 1);
  CHECK(data.splits[0].train == Nodes{0});
  CHECK(data.splits[0].test == Nodes{2});
  CHECK(data.split_kind == "stored");
}

TEST_CASE("ids outside the rows of the features are refused with place and range", "[data][folder]") {
  gat::Matrix matrix(3, 1);
  Folder folder;
  folder.write_npy("features.npy", matrix).write("edges.csv", "source,target\n0,1\n1,5000\n");
  CHECK(lacking(folder.refused(), {"edges.csv:3:3", "5000", "0..2", "features.npy has 3 rows"}) == "");
  folder.write("edges.csv", "0,1\n1,x\n");
  CHECK(lacking(folder.refused(), {"edges.csv:2:3", "\"x\"", "features.npy has 3 rows"}) == "");
}

TEST_CASE("ids without a row in features with ids are refused", "[data][folder]") {
  Folder folder;
  folder.write("features.csv", "a,1\nb,2\n").write("edges.csv", "a,b\nb,q\n");
  CHECK(lacking(folder.refused(), {"edges.csv:2:3", "\"q\"", "features.csv has 2 rows"}) == "");
  folder.write("edges.csv", "a,b\n").write("labels.csv", "a,0\nz,1\n");
  CHECK(lacking(folder.refused(), {"labels.csv:2:1", "\"z\""}) == "");
}

TEST_CASE("tables whose rows do not fit are refused with the line", "[data][folder]") {
  const auto refused = [](const std::string& name, const std::string& text) {
    return Folder().write("edges.csv", "0,1\n1,2\n").write(name, text).refused();
  };
  CHECK(lacking(refused("edges.csv", "0,1\n1\n"), {"edges.csv:2", "found 1 field"}) == "");
  CHECK(lacking(refused("edges.csv", "0,1\n1,2,3\n"), {"edges.csv:2", "found 3 fields, expected 2"}) == "");
  CHECK(lacking(refused("features.csv", "1,2\n3\n5,6\n"), {"features.csv:2", "found 1 field, expected 2"}) ==
        "");
  CHECK(lacking(refused("labels.csv", "a\nb\n"),
                {"edges.csv:2:3", "outside 0..1", "labels.csv has 2 rows"}) == "");
  CHECK(lacking(refused("labels.csv", "0,a\n0,b\n"), {"labels.csv:2:1", "second time"}) == "");
  CHECK(lacking(refused("labels.csv", "0,a,b\n1,c,d\n2,a,b\n"), {"labels.csv:1:3", "\"a\"", "0, 1 or nan"}) ==
        "");
}

TEST_CASE("a table without rows is refused by its name", "[data][folder]") {
  const auto load = [](const std::string& name, const std::string& text) {
    Folder folder;
    folder.write("edges.csv", "0,1\n").write("labels.csv", "0,a\n1,b\n");
    folder.write("features.csv", "0.5\n1.5\n").write("split.csv", "0,train\n1,test\n");
    return folder.write(name, text).load();
  };
  const auto refused = [&](const std::string& name, const std::string& text) {
    return message_of([&] { load(name, text); });
  };
  REQUIRE_NOTHROW(load("split.csv", "0,train\n"));
  for (const char* text : {"", "\n\n", "# nothing\n", "source,target\n"}) {
    INFO(text);
    CHECK(lacking(refused("edges.csv", text), {"edges.csv: holds no edges; write"}) == "");
    CHECK(lacking(Folder().write("edges.csv", text).refused(), {"edges.csv: holds no edges; write"}) == "");
  }
  for (const char* text : {"", "\n", "id,label\n"}) {
    INFO(text);
    CHECK(lacking(refused("labels.csv", text), {"labels.csv: holds no labels; write"}) == "");
    CHECK(lacking(refused("features.csv", text), {"features.csv: holds no features; write"}) == "");
  }
  CHECK(lacking(refused("split.csv", ""), {"split.csv: holds no nodes; write"}) == "");
  CHECK(lacking(refused("split.csv", "node,part\n"), {"split.csv: holds no nodes; write"}) == "");
  CHECK_THROWS_AS(load("split.csv", ""), gat::InputError);
  CHECK(lacking(Folder().write("edges.csv", "0,1\n").write_npy("features.npy", gat::Matrix(0, 2)).refused(),
                {"features.npy: holds no features"}) == "");
}

TEST_CASE("a folder without edges is told what is missing", "[data][folder]") {
  for (const char* name : {"labels.csv", "features.tsv", "features.npy", "split.txt"}) {
    const TemporaryFolder folder;
    write_plainly(folder / name, "0,1\n");
    const std::string path = folder.path().string();
    CHECK(lacking_in_refusal(path, {path + ": edges.csv is missing beside " + name, "add it"}) == "");
    CHECK_THROWS_AS(gat::load_dataset(path), gat::InputError);
  }
  const TemporaryFolder empty;
  gat::LoadOptions options;
  options.format = "folder";
  CHECK_THROWS_AS(gat::load_dataset(empty.path().string(), options), gat::InputError);
  CHECK(lacking(message_of([&] { gat::load_dataset(empty.path().string(), options); }),
                {empty.path().string() + ": edges.csv is missing; add it"}) == "");
}

TEST_CASE("labels and features of different lengths are refused", "[data][folder]") {
  Folder f;
  f.write("edges.csv", "0,1\n").write("features.csv", "1,2\n3,4\n").write("labels.csv", "a\nb\nc\n");
  CHECK(lacking(f.refused(), {"labels.csv", "found 3 labels, expected 2", "features.csv has 2 rows"}) == "");
}

TEST_CASE("features that are no finite numbers are refused with the place", "[data][folder]") {
  const auto refused = [](const std::string& text) {
    return Folder().write("edges.csv", "0,1\n").write("features.csv", text).refused();
  };
  CHECK(lacking(refused("0.5,1\n0.5,nan\n"), {"features.csv:2:5"}) == "");
  CHECK(lacking(refused("0.5,1\n0.5,1e400\n"), {"features.csv:2:5"}) == "");
  CHECK(lacking(refused("0.5,1\n0.5,?\n"), {"features.csv:2:5", "?"}) == "");
  gat::Matrix matrix(2, 1);
  matrix(1, 0) = INFINITY;
  Folder folder;
  folder.write("edges.csv", "0,1\n").write_npy("features.npy", matrix);
  CHECK(lacking(folder.refused(), {"features.npy", "row 1, column 0"}) == "");
}

TEST_CASE("two files for one thing are refused", "[data][folder]") {
  CHECK(lacking(Folder().write("edges.csv", "0,1\n").write("edges.tsv", "0\t1\n").refused(),
                {"edges.csv", "edges.tsv", "keep one"}) == "");
  CHECK(lacking(Folder().write("a.edges", "0 1\n").write("b.edges", "0 1\n").refused(),
                {"a.edges", "b.edges"}) == "");
}
