#include <limits>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "data/npz_files.hpp"
#include "data/planetoid_files.hpp"
#include "gat/data/statistics.hpp"
#include "io/hostile.hpp"
#include "io/temporary_folder.hpp"

namespace {

gat::Dataset load_bytes(const std::string& bytes) {
  const TemporaryFolder folder;
  write_plainly(folder / "set.npz", bytes);
  return gat::load_dataset((folder / "set.npz").string());
}

gat::Dataset load_written(const NpzFile& file) { return load_bytes(file.bytes()); }

template <class Change>
std::string refused(NpzFile file, Change change) {
  change(file);
  return message_of([&] { load_written(file); });
}

using Nodes = std::vector<gat::NodeId>;

}  // namespace

TEST_CASE("a CSR archive loads with plain and with dotted names", "[data][csr_npz]") {
  for (const NpzFile& file : {small_csr_npz(), small_csr_npz("adj_matrix.", "attr_matrix.")}) {
    const gat::Dataset data = load_written(file);
    CHECK(data.format == "csr-npz");
    CHECK(data.name == "set");
    CHECK(data.num_nodes() == 4);
    CHECK(data.graph_data.graph.in_edges(2).node(0) == 0);
    CHECK(data.graph_data.graph.in_edges(0).node(0) == 3);
    CHECK(data.labels.classes == Nodes{1, 0, 1, gat::kNoLabel});
    CHECK(data.num_classes == 2);
    CHECK(data.graph_data.features.sparse.column_indices == Nodes{0, 1, 1, 0});
    CHECK(data.suggested_direction == gat::Direction::symmetrize);
    CHECK(data.splits.empty());
    CHECK(has_note(data, "1 unlabelled node"));
    CHECK(has_note(data, "1 self-loop"));
  }
}

TEST_CASE("names of a CSR archive lose the blanks at their ends, object members are left out",
          "[data][csr_npz]") {
  NpzFile file = small_csr_npz();
  file.texts("node_names", 3, {"a\n", "b", "c ", "d"});
  file.members["class_names"] = npy("|O", "(2,)", "\x80\x02N.");
  const gat::Dataset data = load_written(file);
  CHECK(data.node_names == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(data.class_names == std::vector<std::string>{"0", "1"});
}

TEST_CASE("class names of a CSR archive count as classes", "[data][csr_npz]") {
  NpzFile file = small_csr_npz();
  file.texts("class_names", 4, {"x", "y", "zeta"});
  const gat::Dataset data = load_written(file);
  CHECK(data.num_classes == 3);
  CHECK(data.class_names[2] == "zeta");
}

TEST_CASE("node names that occur twice are left out with a note", "[data][csr_npz]") {
  NpzFile file = small_csr_npz();
  file.texts("node_names", 1, {"a", "b", "a", "d"});
  const gat::Dataset data = load_written(file);
  CHECK(data.node_names.empty());
  CHECK(has_note(data, "node names are left out, \"a\" is there twice"));
}

TEST_CASE("a CSR matrix of labels gives targets", "[data][csr_npz]") {
  for (const char* prefix : {"labels_", "labels."}) {
    NpzFile file = small_csr_npz();
    file.members.erase("labels");
    file.csr(prefix, {4, 3}, {0, 2, 2, 3, 3}, {0, 2, 1}, {1, 1, 1});
    const gat::Dataset data = load_written(file);
    REQUIRE(data.labels.multi_label());
    CHECK(data.labels.classes.empty());
    CHECK(gat::class_counts(data) == std::vector<gat::Index>{1, 1, 1});
    CHECK(data.labels.targets(0, 2) == 1);
  }
}

TEST_CASE("a CSR archive may lack features and labels", "[data][csr_npz]") {
  NpzFile file;
  file.csr("adj_", {2, 2}, {0, 1, 1}, {1}, {1});
  const gat::Dataset data = load_written(file);
  CHECK(data.labels.empty());
  CHECK(data.graph_data.features.cols() == 2);
  CHECK(has_note(data, "no labels"));
}

TEST_CASE("dense features of a CSR archive are read, in either order and any type of number",
          "[data][csr_npz]") {
  for (const char* adjacency : {"adj_", "adj_matrix."}) {
    const gat::Dataset data = load_written(dense_csr_npz(adjacency));
    REQUIRE_FALSE(data.graph_data.features.is_sparse);
    const gat::Matrix& features = data.graph_data.features.dense;
    REQUIRE(features.rows() == 4);
    REQUIRE(features.cols() == 3);
    for (gat::Index k = 0; k < 12; ++k) CHECK(features.data()[k] == static_cast<gat::Real>(k) / 2);
    CHECK_FALSE(has_note(data, "no features: each node has its own (identity)"));
    NpzFile turned = dense_csr_npz(adjacency);
    turned.put<double>("attr_matrix", "<f8", "(4, 3)", {0, 1.5, 3, 4.5, 0.5, 2, 3.5, 5, 1, 2.5, 4, 5.5},
                       true);
    CHECK(load_written(turned).fingerprint() == data.fingerprint());
  }
  NpzFile counts = dense_csr_npz();
  counts.put<std::int64_t>("attr_matrix", "<i8", "(4, 1)", {3, -1, 2, 7});
  CHECK(load_written(counts).graph_data.features.dense(1, 0) == -1);
}

TEST_CASE("dense features that cannot be used are refused with the member and the fix", "[data][csr_npz]") {
  const NpzFile good = dense_csr_npz();
  const auto with = [&](const std::string& dtype, const std::string& shape,
                        const std::vector<float>& values) {
    return refused(good, [&](auto& f) { f.put("attr_matrix", dtype, shape, values); });
  };
  CHECK(lacking(with("<f4", "(2, 2)", {1, 2, 3, 4}), {"attr_matrix", "2 feature rows", "4 nodes"}) == "");
  CHECK(lacking(with("<f4", "(2, 4)", {1, 2, 3, 4, 5, 6, 7, 8}),
                {"attr_matrix", "2 feature rows", "4 nodes", "transpose"}) == "");
  CHECK(lacking(with("<f4", "(4,)", {1, 2, 3, 4}), {"attr_matrix", "shape 4", "2 dimensions"}) == "");
  CHECK(lacking(with("<f4", "(4, 1, 1)", {1, 2, 3, 4}), {"attr_matrix", "shape 4 x 1 x 1"}) == "");
  CHECK(lacking(with("<f4", "()", {1}), {"attr_matrix", "a single value"}) == "");
  CHECK(lacking(with("<U1", "(4, 1)", {0, 0, 0, 0}), {"attr_matrix", "<U1", "numbers", "float32"}) == "");
  CHECK(lacking(with("<f4", "(4, 1)", {1, 2, std::numeric_limits<float>::infinity(), 4}),
                {"attr_matrix", "row 2, column 0", "not a finite number"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.members["attr_matrix"] = npy("|O", "()", "\x80\x02N."); }),
                {"attr_matrix", "Python objects", "attr_data"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.template put<double>("attr_matrix", "<f8", "(4, 1)", {1, 1e300, 2, 3});
                        }),
                {"attr_matrix", "element 1", "single precision"}) == "");
}

TEST_CASE("features given twice or in part are refused", "[data][csr_npz]") {
  CHECK(lacking(refused(small_csr_npz(),
                        [](auto& f) {
                          f.template put<float>("attr_matrix", "<f4", "(4, 1)", {1, 2, 3, 4});
                        }),
                {"set.npz", "twice", "attr_*", "attr_matrix"}) == "");
  for (const char* part : {"data", "indices", "indptr", "shape"}) {
    const std::string member = std::string("attr_") + part;
    CHECK(lacking(refused(small_csr_npz(), [&](auto& f) { f.members.erase(member); }), {member.c_str()}) ==
          "");
  }
}

TEST_CASE("a member that may hold features under another name is named, not passed over in silence",
          "[data][csr_npz]") {
  NpzFile file = dense_csr_npz();
  file.members["features"] = file.members.at("attr_matrix");
  file.members.erase("attr_matrix");
  const gat::Dataset data = load_written(file);
  CHECK(data.graph_data.features.cols() == 4);
  CHECK(has_note(
      data,
      "member \"features\" is not read; this format's features are attr_matrix (dense) or attr_data, …"));
  NpzFile names = dense_csr_npz();
  names.members.erase("attr_matrix");
  names.texts("attr_names", 1, {"a", "b", "c"});
  for (const std::string& note : load_written(names).notes)
    CHECK(note.find("is not read") == std::string::npos);
}

TEST_CASE("bad CSR archives are refused with the member", "[data][csr_npz]") {
  const NpzFile good = small_csr_npz();
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.integers("labels", {0, 1});
                        }),
                {"labels", "2 labels", "4 nodes"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.integers("labels", {0, 1, 9, 0});
                        }),
                {"class 9 at node 2"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.texts("class_names", 1, {"a"}); }),
                {"class 1", "1 class name"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.integers("adj_shape", {4, 5}); }), {"4 x 5", "square"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.integers("adj_indices", {2, 4, 0, 3});
                        }),
                {"adj_", "4"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.integers("adj_indptr", {0, 2, 1, 2, 4}); }), {"adj_"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.integers("attr_shape", {3, 2}); }), {"attr_"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.csr("attr_", {3, 2}, {0, 0, 0, 0}, {}, {});
                        }),
                {"attr_", "3 feature rows", "4 nodes"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.reals("attr_data", {1, 2, std::numeric_limits<float>::quiet_NaN(), 4});
                        }),
                {"attr_", "row 2, column 1"}) == "");
}

TEST_CASE("a CSR archive without one of its four members is not taken for another format",
          "[data][csr_npz]") {
  NpzFile file = small_csr_npz();
  file.members.erase("adj_indptr");
  CHECK(lacking(message_of([&] { load_written(file); }), {"set.npz", "no known format", "adj_indptr"}) == "");
}

TEST_CASE("label matrices that would fill the memory are refused", "[data][csr_npz]") {
  NpzFile file = small_csr_npz();
  file.members.erase("labels");
  file.csr("labels.", {4, 2000000000}, {0, 0, 0, 0, 0}, {}, {});
  CHECK_THROWS_AS(load_written(file), gat::LimitError);
}

TEST_CASE("masks in Fortran order are read as they are meant", "[data][heterophilous_npz]") {
  const gat::Dataset data = load_written(small_heterophilous_npz());
  REQUIRE(data.splits.size() == 2);
  CHECK(data.splits[0].train == Nodes{0});
  CHECK(data.splits[0].validation == Nodes{1});
  CHECK(data.splits[0].test == Nodes{2});
  CHECK(data.splits[1].train == Nodes{2});
  CHECK(data.splits[1].validation == Nodes{0});
  CHECK(data.splits[1].test == Nodes{1});
}

TEST_CASE("stored and deflated archives read the same", "[data][heterophilous_npz]") {
  const NpzFile file = small_heterophilous_npz();
  CHECK(load_bytes(file.bytes(0)).fingerprint() == load_bytes(file.bytes(8)).fingerprint());
}

TEST_CASE("edges listed once are to be made symmetric, others are taken as given",
          "[data][heterophilous_npz]") {
  NpzFile file = small_heterophilous_npz();
  CHECK(load_written(file).suggested_direction == gat::Direction::symmetrize);
  file.put<std::int64_t>("edges", "<i8", "(3, 2)", {0, 1, 1, 0, 1, 2});
  CHECK(load_written(file).suggested_direction == gat::Direction::as_given);
}

TEST_CASE("features with few non-zeros are kept sparse", "[data][heterophilous_npz]") {
  NpzFile file = small_heterophilous_npz();
  CHECK_FALSE(load_written(file).graph_data.features.is_sparse);
  std::vector<float> features(3 * 20, 0);
  features[25] = 7;
  file.put("node_features", "<f4", "(3, 20)", features);
  const gat::Dataset data = load_written(file);
  REQUIRE(data.graph_data.features.is_sparse);
  CHECK(data.graph_data.features.sparse.row_offsets == std::vector<gat::EdgeId>{0, 0, 1, 1});
  CHECK(data.graph_data.features.sparse.column_indices == Nodes{5});
}

TEST_CASE("bad heterophilous archives are refused with the member", "[data][heterophilous_npz]") {
  const NpzFile good = small_heterophilous_npz();
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.template put<std::int64_t>("edges", "<i8", "(2, 2)", {0, 1, 1, 3});
                        }),
                {"edges", "edge 1: node id 3 is outside 0..2"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.template put<std::int64_t>("edges", "<i8", "(1, 3)", {0, 1, 2});
                        }),
                {"edges", "shape 1 x 3", "edges x 2"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.template put<std::uint8_t>("val_masks", "|b1", "(1, 3)", {0, 1, 0});
                        }),
                {"val_masks", "1 split"}) == "");
  CHECK(lacking(refused(good,
                        [](auto& f) {
                          f.template put<std::uint8_t>("val_masks", "|b1", "(3, 2)", {0, 1, 0, 0, 1, 0});
                        }),
                {"val_masks", "shape 3 x 2"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.members["test_masks"] = f.members["train_masks"]; }),
                {"split 0", "in two parts"}) == "");
  CHECK(lacking(refused(good, [](auto& f) { f.members.erase("val_masks"); }), {"val_masks"}) == "");
}

TEST_CASE("archives cut anywhere are refused", "[data][csr_npz][heterophilous_npz]") {
  check_every_truncation(small_csr_npz().bytes(), [](const std::string& cut) { load_bytes(cut); });
  check_every_truncation(dense_csr_npz().bytes(), [](const std::string& cut) { load_bytes(cut); });
  check_every_truncation(small_heterophilous_npz().bytes(8), [](const std::string& cut) { load_bytes(cut); });
}

TEST_CASE("damaged archives load or are refused, nothing else", "[data][csr_npz][heterophilous_npz]") {
  check_bit_flips(small_csr_npz().bytes(), 300, [](const std::string& damaged) { load_bytes(damaged); });
  check_bit_flips(dense_csr_npz().bytes(), 300, [](const std::string& damaged) { load_bytes(damaged); });
  check_bit_flips(small_heterophilous_npz().bytes(), 300,
                  [](const std::string& damaged) { load_bytes(damaged); });
}

TEST_CASE("an archive with a pickled class that is not on the list is refused", "[data][graphdata_npz]") {
  NpzFile file;
  file.members["adj_matrix"] = npy("|O", "()",
                                   "\x80\x02"
                                   "cos\nsystem\n" +
                                       pickled::text("true") + "\x85R.");
  CHECK(lacking(message_of([&] { load_written(file); }), {"adj_matrix", "os", "system"}) == "");
}
