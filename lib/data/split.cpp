#include "gat/data/split.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/counted.hpp"
#include "data/split_file.hpp"
#include "gat/core/error.hpp"
#include "gat/core/random.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

enum Tag : std::uint64_t { kWithinClass = 0x73706c6974ULL, kRemaining };

[[noreturn]] void refuse(const Dataset& dataset, const std::string& message) {
  throw UsageError("data set \"" + dataset.name + "\": " + message);
}

/// The labelled nodes class by class, in order; all in one group when nodes have several labels.
std::vector<std::vector<NodeId>> nodes_by_class(const Dataset& dataset) {
  const bool several = dataset.labels.multi_label();
  std::vector<std::vector<NodeId>> groups(several ? 1 : static_cast<std::size_t>(dataset.num_classes));
  for (Index i = 0; i < dataset.num_nodes(); ++i) {
    const auto node = static_cast<NodeId>(i);
    if (!dataset.labels.labelled(node)) continue;
    const std::size_t group =
        several ? 0 : static_cast<std::size_t>(dataset.labels.classes[static_cast<std::size_t>(i)]);
    groups[group].push_back(node);
  }
  return groups;
}

void shuffle_groups(std::vector<std::vector<NodeId>>& groups, std::uint64_t seed) {
  const RandomStream stream = RandomStream(seed).derive(kWithinClass);
  for (std::size_t c = 0; c < groups.size(); ++c) stream.derive(c).shuffle(groups[c]);
}

void move_nodes(const std::vector<NodeId>& from, Index first, Index last, std::vector<NodeId>& to) {
  to.insert(to.end(), from.begin() + first, from.begin() + last);
}

Split draw_fractions(const Dataset& dataset, const SplitOptions& options, std::uint64_t seed) {
  std::vector<std::vector<NodeId>> groups = nodes_by_class(dataset);
  shuffle_groups(groups, seed);
  const double until_validation = options.train_fraction + options.validation_fraction;
  const double until_test = until_validation + options.test_fraction;
  Split split;
  for (const std::vector<NodeId>& group : groups) {
    const auto size = static_cast<Index>(group.size());
    const auto cut = [size](double fraction) {
      return std::min<Index>(size, std::llround(fraction * static_cast<double>(size)));
    };
    const Index train = std::min(size, std::max<Index>(1, cut(options.train_fraction)));
    const Index validation = std::max(train, cut(until_validation));
    const Index test = std::max(validation, cut(until_test));
    move_nodes(group, 0, train, split.train);
    move_nodes(group, train, validation, split.validation);
    move_nodes(group, validation, test, split.test);
  }
  return split;
}

Split draw_per_class(const Dataset& dataset, const SplitOptions& options, std::uint64_t seed) {
  if (dataset.labels.multi_label()) {
    refuse(dataset,
           "split random needs one class per node, here nodes have several; use fraction:0.6/0.2/0.2");
  }
  std::vector<std::vector<NodeId>> groups = nodes_by_class(dataset);
  shuffle_groups(groups, seed);
  Split split;
  std::vector<NodeId> rest;
  for (std::size_t c = 0; c < groups.size(); ++c) {
    const auto size = static_cast<Index>(groups[c].size());
    if (size < options.per_class) {
      refuse(dataset, "class \"" + dataset.class_names[c] + "\" has " + counted(size, "labelled node") +
                          ", " + describe(options) + " needs " + std::to_string(options.per_class) +
                          "; ask for fewer per class, or for fractions");
    }
    move_nodes(groups[c], 0, options.per_class, split.train);
    move_nodes(groups[c], options.per_class, size, rest);
  }
  // The order of drawing must not depend on how classes are numbered beyond the training nodes.
  std::sort(rest.begin(), rest.end());
  RandomStream(seed).derive(kRemaining).shuffle(rest);
  const auto left = static_cast<Index>(rest.size());
  const Index test =
      options.test == SplitOptions::kRest ? std::max<Index>(0, left - options.validation) : options.test;
  if (options.validation > left || test > left - options.validation) {
    refuse(dataset, "only " + counted(left, "labelled node") + " left after the training nodes, " +
                        describe(options) + " needs " + std::to_string(options.validation) + " + " +
                        std::to_string(test) + "; ask for fewer, or for `rest`");
  }
  move_nodes(rest, 0, options.validation, split.validation);
  move_nodes(rest, options.validation, options.validation + test, split.test);
  return split;
}

Split stored_split(const Dataset& dataset, Index index) {
  if (dataset.splits.empty()) {
    refuse(dataset, "its files hold no split; use random:20/500/1000, fraction:0.6/0.2/0.2 or a split file");
  }
  const auto count = static_cast<Index>(dataset.splits.size());
  if (index >= count) {
    refuse(dataset, "there is no stored split " + std::to_string(index) + "; it has " +
                        (count == 1 ? "one, number 0"
                                    : std::to_string(count) + ", numbers 0.." + std::to_string(count - 1)));
  }
  return dataset.splits[static_cast<std::size_t>(index)];
}

Split unchecked_split(const Dataset& dataset, const SplitOptions& options, std::uint64_t seed) {
  switch (options.kind) {
    case SplitOptions::Kind::automatic:
      if (!dataset.splits.empty()) return stored_split(dataset, options.index);
      return draw_fractions(dataset, SplitOptions{}, seed);
    case SplitOptions::Kind::stored:
      return stored_split(dataset, options.index);
    case SplitOptions::Kind::random:
      return draw_per_class(dataset, options, seed);
    case SplitOptions::Kind::fraction:
      return draw_fractions(dataset, options, seed);
    case SplitOptions::Kind::file:
      return read_split_file(options.path, dataset);
  }
  return {};
}

}  // namespace

bool SplitOptions::drawn(const Dataset& dataset) const {
  return kind == Kind::random || kind == Kind::fraction ||
         (kind == Kind::automatic && dataset.splits.empty());
}

Split make_split(const Dataset& dataset, const SplitOptions& options, std::uint64_t seed) {
  options.validate();
  if (dataset.labels.empty()) {
    refuse(dataset,
           "there are no labels, so nothing to train on or to score; add labels, for example a table "
           "labels.csv of node ids and classes beside the edges");
  }
  Split split = unchecked_split(dataset, options, seed);
  for (std::vector<NodeId>* part : {&split.train, &split.validation, &split.test}) {
    std::erase_if(*part, [&](NodeId node) { return !dataset.labels.labelled(node); });
    std::sort(part->begin(), part->end());
  }
  if (split.train.empty()) {
    refuse(dataset, "split " + describe(options) +
                        " has no labelled training node; use another split or label more nodes");
  }
  return split;
}

}  // namespace gat::inline GAT_PRECISION
