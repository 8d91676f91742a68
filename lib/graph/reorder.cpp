#include "gat/graph/reorder.hpp"

#include <algorithm>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <deque>
#include <numeric>

#include "core/named_values.hpp"
#include "gat/core/error.hpp"
#include "gat/graph/boost_graph.hpp"
#include "gat/graph/statistics.hpp"
#include "graph/node_list.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<Reorder, 2> kReorders{{{Reorder::automatic, "auto"}, {Reorder::off, "off"}}};

void require_square(const CsrGraph& graph) {
  if (graph.bipartite())
    throw UsageError("an order of nodes needs a graph whose sources and destinations are the same nodes");
}

/// The nodes of each cluster, in their order.
struct Members {
  explicit Members(const Clusters& clusters)
      : begins(static_cast<std::size_t>(clusters.count) + 1, 0), nodes(clusters.cluster_of.size()) {
    for (const NodeId cluster : clusters.cluster_of) ++begins[static_cast<std::size_t>(cluster) + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::size_t> next = begins;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[next[static_cast<std::size_t>(clusters.cluster_of[i])]++] = static_cast<NodeId>(i);
    }
  }
  std::span<const NodeId> of(NodeId cluster) const {
    const auto at = static_cast<std::size_t>(cluster);
    return std::span(nodes).subspan(begins[at], begins[at + 1] - begins[at]);
  }
  std::vector<std::size_t> begins;
  std::vector<NodeId> nodes;
};

// Clusters that were not met yet and have edges with `cluster`: most edges first, then in order of number.
class NewNeighbours {
 public:
  NewNeighbours(const CsrGraph& graph, const Clusters& clusters, const Members& members)
      : graph_(graph),
        clusters_(clusters),
        members_(members),
        met_(static_cast<std::size_t>(clusters.count), false),
        edges_(static_cast<std::size_t>(clusters.count), 0) {}

  /// True the first time a cluster is asked for.
  bool meet(NodeId cluster) {
    const bool is_new = !met_[static_cast<std::size_t>(cluster)];
    met_[static_cast<std::size_t>(cluster)] = true;
    return is_new;
  }

  const std::vector<NodeId>& of(NodeId cluster) {
    found_.clear();
    for (const NodeId node : members_.of(cluster)) {
      count(graph_.in_edges(node));
      count(graph_.out_edges(node));
    }
    std::sort(found_.begin(), found_.end(), [&](NodeId a, NodeId b) {
      const Index more = edges_[static_cast<std::size_t>(a)] - edges_[static_cast<std::size_t>(b)];
      return more != 0 ? more > 0 : a < b;
    });
    for (const NodeId other : found_) {
      meet(other);
      edges_[static_cast<std::size_t>(other)] = 0;
    }
    return found_;
  }

 private:
  void count(const EdgeRow& row) {
    for (Index k = 0; k < row.count; ++k) {
      const NodeId other = clusters_.cluster_of[static_cast<std::size_t>(row.node(k))];
      if (met_[static_cast<std::size_t>(other)]) continue;
      if (edges_[static_cast<std::size_t>(other)]++ == 0) found_.push_back(other);
    }
  }

  const CsrGraph& graph_;
  const Clusters& clusters_;
  const Members& members_;
  std::vector<bool> met_;
  std::vector<Index> edges_;
  std::vector<NodeId> found_;
};

constexpr Index kClusterBytes = Index(1) << 20;

bool is_small(const CsrGraph& graph, Index row_bytes, const ReorderRule& rule) {
  require_square(graph);
  if (row_bytes < 1) throw UsageError("reordering: a row has at least one byte");
  return graph.num_nodes() <= rule.small_bytes / row_bytes;
}

}  // namespace

std::string_view name_of(Reorder reorder) { return name_in(kReorders, reorder); }
Reorder reorder_named(std::string_view name) { return value_in(kReorders, name, "rule of reordering"); }

std::vector<NodeId> cluster_order(const CsrGraph& graph, const Clusters& clusters) {
  require_square(graph);
  if (static_cast<Index>(clusters.cluster_of.size()) != graph.num_nodes()) {
    throw UsageError("clusters of " + std::to_string(clusters.cluster_of.size()) + " nodes for a graph of " +
                     std::to_string(graph.num_nodes()));
  }
  const Members members(clusters);
  NewNeighbours neighbours(graph, clusters, members);
  std::vector<NodeId> order;
  order.reserve(clusters.cluster_of.size());
  std::deque<NodeId> queue;
  for (NodeId start = 0; start < clusters.count; ++start) {
    if (neighbours.meet(start)) queue.push_back(start);
    while (!queue.empty()) {
      const NodeId cluster = queue.front();
      queue.pop_front();
      const std::span<const NodeId> nodes = members.of(cluster);
      order.insert(order.end(), nodes.begin(), nodes.end());
      const std::vector<NodeId>& found = neighbours.of(cluster);
      queue.insert(queue.end(), found.begin(), found.end());
    }
  }
  return order;
}

std::vector<NodeId> reverse_cuthill_mckee_order(const CsrGraph& graph) {
  require_square(graph);
  const CsrGraph both_ways =
      rebuild_graph(graph, {.direction = Direction::symmetrize, .self_loops = SelfLoops::remove}).graph;
  // Boost's own search for starts takes O(N) per component.
  const WeakComponents components = weak_components(both_ways);
  std::deque<NodeId> starts(static_cast<std::size_t>(components.count), NodeId(-1));
  for (NodeId node = 0; node < both_ways.num_nodes(); ++node) {
    NodeId& start = starts[static_cast<std::size_t>(components.component_of[static_cast<std::size_t>(node)])];
    if (start < 0 || both_ways.in_degree(node) < both_ways.in_degree(start)) start = node;
  }
  std::vector<NodeId> order(num_vertices(both_ways));
  std::vector<boost::default_color_type> colours(order.size());
  boost::cuthill_mckee_ordering(
      both_ways, starts, order.rbegin(),
      boost::make_iterator_property_map(colours.begin(), get(boost::vertex_index, both_ways)),
      boost::make_out_degree_map(both_ways));
  return order;
}

std::vector<NodeId> inverse_order(std::span<const NodeId> order) {
  return inverse_of(order, static_cast<Index>(order.size()));
}

// Rows are held while they were used in this generation or the one before. A generation ends when it has
// used half of the cache, so about the rows used last are held, at one look-up per edge.
double share_fetched(const CsrGraph& graph, std::span<const NodeId> order, Index cache_rows) {
  require_square(graph);
  if (!order.empty()) inverse_of(order, graph.num_nodes());
  if (graph.num_edges() == 0) return 0;
  const Index generation_rows = std::max<Index>(1, cache_rows / 2);
  std::vector<Index> used_in(static_cast<std::size_t>(graph.num_nodes()), -1);
  Index generation = 1;
  Index used = 0;
  Index fetched = 0;
  for (Index k = 0; k < graph.num_nodes(); ++k) {
    const EdgeRow row = graph.in_edges(order.empty() ? k : order[static_cast<std::size_t>(k)]);
    for (Index n = 0; n < row.count; ++n) {
      Index& last = used_in[static_cast<std::size_t>(row.node(n))];
      if (last == generation) continue;
      fetched += last < generation - 1;
      last = generation;
      if (++used < generation_rows) continue;
      ++generation;
      used = 0;
    }
  }
  return static_cast<double>(fetched) / static_cast<double>(graph.num_edges());
}

bool reordering_pays(const CsrGraph& graph, std::span<const NodeId> order, Index row_bytes,
                     const ReorderRule& rule) {
  if (is_small(graph, row_bytes, rule)) return false;
  const Index cache_rows = rule.cache_bytes / row_bytes;
  return share_fetched(graph, {}, cache_rows) - share_fetched(graph, order, cache_rows) >= rule.saved_share;
}

std::vector<NodeId> order_that_pays(const CsrGraph& graph, Index row_bytes, const ReorderRule& rule) {
  if (is_small(graph, row_bytes, rule)) return {};
  ClusterOptions options;
  options.max_nodes = std::max<Index>(1, kClusterBytes / row_bytes);
  std::vector<NodeId> order = cluster_order(graph, find_clusters(graph, options));
  if (!reordering_pays(graph, order, row_bytes, rule)) order.clear();
  return order;
}

}  // namespace gat::inline GAT_PRECISION
