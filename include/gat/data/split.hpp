/// Splits by name: the stored ones, and drawn ones.
#pragma once

#include <cstdint>
#include <string>

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// How the nodes are divided.
struct SplitOptions {
  enum class Kind {
    automatic,  ///< stored split `index` when there is one, else fractions 0.6/0.2/0.2
    stored,     ///< stored split `index` ("public" is the stored split 0 of a Planetoid set)
    random,     ///< `per_class` training nodes of each class, then `validation`, then `test` nodes
    fraction,   ///< fractions of the labelled nodes, stratified by class
    file        ///< a table: node id, part (train | validation | test)
  };
  static constexpr Index kRest = -1;  ///< as `test`: all labelled nodes that are left

  Kind kind = Kind::automatic;
  Index index = 0;
  Index per_class = 20, validation = 500, test = 1000;  ///< Planetoid's protocol (Yang et al. 2016)
  double train_fraction = 0.6, validation_fraction = 0.2, test_fraction = 0.2;
  std::string path;

  bool drawn(const Dataset& dataset) const;  ///< whether the split depends on the seed
  /// Throws `UsageError` for negative numbers, an empty training part, or fractions that sum to more
  /// than 1.
  void validate() const;
};

/// Reads `auto` (or `auto:K`), `public`, `stored:K` (or `index:K`), `random`, `random:20/500/1000` (the
/// last may be `rest`), `fraction:0.6/0.2/0.2` (or the bare fractions), `file:PATH`, or a path that has
/// a `/` or a `.` or exists. \throws UsageError with the known forms for anything else
SplitOptions parse_split(const std::string& text);
/// The canonical text of the options; parse_split gives them back.
std::string describe(const SplitOptions& options);

/// Makes the split; unlabelled nodes are in no part. It depends on the data set, the options and the
/// seed alone, never on the platform.
///
/// `fraction` cuts each class at the rounded cumulated fractions and gives every class a training node;
/// nodes with several labels are one class. `random` needs one class per node. A file is a table of
/// original node ids and parts; nodes that it does not list are in no part.
/// \throws UsageError when the data set has no labels, no such split or too few nodes; InputError for
/// a bad file
Split make_split(const Dataset& dataset, const SplitOptions& options, std::uint64_t seed);

}  // namespace gat::inline GAT_PRECISION
