#include "gat/graph/statistics.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/pending/queue.hpp>
#include <string>

#include "gat/core/error.hpp"
#include "gat/graph/boost_graph.hpp"

namespace gat::inline GAT_PRECISION {

DegreeStatistics in_degree_statistics(const CsrGraph& graph) {
  DegreeStatistics result;
  if (graph.num_destinations() == 0) return result;
  result.smallest = graph.in_degree(0);
  for (Index i = 0; i < graph.num_destinations(); ++i) {
    const Index degree = graph.in_degree(i);
    result.smallest = std::min(result.smallest, degree);
    result.largest = std::max(result.largest, degree);
    result.num_isolated += degree == 0;
  }
  result.mean = static_cast<double>(graph.num_edges()) / static_cast<double>(graph.num_destinations());
  return result;
}

WeakComponents weak_components(const CsrGraph& graph) {
  if (graph.bipartite())
    throw UsageError("weak components need a graph whose sources and destinations are the same nodes");
  const std::size_t nodes = num_vertices(graph);
  std::vector<NodeId> rank(nodes);
  std::vector<NodeId> parent(nodes);
  boost::disjoint_sets<NodeId*, NodeId*> sets(rank.data(), parent.data());
  boost::initialize_incremental_components(graph, sets);
  boost::incremental_components(graph, sets);

  WeakComponents result;
  result.component_of.resize(nodes);
  std::vector<NodeId> number(nodes, NodeId(-1));
  std::vector<Index> size;
  for (std::size_t v = 0; v < nodes; ++v) {
    NodeId& known = number[static_cast<std::size_t>(sets.find_set(static_cast<NodeId>(v)))];
    if (known < 0) {
      known = static_cast<NodeId>(result.count++);
      size.push_back(0);
    }
    result.component_of[v] = known;
    result.largest = std::max(result.largest, ++size[static_cast<std::size_t>(known)]);
  }
  return result;
}

std::vector<NodeId> breadth_first_order(const CsrGraph& graph, NodeId start) {
  if (start < 0 || start >= graph.num_nodes()) {
    throw UsageError("breadth-first order: node " + std::to_string(start) + " is outside 0.." +
                     std::to_string(graph.num_nodes() - 1));
  }
  struct Recorder : boost::default_bfs_visitor {
    explicit Recorder(std::vector<NodeId>& nodes) : order(&nodes) {}
    void discover_vertex(NodeId node, const CsrGraph&) const { order->push_back(node); }
    std::vector<NodeId>* order;
  };
  std::vector<NodeId> order;
  std::vector<boost::default_color_type> colours(num_vertices(graph), boost::white_color);
  boost::queue<NodeId> queue;
  boost::breadth_first_visit(
      graph, start, queue, Recorder(order),
      boost::make_iterator_property_map(colours.begin(), get(boost::vertex_index, graph)));
  return order;
}

}  // namespace gat::inline GAT_PRECISION
