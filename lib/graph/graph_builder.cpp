#include "gat/graph/graph_builder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// One edge on its way into the graph.
struct Item {
  NodeId source;
  NodeId destination;
  EdgeId user_edge;
  bool reversed;
};

struct Sizes {
  Index sources;
  Index destinations;
  bool bipartite;
  EdgeId user_edges;
};

// The items of each group, stably sorted by key (source or destination).
struct Grouped {
  std::vector<EdgeId> offsets;
  std::vector<EdgeId> order;
};

template <class Key>
Grouped group(const std::vector<Item>& items, Index groups, const Key& key) {
  Grouped result;
  result.offsets.assign(static_cast<std::size_t>(groups) + 1, 0);
  for (const Item& item : items) ++result.offsets[static_cast<std::size_t>(key(item)) + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.order.resize(items.size());
  std::vector<EdgeId> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto slot = next[static_cast<std::size_t>(key(items[k]))]++;
    result.order[static_cast<std::size_t>(slot)] = static_cast<EdgeId>(k);
  }
  return result;
}

NodeId source_of(const Item& item) { return item.source; }
NodeId destination_of(const Item& item) { return item.destination; }
bool is_loop(const Item& item) { return item.source == item.destination; }

// Counts repeats per destination row: `seen[source]` remembers the last row that had the source.
void count_duplicates(const std::vector<Item>& items, const Grouped& rows, const Sizes& sizes,
                      BuildReport& report) {
  std::vector<NodeId> seen(static_cast<std::size_t>(sizes.sources), NodeId(-1));
  for (Index i = 0; i < sizes.destinations; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (EdgeId k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k) {
      const Item& item = items[static_cast<std::size_t>(rows.order[static_cast<std::size_t>(k)])];
      NodeId& last = seen[static_cast<std::size_t>(item.source)];
      if (last == i) ++report.num_duplicates;
      else if (sizes.bipartite || !is_loop(item)) ++report.num_distinct;
      last = static_cast<NodeId>(i);
    }
  }
}

// Marks the items whose reverse is not listed. For each node: mark its in-neighbours, then look at
// its out-edges; O(N + E) without any search.
std::vector<bool> one_way_items(const std::vector<Item>& items, const Grouped& rows, Index nodes,
                                BuildReport& report) {
  const Grouped columns = group(items, nodes, source_of);
  std::vector<bool> one_way(items.size(), false);
  std::vector<NodeId> in_neighbour_of(static_cast<std::size_t>(nodes), NodeId(-1));
  std::vector<NodeId> counted_for(static_cast<std::size_t>(nodes), NodeId(-1));
  for (Index u = 0; u < nodes; ++u) {
    const auto at = static_cast<std::size_t>(u);
    for (EdgeId k = rows.offsets[at]; k < rows.offsets[at + 1]; ++k) {
      const Item& item = items[static_cast<std::size_t>(rows.order[static_cast<std::size_t>(k)])];
      in_neighbour_of[static_cast<std::size_t>(item.source)] = static_cast<NodeId>(u);
    }
    for (EdgeId k = columns.offsets[at]; k < columns.offsets[at + 1]; ++k) {
      const auto which = static_cast<std::size_t>(columns.order[static_cast<std::size_t>(k)]);
      const auto other = static_cast<std::size_t>(items[which].destination);
      if (is_loop(items[which]) || in_neighbour_of[other] == u) continue;
      one_way[which] = true;
      if (std::exchange(counted_for[other], static_cast<NodeId>(u)) != u) ++report.num_one_way;
    }
  }
  return one_way;
}

// The items that become edges: loops dropped where the policy says so, each reverse copy right after
// its original.
std::vector<Item> selected_items(const std::vector<Item>& items, const std::vector<bool>& one_way,
                                 const GraphPolicy& policy, bool bipartite, BuildReport& report) {
  // Equal numbers on two sides are no loop, unless `replace` says that they name one thing.
  const bool drop_loops =
      policy.self_loops == SelfLoops::replace || (policy.self_loops == SelfLoops::remove && !bipartite);
  std::vector<Item> selected;
  selected.reserve(items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    const Item& item = items[k];
    if (drop_loops && is_loop(item)) {
      ++report.num_self_loops_removed;
      continue;
    }
    selected.push_back(item);
    if (policy.direction == Direction::symmetrize && one_way[k]) {
      selected.push_back({item.destination, item.source, item.user_edge, true});
    }
  }
  return selected;
}

bool wants_loop(SelfLoops policy, bool has_loop, bool is_empty, bool bipartite) {
  if (policy == SelfLoops::replace) return true;
  if (bipartite) return false;
  return (policy == SelfLoops::add_missing && !has_loop) || (policy == SelfLoops::only_isolated && is_empty);
}

// Lays the rows out: merged where the policy says so, added loops last.
class RowWriter {
 public:
  RowWriter(const Sizes& sizes, const GraphPolicy& policy, BuildReport& report)
      : sizes_(sizes), policy_(policy), report_(report) {
    parts_.num_sources = sizes.sources;
    parts_.num_destinations = sizes.destinations;
    parts_.bipartite = sizes.bipartite;
    parts_.row_offsets.reserve(static_cast<std::size_t>(sizes.destinations) + 1);
    parts_.edge_of_user.assign(static_cast<std::size_t>(sizes.user_edges), kNone);
    if (policy.direction == Direction::symmetrize) parts_.reverse_edge_of_user = parts_.edge_of_user;
    edge_from_.assign(static_cast<std::size_t>(sizes.sources), kNone);
  }

  void write_row(Index row, const std::vector<Item>& items, std::span<const EdgeId> order) {
    const auto row_begin = static_cast<EdgeId>(parts_.column_indices.size());
    bool has_loop = false;
    for (const EdgeId k : order) {
      const Item& item = items[static_cast<std::size_t>(k)];
      has_loop = has_loop || is_loop(item);
      EdgeId& known = edge_from_[static_cast<std::size_t>(item.source)];
      if (policy_.duplicates == Duplicates::merge && known >= row_begin) {
        ++report_.num_merged;
        remember(item, known);
        continue;
      }
      known = push(item.source, item.user_edge, item.reversed);
      report_.num_reversed_added += item.reversed;
      remember(item, known);
    }
    const bool in_both = row < std::min(sizes_.sources, sizes_.destinations);
    if (in_both && wants_loop(policy_.self_loops, has_loop, order.empty(), sizes_.bipartite)) {
      push(static_cast<NodeId>(row), kNone, false);
      ++report_.num_self_loops_added;
    }
    const auto row_end = static_cast<EdgeId>(parts_.column_indices.size());
    if (row_end == row_begin) ++report_.num_isolated;
    parts_.row_offsets.push_back(row_end);
  }

  CsrGraph finish() {
    report_.num_edges = static_cast<Index>(parts_.column_indices.size());
    return CsrGraph(std::move(parts_));
  }

 private:
  EdgeId push(NodeId source, EdgeId user_edge, bool reversed) {
    parts_.column_indices.push_back(source);
    parts_.user_edge_ids.push_back(user_edge);
    parts_.reversed.push_back(reversed ? 1 : 0);
    return static_cast<EdgeId>(parts_.column_indices.size()) - 1;
  }

  void remember(const Item& item, EdgeId edge) {
    auto& map = item.reversed ? parts_.reverse_edge_of_user : parts_.edge_of_user;
    map[static_cast<std::size_t>(item.user_edge)] = edge;
  }

  const Sizes& sizes_;
  const GraphPolicy& policy_;
  BuildReport& report_;
  CsrGraph::Parts parts_;
  std::vector<EdgeId> edge_from_;  // the newest edge from each source
};

BuiltGraph build(std::vector<Item> items, const Sizes& sizes, const GraphPolicy& policy, BuildReport report) {
  for (const Item& item : items) report.num_self_loops += is_loop(item) && !sizes.bipartite;
  std::vector<bool> one_way;
  {
    const Grouped rows = group(items, sizes.destinations, destination_of);
    count_duplicates(items, rows, sizes, report);
    if (!sizes.bipartite) one_way = one_way_items(items, rows, sizes.sources, report);
  }
  items = selected_items(items, one_way, policy, sizes.bipartite, report);
  const Grouped rows = group(items, sizes.destinations, destination_of);
  RowWriter writer(sizes, policy, report);
  for (Index i = 0; i < sizes.destinations; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto begin = rows.order.begin() + rows.offsets[at];
    writer.write_row(i, items,
                     std::span(begin, static_cast<std::size_t>(rows.offsets[at + 1] - rows.offsets[at])));
  }
  CsrGraph graph = writer.finish();
  return {std::move(graph), report};
}

std::vector<Item> checked_items(const EdgeList& edges, const Sizes& sizes, Dangling dangling,
                                BuildReport& report) {
  if (sizes.sources < 0 || sizes.destinations < 0)
    throw UsageError("a graph cannot have a negative number of nodes");
  if (edges.sources.size() != edges.destinations.size()) {
    throw ShapeError("edge list: " + std::to_string(edges.sources.size()) + " sources and " +
                     std::to_string(edges.destinations.size()) + " destinations; every edge needs both");
  }
  report.num_given = edges.size();
  std::vector<Item> items;
  items.reserve(edges.sources.size());
  for (std::size_t e = 0; e < edges.sources.size(); ++e) {
    const NodeId source = edges.sources[e];
    const NodeId destination = edges.destinations[e];
    if (source >= 0 && source < sizes.sources && destination >= 0 && destination < sizes.destinations) {
      items.push_back({source, destination, static_cast<EdgeId>(e), false});
      continue;
    }
    if (dangling == Dangling::error) {
      throw InputError("edge " + std::to_string(e), std::to_string(source) + " -> " +
                                                        std::to_string(destination) + " is outside 0.." +
                                                        std::to_string(sizes.sources - 1) + " -> 0.." +
                                                        std::to_string(sizes.destinations - 1) +
                                                        "; correct the ids or drop dangling edges");
    }
    ++report.num_dangling;
  }
  return items;
}

}  // namespace

BuiltGraph build_graph(const EdgeList& edges, Index num_nodes, const GraphPolicy& policy) {
  const Sizes sizes{num_nodes, num_nodes, false, edges.size()};
  BuildReport report;
  auto items = checked_items(edges, sizes, policy.dangling, report);
  return build(std::move(items), sizes, policy, report);
}

BuiltGraph build_bipartite_graph(const EdgeList& edges, Index num_sources, Index num_destinations,
                                 const GraphPolicy& policy) {
  if (policy.direction == Direction::symmetrize) {
    throw UsageError("a bipartite graph has no reverse edges; its direction must be as_given");
  }
  const Sizes sizes{num_sources, num_destinations, true, edges.size()};
  BuildReport report;
  auto items = checked_items(edges, sizes, policy.dangling, report);
  return build(std::move(items), sizes, policy, report);
}

BuiltGraph rebuild_graph(const CsrGraph& graph, const GraphPolicy& policy) {
  std::vector<Item> items;
  const auto edge_of_user = graph.edge_of_user();
  const auto user_edges = static_cast<EdgeId>(edge_of_user.size());
  std::vector<NodeId> destination_of_edge(static_cast<std::size_t>(graph.num_edges()));
  for (Index i = 0; i < graph.num_destinations(); ++i) {
    const EdgeRow row = graph.in_edges(i);
    for (Index k = 0; k < row.count; ++k) {
      destination_of_edge[static_cast<std::size_t>(row.edge(k))] = static_cast<NodeId>(i);
    }
  }
  items.reserve(edge_of_user.size());
  for (EdgeId u = 0; u < user_edges; ++u) {
    const EdgeId e = edge_of_user[static_cast<std::size_t>(u)];
    if (e == kNone) continue;
    const auto at = static_cast<std::size_t>(e);
    items.push_back({graph.column_indices()[at], destination_of_edge[at], u, false});
  }
  if (graph.bipartite() && policy.direction == Direction::symmetrize) {
    throw UsageError("a bipartite graph has no reverse edges; its direction must be as_given");
  }
  BuildReport report;
  report.num_given = user_edges;
  const Sizes sizes{graph.num_sources(), graph.num_destinations(), graph.bipartite(), user_edges};
  return build(std::move(items), sizes, policy, report);
}

}  // namespace gat::inline GAT_PRECISION
