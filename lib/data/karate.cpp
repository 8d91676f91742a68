#include "gat/data/karate.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// The same as datasets/karate/, which a test compares: 78 friendships, the lower member first.
constexpr std::array<std::pair<NodeId, NodeId>, 78> kFriendships{
    {{0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},  {0, 11},
     {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},   {1, 7},   {1, 13},
     {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},   {2, 9},   {2, 13},  {2, 27},
     {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},   {4, 10},  {5, 6},   {5, 10},  {5, 16},
     {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},  {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33},
     {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29},
     {23, 32}, {23, 33}, {24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31},
     {28, 33}, {29, 32}, {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}}};

constexpr std::array<NodeId, 34> kCommunities{0, 0, 0, 0, 1, 1, 1, 0, 2, 0, 1, 0, 0, 0, 2, 2, 1,
                                              0, 2, 0, 2, 0, 2, 3, 3, 3, 2, 3, 3, 2, 2, 3, 2, 2};

}  // namespace

Dataset karate_club() {
  std::vector<std::pair<NodeId, NodeId>> pairs(kFriendships.begin(), kFriendships.end());
  for (const auto& [low, high] : kFriendships) pairs.emplace_back(high, low);
  std::sort(pairs.begin(), pairs.end());
  EdgeList edges;
  for (const auto& [source, destination] : pairs) edges.add(source, destination);

  Dataset dataset;
  dataset.name = "karate";
  dataset.format = "embedded";
  dataset.source = "embedded";
  dataset.graph_data.graph = graph_as_given(edges, Index(kCommunities.size()));
  dataset.graph_data.features = identity_features(Index(kCommunities.size()));
  dataset.labels.classes.assign(kCommunities.begin(), kCommunities.end());
  dataset.num_classes = 4;

  Split split;
  std::array<bool, 4> seen{};
  for (std::size_t i = 0; i < kCommunities.size(); ++i) {
    bool& known = seen[static_cast<std::size_t>(kCommunities[i])];
    (known ? split.test : split.train).push_back(static_cast<NodeId>(i));
    known = true;
  }
  dataset.splits.push_back(std::move(split));
  dataset.split_kind = "stored";
  dataset.notes.push_back("no features: each node has its own (identity)");
  finish_dataset(dataset);
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
