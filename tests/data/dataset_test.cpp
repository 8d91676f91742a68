#include "gat/data/dataset.hpp"

#include <limits>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/data/karate.hpp"
#include "gat/data/node_index.hpp"

namespace {

/// The karate club after a change.
template <class Change>
gat::Dataset changed(Change change) {
  gat::Dataset data = gat::karate_club();
  change(data);
  return data;
}

template <class Change>
std::string refused(Change change) {
  const gat::Dataset data = changed(change);
  return message_of([&] { data.validate(); });
}

constexpr gat::Real kNaN = std::numeric_limits<gat::Real>::quiet_NaN();

}  // namespace

TEST_CASE("nodes without names are called by their number", "[data][dataset]") {
  const gat::Dataset data = gat::karate_club();
  CHECK(data.node_name(33) == "33");
  CHECK(data.node_named("33") == 33);
  for (const char* name : {"34", "-1", "x", "", "1 ", "1.0"})
    CHECK_THROWS_AS(data.node_named(name), gat::InputError);
  CHECK(lacking(message_of([&] { data.node_named("34"); }), {"no node \"34\"", "0..33"}) == "");
}

TEST_CASE("named nodes are found by name, numbers or not", "[data][dataset]") {
  const gat::Dataset data = changed([](gat::Dataset& d) {
    for (int k = 0; k < 34; ++k) d.node_names.push_back(std::to_string(4294967296 + k));
  });
  CHECK(data.node_named("4294967297") == 1);
  CHECK(data.node_name(1) == "4294967297");
  CHECK_THROWS_AS(data.node_named("1"), gat::InputError);
  const gat::NodeIndex index(data);
  CHECK(index.find("4294967329") == 33);
  CHECK_FALSE(index.find("0"));
}

TEST_CASE("a node with one target that is not missing is labelled", "[data][dataset]") {
  gat::Labels labels;
  labels.targets.resize(2, 2);
  labels.targets(0, 0) = kNaN;
  labels.targets(1, 0) = labels.targets(1, 1) = kNaN;
  CHECK(labels.multi_label());
  CHECK(labels.labelled(0));
  CHECK_FALSE(labels.labelled(1));
}

TEST_CASE("parts of a data set that do not fit are refused", "[data][dataset]") {
  CHECK(refused([](auto&) {}).empty());
  CHECK(lacking(refused([](auto& d) { d.labels.classes.pop_back(); }), {"33 labels for 34 nodes"}) == "");
  CHECK(lacking(refused([](auto& d) { d.labels.classes[3] = 4; }), {"node 3 has class 4", "0..3"}) == "");
  CHECK(lacking(refused([](auto& d) { d.labels.classes[3] = -2; }), {"class -2"}) == "");
  CHECK(lacking(refused([](auto& d) { d.class_names.pop_back(); }), {"3 class names for 4 classes"}) == "");
  CHECK(lacking(refused([](auto& d) { d.node_names = {"a"}; }), {"1 node name for 34 nodes"}) == "");
  CHECK(lacking(refused([](auto& d) { d.node_names.assign(34, "a"); }), {"two nodes have the id \"a\""}) ==
        "");
  CHECK(lacking(refused([](auto& d) { d.labels.targets.resize(34, 4); }),
                {"both as classes and as targets"}) == "");
  CHECK(lacking(refused([](auto& d) {
                  d.labels.classes.clear();
                  d.labels.targets.resize(33, 4);
                }),
                {"33 x 4", "34 x 4"}) == "");
  CHECK(lacking(refused([](auto& d) {
                  d.labels.classes.clear();
                  d.labels.targets.resize(34, 4);
                  d.labels.targets(1, 2) = 2;
                }),
                {"node 1, target 2"}) == "");
}

TEST_CASE("stored splits that are not sorted, disjoint and in range are refused", "[data][dataset]") {
  CHECK(lacking(refused([](auto& d) { d.splits[0].test.push_back(34); }), {"split 0: node 34 is outside"}) ==
        "");
  CHECK(lacking(refused([](auto& d) { d.splits[0].train = {4, 0}; }), {"node 0 is out of order"}) == "");
  CHECK(lacking(refused([](auto& d) { d.splits[0].train = {1, 1}; }), {"node 1 is out of order"}) == "");
  CHECK(lacking(refused([](auto& d) { d.splits[0].validation = {0}; }), {"node 0 is in two parts"}) == "");
}

TEST_CASE("the fingerprint changes with everything that a model sees", "[data][dataset]") {
  const std::string club = gat::karate_club().fingerprint();
  CHECK(club.size() == 16);
  CHECK(club == gat::karate_club().fingerprint());
  const auto differs = [&](auto change) { return changed(change).fingerprint() != club; };
  CHECK(differs([](auto& d) { d.labels.classes[0] = 1; }));
  CHECK(differs([](auto& d) { d.class_names[0] = "zero"; }));
  CHECK(differs([](auto& d) { d.node_names.assign(34, "x"); }));
  CHECK(differs([](auto& d) { d.graph_data.features.sparse.values[7] = 2; }));
  CHECK(differs([](auto& d) { d.graph_data.features.sparse.column_indices[7] = 8; }));
  CHECK(differs([](auto& d) { d.graph_data.edge_features.resize(156, 1); }));
  CHECK_FALSE(differs([](auto& d) { d.splits.clear(); }));
  CHECK_FALSE(differs([](auto& d) { d.name = "another"; }));
}

TEST_CASE("dense and sparse features have the same fingerprint", "[data][dataset]") {
  const gat::Dataset dense = changed([](gat::Dataset& d) {
    gat::Features features;
    features.dense.resize(34, 34);
    for (gat::Index i = 0; i < 34; ++i) features.dense(i, i) = 1;
    d.graph_data.features = features;
  });
  CHECK(dense.fingerprint() == gat::karate_club().fingerprint());
}
