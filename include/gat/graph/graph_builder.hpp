/// From a list of edges to a `CsrGraph`, by named policies, with a report of what was changed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gat/graph/csr_graph.hpp"

namespace gat::inline GAT_PRECISION {

/// Which way the messages of a listed edge go.
enum class Direction {
  as_given,    ///< source → destination only
  symmetrize,  ///< also the reverse, where the list does not hold it; applying it twice changes nothing
};

/// What happens with edges from a node to itself. PyG's layers `replace`; the original code of
/// Veličković et al. has exactly one loop per node (`add_missing` after merging); DGL adds none.
enum class SelfLoops {
  as_given,      ///< no loop is added; loops in the list are ordinary edges
  remove,        ///< loops in the list are dropped, none is added
  add_missing,   ///< nodes without a loop get one; the user's loops stay, with their features
  replace,       ///< the user's loops are dropped, then every node gets one
  only_isolated  ///< nodes without any in-edge get one
};

/// What happens with edges that repeat an earlier (source, destination).
enum class Duplicates {
  merge,  ///< one edge stays, with the lowest user edge id and the mean of the edge features
  keep    ///< each is an edge with its own attention coefficient
};

/// What happens with edges whose ends are not among the nodes.
enum class Dangling {
  error,  ///< `InputError` that names the first
  drop    ///< left out and counted
};

/// How the edge features of added self-loops come from the features of the other in-edges of the
/// node (PyG's `fill_value`). Nodes without other in-edges get the constant; under `product` 1, as in PyG.
enum class LoopFill { mean, sum, min, max, product, constant };

/// All policies that turn raw edges into the graph a model runs on.
struct GraphPolicy {
  Direction direction = Direction::as_given;
  SelfLoops self_loops = SelfLoops::add_missing;
  Duplicates duplicates = Duplicates::merge;
  Dangling dangling = Dangling::error;
  LoopFill loop_fill = LoopFill::mean;  ///< PyG's default
  double loop_fill_constant = 0;        ///< 0 as in PyG, where mean, sum, min and max have nothing
};

/// The names of the policies, as files and options spell them; unknown names throw `UsageError`
/// with the known ones.
std::string_view name_of(Direction value);
std::string_view name_of(SelfLoops value);
std::string_view name_of(Duplicates value);
std::string_view name_of(Dangling value);
std::string_view name_of(LoopFill value);
Direction direction_named(std::string_view name);
SelfLoops self_loops_named(std::string_view name);
Duplicates duplicates_named(std::string_view name);
Dangling dangling_named(std::string_view name);
LoopFill loop_fill_named(std::string_view name);

/// Edges as the user lists them; user edge id = position.
struct EdgeList {
  std::vector<NodeId> sources;
  std::vector<NodeId> destinations;

  Index size() const { return static_cast<Index>(sources.size()); }
  void add(NodeId source, NodeId destination) {
    sources.push_back(source);
    destinations.push_back(destination);
  }
};

/// What the builder found and did; all counts are of directed edges.
struct BuildReport {
  Index num_given = 0;           ///< edges listed
  Index num_dangling = 0;        ///< with an end outside the nodes (dropped)
  Index num_self_loops = 0;      ///< listed from a node to itself
  Index num_duplicates = 0;      ///< listed edges that repeat an earlier one
  Index num_one_way = 0;         ///< distinct listed edges (no loops) whose reverse is not listed
  Index num_distinct = 0;        ///< distinct listed edges without loops
  Index num_reversed_added = 0;  ///< reverse copies
  Index num_merged = 0;          ///< edges that merging removed
  Index num_self_loops_removed = 0;
  Index num_self_loops_added = 0;
  Index num_isolated = 0;  ///< destinations without any in-edge in the result
  Index num_edges = 0;     ///< edges of the result

  /// One line per fact that a user should know, for example "1 duplicate edge, merged".
  std::vector<std::string> lines(const GraphPolicy& policy) const;
};

/// A graph and the report about its making.
struct BuiltGraph {
  CsrGraph graph;
  BuildReport report;
};

/// Builds a graph whose sources and destinations are the same nodes; O(N + E).
/// \throws InputError for a dangling edge under Dangling::error; UsageError for negative sizes
BuiltGraph build_graph(const EdgeList& edges, Index num_nodes, const GraphPolicy& policy);

/// Builds a bipartite graph. Its sources and destinations are different things, so the direction
/// must be `as_given`; self-loops are added only when the policy asks for them by name (`replace`
/// pairs source i with destination i for i below both counts, as PyG's layers do).
BuiltGraph build_bipartite_graph(const EdgeList& edges, Index num_sources, Index num_destinations,
                                 const GraphPolicy& policy);

/// Applies a policy to a graph that was built before; user edge ids stay those of the first list.
BuiltGraph rebuild_graph(const CsrGraph& graph, const GraphPolicy& policy);

}  // namespace gat::inline GAT_PRECISION
