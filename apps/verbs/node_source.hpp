/// The nodes that a user asks about, batch by batch, by their original ids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gat/data/dataset.hpp"
#include "gat/data/node_index.hpp"

namespace gat::app {

/// Nothing = every node; "-" = standard input, one id per line; a path of a file of that form; else ids
/// separated by commas.
class NodeSource {
 public:
  /// The data set is borrowed. \param at_once  one batch of everything: where output must be whole or not
  /// at all, nothing is answered before every id is known. \throws FileError when the file cannot be opened
  NodeSource(const Dataset& dataset, const std::string& argument, bool at_once);
  ~NodeSource();
  NodeSource(const NodeSource&) = delete;
  NodeSource& operator=(const NodeSource&) = delete;

  /// Whether every node is asked for; then there is one batch.
  bool everything() const { return everything_; }
  /// Replaces the batch by the next one, as soon as at least one id can be read.
  /// \return false at the end. \throws InputError for an id that no node has
  bool next(std::vector<NodeId>& batch);

 private:
  bool next_lines(std::vector<NodeId>& batch);
  void add(std::string_view id, std::vector<NodeId>& batch);

  const Dataset& dataset_;
  NodeIndex index_;
  std::string place_;
  std::string text_;     // read, not yet answered
  int descriptor_ = -1;  // −1 = nothing to read
  bool everything_ = false;
  bool at_once_ = false;
  bool done_ = false;
  Index line_ = 0;
};

}  // namespace gat::app
