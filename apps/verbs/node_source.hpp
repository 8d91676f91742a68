/// The nodes that a user asks about, batch by batch, by their original ids.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "gat/data/dataset.hpp"
#include "gat/data/node_index.hpp"

namespace gat::app {

/// Nothing = every node; "-" = standard input, one id per line; ids of the data set separated by commas;
/// where these are no such ids, the path of a file with one id per line.
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
  /// \return false at the end. \throws InputError for an id that no node has; of ids that are read line by
  /// line, those before it come in a batch first. \throws UsageError for a list without any id
  bool next(std::vector<NodeId>& batch);

 private:
  bool next_lines(std::vector<NodeId>& batch);
  /// Whether every id of a list separated by commas is one of the data set.
  bool names_nodes(const std::string& list) const;
  void add(std::string_view id, std::vector<NodeId>& batch);
  /// \return false when the batch ends here and the failure comes with the next one
  bool add_line(std::string_view line, std::vector<NodeId>& batch);

  const Dataset& dataset_;
  NodeIndex index_;
  std::string place_;
  std::string text_;     // read, not yet answered
  int descriptor_ = -1;  // −1 = nothing to read
  bool everything_ = false;
  bool at_once_ = false;
  bool done_ = false;
  std::exception_ptr failure_;  // thrown by the next call
  Index line_ = 0;
};

}  // namespace gat::app
