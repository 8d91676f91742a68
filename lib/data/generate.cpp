#include "gat/data/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>

#include "data/feature_forms.hpp"
#include "data/finish_dataset.hpp"
#include "gat/core/error.hpp"
#include "gat/core/random.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

/// Consecutive draws from one counter-based stream.
class Draws {
 public:
  explicit Draws(RandomStream stream) : stream_(stream) {}
  double uniform() { return stream_.uniform(index_++); }
  Index below(Index bound) {
    return static_cast<Index>(stream_.below(index_++, static_cast<std::uint64_t>(bound)));
  }
  /// In {0, …, bound − 1}, low numbers more often: a popularity that falls as a power of the rank.
  Index popular(Index bound) {
    const double u = uniform();
    return std::min(bound - 1, static_cast<Index>(u * u * static_cast<double>(bound)));
  }

 private:
  RandomStream stream_;
  std::uint64_t index_ = 0;
};

enum Tag : std::uint64_t { kOrder = 1, kPopularity, kEdges, kWords };

std::vector<Index> sizes_of_classes(const CitationOptions& options) {
  if (!options.class_sizes.empty()) return options.class_sizes;
  std::vector<Index> sizes(static_cast<std::size_t>(options.num_classes),
                           options.num_nodes / options.num_classes);
  for (Index k = 0; k < options.num_nodes % options.num_classes; ++k) ++sizes[static_cast<std::size_t>(k)];
  return sizes;
}

std::vector<NodeId> draw_classes(const CitationOptions& options) {
  std::vector<NodeId> classes;
  NodeId label = 0;
  for (const Index size : sizes_of_classes(options)) {
    classes.insert(classes.end(), static_cast<std::size_t>(size), label++);
  }
  RandomStream(options.seed).derive(kOrder).shuffle(classes);
  return classes;
}

/// Draws edges that are neither loops nor repeats, whichever way they point.
class CitationEdges {
 public:
  CitationEdges(const CitationOptions& options, const std::vector<NodeId>& classes)
      : options_(options),
        classes_(classes),
        members_(static_cast<std::size_t>(options.num_classes)),
        draws_(RandomStream(options.seed).derive(kEdges)) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      members_[static_cast<std::size_t>(classes[i])].push_back(static_cast<NodeId>(i));
    }
    // Popularity must not follow node ids: the first nodes are those that train.
    const RandomStream stream = RandomStream(options.seed).derive(kPopularity);
    for (std::size_t c = 0; c < members_.size(); ++c) stream.derive(c).shuffle(members_[c]);
  }

  EdgeList draw() {
    add_hubs();
    const auto wanted =
        edges_.size() + std::llround(options_.mean_degree * static_cast<double>(options_.num_nodes) / 2);
    Index attempts = 20 * wanted + 1000;
    while (edges_.size() < wanted && options_.num_nodes > 1 && attempts-- > 0) {
      const auto citing = static_cast<NodeId>(draws_.below(options_.num_nodes));
      add(citing, draw_cited(classes_[static_cast<std::size_t>(citing)]));
    }
    return std::move(edges_);
  }

 private:
  void add(NodeId citing, NodeId cited) {
    if (citing == cited) return;
    const auto low = static_cast<std::uint64_t>(std::min(citing, cited));
    const auto high = static_cast<std::uint64_t>(std::max(citing, cited));
    if (known_.insert((high << 32) | low).second) edges_.add(citing, cited);
  }

  // Node 0 is cited by the next nodes after 1, node 1 cites the last ones.
  void add_hubs() {
    for (Index k = 0; k < options_.num_hub_edges; ++k) {
      add(static_cast<NodeId>(k + 2), 0);
      add(1, static_cast<NodeId>(options_.num_nodes - 1 - k));
    }
  }

  NodeId draw_cited(NodeId own_class) {
    auto label = static_cast<Index>(own_class);
    if (options_.num_classes > 1 && draws_.uniform() >= options_.homophily) {
      do {  // another class, as likely as it is large
        label = classes_[static_cast<std::size_t>(draws_.below(options_.num_nodes))];
      } while (label == own_class);
    }
    const std::vector<NodeId>& members = members_[static_cast<std::size_t>(label)];
    return members[static_cast<std::size_t>(draws_.popular(static_cast<Index>(members.size())))];
  }

  const CitationOptions& options_;
  const std::vector<NodeId>& classes_;
  std::vector<std::vector<NodeId>> members_;
  Draws draws_;
  EdgeList edges_;
  std::unordered_set<std::uint64_t> known_;
};

// Class c prefers the words [c · W/C, (c+1) · W/C); common words are drawn from all of them, both with
// falling popularity, the common ones in a scattered order so that they are in no topic on purpose.
CsrMatrix draw_words(const CitationOptions& options, const std::vector<NodeId>& classes) {
  std::vector<NodeId> scattered(static_cast<std::size_t>(options.num_words));
  std::iota(scattered.begin(), scattered.end(), NodeId(0));
  RandomStream(options.seed).derive(kWords).shuffle(scattered);
  Draws draws(RandomStream(options.seed).derive(kWords).derive(0));
  const Index topic = std::max<Index>(1, options.num_words / options.num_classes);

  CsrMatrix words;
  words.rows = options.num_nodes;
  words.cols = options.num_words;
  std::vector<NodeId> row;
  for (const NodeId label : classes) {
    row.clear();
    const auto count = std::llround(options.words_per_node * (0.5 + draws.uniform()));
    for (Index k = 0; k < count; ++k) {
      if (draws.uniform() < options.topic_share) {
        row.push_back(static_cast<NodeId>((label * topic + draws.popular(topic)) % options.num_words));
      } else {
        row.push_back(scattered[static_cast<std::size_t>(draws.popular(options.num_words))]);
      }
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    words.column_indices.insert(words.column_indices.end(), row.begin(), row.end());
    words.row_offsets.push_back(static_cast<EdgeId>(words.column_indices.size()));
  }
  words.values.assign(words.column_indices.size(), Real(1));
  return words;
}

Split planetoid_split(const CitationOptions& options, const std::vector<NodeId>& classes) {
  std::vector<Index> wanted = sizes_of_classes(options);
  for (Index& size : wanted) size = std::min<Index>(20, size / 3);
  Split split;
  std::vector<NodeId> rest;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    Index& missing = wanted[static_cast<std::size_t>(classes[i])];
    (missing > 0 ? split.train : rest).push_back(static_cast<NodeId>(i));
    missing -= missing > 0;
  }
  const Index left = static_cast<Index>(rest.size());
  const Index validation = std::min<Index>(500, left / 3);
  const Index test = std::min<Index>(1000, left - validation);
  split.validation.assign(rest.begin(), rest.begin() + validation);
  split.test.assign(rest.end() - test, rest.end());
  return split;
}

void require(bool condition, const char* message) {
  if (!condition) throw UsageError(std::string("citation graph: ") + message);
}

}  // namespace

void CitationOptions::validate() const {
  require(num_nodes >= 1 && num_nodes < (Index(1) << 31), "num_nodes must be in 1..2^31 - 1");
  require(num_classes >= 1 && num_classes <= num_nodes, "num_classes must be in 1..num_nodes");
  require(num_words >= 1 && num_words < (Index(1) << 31), "num_words must be in 1..2^31 - 1");
  require(words_per_node >= 0 && words_per_node <= 1e6, "words_per_node must be in [0, 1e6]");
  require(topic_share >= 0 && topic_share <= 1, "topic_share must be in [0, 1]");
  require(mean_degree >= 0 && mean_degree <= 1e6, "mean_degree must be in [0, 1e6]");
  require(homophily >= 0 && homophily <= 1, "homophily must be in [0, 1]");
  require(num_hub_edges >= 0 && num_hub_edges <= std::max<Index>(0, num_nodes - 2),
          "num_hub_edges must be in 0..num_nodes - 2");
  if (class_sizes.empty()) return;
  require(static_cast<Index>(class_sizes.size()) == num_classes, "class_sizes must have num_classes numbers");
  require(std::all_of(class_sizes.begin(), class_sizes.end(), [](Index size) { return size > 0; }),
          "class_sizes must be positive");
  require(std::accumulate(class_sizes.begin(), class_sizes.end(), Index(0)) == num_nodes,
          "class_sizes must sum to num_nodes");
}

Dataset generate_citations(const CitationOptions& options) {
  options.validate();
  const std::vector<NodeId> classes = draw_classes(options);
  Dataset dataset;
  dataset.name = "citations";
  dataset.format = "generated";
  dataset.source = "generated";
  dataset.graph_data.graph = graph_as_given(CitationEdges(options, classes).draw(), options.num_nodes);
  dataset.graph_data.features = features_from(draw_words(options, classes));
  dataset.labels.classes = classes;
  dataset.num_classes = options.num_classes;
  dataset.splits.push_back(planetoid_split(options, classes));
  dataset.split_kind = "public";
  dataset.suggested_direction = Direction::symmetrize;
  dataset.notes.push_back("generated, seed " + std::to_string(options.seed));
  finish_dataset(dataset);
  return dataset;
}

Dataset synthetic_cora(std::uint64_t seed) {
  CitationOptions options;
  options.class_sizes = {351, 217, 418, 818, 426, 298, 180};
  options.seed = seed;
  Dataset dataset = generate_citations(options);
  dataset.name = "synthetic-cora";
  return dataset;
}

}  // namespace gat::inline GAT_PRECISION
