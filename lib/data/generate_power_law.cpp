#include "gat/data/generate_power_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "gat/core/error.hpp"
#include "gat/core/random.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

enum Tag : std::uint64_t { kOrder = 1, kCommunities, kInside, kOutside };

/// Unordered pairs of nodes as (low << 32 | high), sorted.
using Pairs = std::vector<std::uint64_t>;

// Scales falling values to a sum, none above the cap: the largest are cut off, the others grow in return.
// Returns the factor of those not cut off, infinite when the cap is too low for the sum.
double scale_with_cap(std::vector<double>& values, double sum, double cap) {
  double rest = std::accumulate(values.begin(), values.end(), 0.0);
  std::size_t cut = 0;
  for (; cut < values.size() && sum * values[cut] > cap * rest; ++cut) {
    sum -= cap;
    rest -= values[cut];
    values[cut] = cap;
  }
  if (cut == values.size()) return sum > 0 ? std::numeric_limits<double>::infinity() : 0;
  const double factor = sum / rest;
  for (std::size_t k = cut; k < values.size(); ++k) values[k] *= factor;
  return factor;
}

std::vector<double> expected_degrees(const PowerLawOptions& options) {
  std::vector<double> degrees(static_cast<std::size_t>(options.num_nodes));
  const double power = -1 / (options.exponent - 1);
  for (std::size_t k = 0; k < degrees.size(); ++k) degrees[k] = std::pow(static_cast<double>(k + 1), power);
  scale_with_cap(degrees, static_cast<double>(options.num_edges), options.max_degree);
  return degrees;
}

// A hub cannot have all its edges inside: it would be joined with everybody there many times over.
std::vector<double> degrees_inside(const PowerLawOptions& options, const std::vector<double>& degrees) {
  const double wanted = options.community_share * static_cast<double>(options.num_edges);
  double cap = static_cast<double>(options.community_size) / 4;
  while (true) {
    std::vector<double> inside = degrees;
    if (scale_with_cap(inside, wanted, cap) <= 1 || cap >= degrees.front()) return inside;
    cap *= 2;
  }
}

/// Draws positions by weight: an inverse distribution function with a guide table (Chen and Asau 1974),
/// O(1) per draw.
class WeightedDraw {
 public:
  explicit WeightedDraw(const std::vector<double>& weights) : ends_(weights.size() + 1, 0.0) {
    std::partial_sum(weights.begin(), weights.end(), ends_.begin() + 1);
    guide_.resize(weights.size());
    std::size_t at = 0;
    for (std::size_t b = 0; b < guide_.size(); ++b) {
      const double x = ends_.back() * static_cast<double>(b) / static_cast<double>(guide_.size());
      while (at + 1 < guide_.size() && ends_[at + 1] <= x) ++at;
      guide_[b] = static_cast<NodeId>(at);
    }
  }

  /// A position in [first, last), where `uniform` in [0, 1) says.
  std::size_t operator()(double uniform, std::size_t first, std::size_t last) const {
    const double x = ends_[first] + uniform * (ends_[last] - ends_[first]);
    const auto b = static_cast<std::size_t>(x / ends_.back() * static_cast<double>(guide_.size()));
    auto at = static_cast<std::size_t>(guide_[std::min(b, guide_.size() - 1)]);
    // Rounding may put x one guide entry too far, or at the very end.
    while (at > first && ends_[at] > x) --at;
    while (at + 1 < last && ends_[at + 1] <= x) ++at;
    return std::clamp(at, first, last - 1);
  }
  std::size_t operator()(double uniform) const { return (*this)(uniform, 0, guide_.size()); }

 private:
  std::vector<double> ends_;
  std::vector<NodeId> guide_;
};

/// The nodes community by community.
struct Members {
  std::vector<NodeId> community_of;
  std::vector<std::size_t> begins;  ///< of each community in `nodes`, and the end
  std::vector<NodeId> nodes;
};

Members draw_communities(const PowerLawOptions& options) {
  const bool planted = options.community_share > 0;
  const Index count = planted ? std::max<Index>(1, options.num_nodes / options.community_size) : 1;
  const RandomStream stream = RandomStream(options.seed).derive(kCommunities);
  Members members;
  members.community_of.resize(static_cast<std::size_t>(options.num_nodes));
  members.begins.assign(static_cast<std::size_t>(count) + 1, 0);
  for (std::size_t i = 0; i < members.community_of.size(); ++i) {
    const std::uint64_t community = stream.below(i, static_cast<std::uint64_t>(count));
    members.community_of[i] = static_cast<NodeId>(community);
    ++members.begins[community + 1];
  }
  std::partial_sum(members.begins.begin(), members.begins.end(), members.begins.begin());
  members.nodes.resize(members.community_of.size());
  std::vector<std::size_t> next = members.begins;
  for (std::size_t i = 0; i < members.nodes.size(); ++i) {
    members.nodes[next[static_cast<std::size_t>(members.community_of[i])]++] = static_cast<NodeId>(i);
  }
  return members;
}

// Draws until there are `wanted` different pairs; draw(stream, k, u, v) says whether attempt k counts.
template <class Draw>
Pairs distinct_pairs(RandomStream stream, std::size_t wanted, const Draw& draw) {
  constexpr int kRounds = 200;  // each draws what is missing; only dense graphs need more
  Pairs pairs;
  pairs.reserve(wanted);
  std::uint64_t attempt = 0;
  for (int round = 0; round < kRounds && pairs.size() < wanted; ++round) {
    const std::size_t known = pairs.size();
    for (const std::uint64_t end = attempt + wanted - known; attempt < end; ++attempt) {
      NodeId u = 0;
      NodeId v = 0;
      if (!draw(stream.uniform(2 * attempt), stream.uniform(2 * attempt + 1), u, v) || u == v) continue;
      const auto low = static_cast<std::uint64_t>(std::min(u, v));
      pairs.push_back(low << 32 | static_cast<std::uint64_t>(std::max(u, v)));
    }
    const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(known);
    std::sort(middle, pairs.end());
    std::inplace_merge(pairs.begin(), middle, pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }
  return pairs;
}

Pairs draw_pairs(const PowerLawOptions& options, const Members& members) {
  const auto nodes = static_cast<std::size_t>(options.num_nodes);
  const auto wanted = static_cast<std::size_t>(options.num_edges / 2);
  const auto wanted_inside =
      static_cast<std::size_t>(std::llround(options.community_share * static_cast<double>(wanted)));
  std::vector<NodeId> rank(nodes);
  std::iota(rank.begin(), rank.end(), NodeId(0));
  RandomStream(options.seed).derive(kOrder).shuffle(rank);
  const std::vector<double> degrees = expected_degrees(options);
  const std::vector<double> within = degrees_inside(options, degrees);
  std::vector<double> inside_weights(nodes);
  std::vector<double> outside_weights(nodes);
  for (std::size_t at = 0; at < nodes; ++at) {
    const auto k = static_cast<std::size_t>(rank[static_cast<std::size_t>(members.nodes[at])]);
    inside_weights[at] = within[k];
    outside_weights[at] = std::max(0.0, degrees[k] - within[k]);
  }

  const auto community_at = [&](std::size_t at) {
    return static_cast<std::size_t>(members.community_of[static_cast<std::size_t>(members.nodes[at])]);
  };
  const RandomStream stream(options.seed);
  const WeightedDraw inside(inside_weights);
  Pairs pairs = distinct_pairs(
      stream.derive(kInside), wanted_inside, [&](double first, double second, NodeId& u, NodeId& v) {
        const std::size_t at = inside(first);
        const std::size_t home = community_at(at);
        u = members.nodes[at];
        v = members.nodes[inside(second, members.begins[home], members.begins[home + 1])];
        return true;
      });
  const WeightedDraw outside(outside_weights);
  const Pairs others = distinct_pairs(stream.derive(kOutside), wanted - wanted_inside,
                                      [&](double first, double second, NodeId& u, NodeId& v) {
                                        const std::size_t a = outside(first);
                                        const std::size_t b = outside(second);
                                        u = members.nodes[a];
                                        v = members.nodes[b];
                                        return wanted_inside == 0 || community_at(a) != community_at(b);
                                      });
  const auto middle = static_cast<std::ptrdiff_t>(pairs.size());
  pairs.insert(pairs.end(), others.begin(), others.end());
  std::inplace_merge(pairs.begin(), pairs.begin() + middle, pairs.end());
  return pairs;
}

// Sorted pairs fill every row in rising order: first the pairs that end in a node, then those that begin.
CsrGraph graph_of_pairs(const Pairs& pairs, const PowerLawOptions& options) {
  const auto low = [](std::uint64_t pair) { return static_cast<std::size_t>(pair >> 32); };
  const auto high = [](std::uint64_t pair) { return static_cast<std::size_t>(pair & 0xffffffffU); };
  const auto nodes = static_cast<std::size_t>(options.num_nodes);
  CsrGraph::Parts parts;
  parts.num_sources = parts.num_destinations = options.num_nodes;
  parts.row_offsets.assign(nodes + 1, 0);
  for (const std::uint64_t pair : pairs) {
    ++parts.row_offsets[low(pair) + 1];
    ++parts.row_offsets[high(pair) + 1];
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    parts.row_offsets[i + 1] += parts.row_offsets[i] + (options.self_loops ? 1 : 0);
  }
  parts.column_indices.resize(static_cast<std::size_t>(parts.row_offsets.back()));
  std::vector<EdgeId> next(parts.row_offsets.begin(), parts.row_offsets.end() - 1);
  for (const std::uint64_t pair : pairs) {
    parts.column_indices[static_cast<std::size_t>(next[high(pair)]++)] = static_cast<NodeId>(low(pair));
    parts.column_indices[static_cast<std::size_t>(next[low(pair)]++)] = static_cast<NodeId>(high(pair));
  }
  parts.user_edge_ids.resize(parts.column_indices.size());
  parts.reversed.assign(parts.column_indices.size(), 0);
  parts.edge_of_user.reserve(2 * pairs.size());
  for (std::size_t i = 0; i < nodes; ++i) {
    for (EdgeId e = parts.row_offsets[i]; e < next[i]; ++e) {
      parts.user_edge_ids[static_cast<std::size_t>(e)] = static_cast<EdgeId>(parts.edge_of_user.size());
      parts.edge_of_user.push_back(e);
    }
    if (!options.self_loops) continue;
    parts.column_indices[static_cast<std::size_t>(next[i])] = static_cast<NodeId>(i);
    parts.user_edge_ids[static_cast<std::size_t>(next[i])] = kNone;
  }
  return CsrGraph(std::move(parts));
}

void require(bool condition, const char* message) {
  if (!condition) throw UsageError(std::string("power-law graph: ") + message);
}

}  // namespace

void PowerLawOptions::validate() const {
  require(num_nodes >= 1 && num_nodes < (Index(1) << 31), "num_nodes must be in 1..2^31 - 1");
  require(num_edges >= 0 && num_edges % 2 == 0 && num_edges / num_nodes <= num_nodes - 1,
          "num_edges must be even and at most num_nodes · (num_nodes - 1)");
  require(exponent > 2 && exponent <= 100, "exponent must be in (2, 100]");
  require(max_degree * static_cast<double>(num_nodes) >= static_cast<double>(num_edges),
          "max_degree must be at least the mean degree");
  require(community_share >= 0 && community_share <= 1, "community_share must be in [0, 1]");
  require(community_size >= 1, "community_size must be at least 1");
}

PowerLawOptions arxiv_shaped(std::uint64_t seed) {
  PowerLawOptions options;
  options.num_nodes = 169343;
  options.num_edges = 2323312;
  options.self_loops = true;
  options.seed = seed;
  return options;
}

PowerLawOptions million_nodes(std::uint64_t seed) {
  PowerLawOptions options;
  options.num_nodes = 1000000;
  options.num_edges = 16000000;
  options.max_degree = 4000;
  options.self_loops = true;
  options.seed = seed;
  return options;
}

PowerLawGraph generate_power_law(const PowerLawOptions& options) {
  options.validate();
  Members members = draw_communities(options);
  PowerLawGraph result;
  result.graph = graph_of_pairs(draw_pairs(options, members), options);
  if (options.community_share > 0) result.communities = std::move(members.community_of);
  return result;
}

}  // namespace gat::inline GAT_PRECISION
