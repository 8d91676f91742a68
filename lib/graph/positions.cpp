#include "gat/graph/positions.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/named_values.hpp"
#include "gat/graph/laplacian_positions.hpp"
#include "gat/graph/random_walk_positions.hpp"
#include "gat/graph/sinusoidal_positions.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr Index kMostColumns = 100000;

Matrix by_number(const CsrGraph& graph, Index width, SinusoidalLayout layout, int num_threads) {
  std::vector<double> numbers(static_cast<std::size_t>(graph.num_nodes()));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return sinusoidal_positions(numbers, width, layout, num_threads);
}

using Encode = Matrix (*)(const CsrGraph& graph, std::span<const Real> weights, Index width, int num_threads);

struct NamedEncoding {
  PositionKind kind;
  std::string_view name;
  Encode encode;
};

constexpr NamedEncoding kTable[] = {
    {PositionKind::sinusoidal, "sinusoidal",
     [](const CsrGraph& graph, std::span<const Real>, Index width, int num_threads) {
       return by_number(graph, width, SinusoidalLayout::interleaved, num_threads);
     }},
    {PositionKind::sinusoidal_concatenated, "sinusoidal_concatenated",
     [](const CsrGraph& graph, std::span<const Real>, Index width, int num_threads) {
       return by_number(graph, width, SinusoidalLayout::concatenated, num_threads);
     }},
    {PositionKind::laplacian, "laplacian",
     [](const CsrGraph& graph, std::span<const Real> weights, Index width, int num_threads) {
       return laplacian_positions(graph, width, weights, num_threads).vectors;
     }},
    {PositionKind::random_walk, "random_walk",
     [](const CsrGraph& graph, std::span<const Real> weights, Index width, int num_threads) {
       return random_walk_positions(graph, width, weights, num_threads);
     }},
};

constexpr NamedValues<PositionKind, std::size(kTable)> kNames = [] {
  NamedValues<PositionKind, std::size(kTable)> names;
  for (std::size_t i = 0; i < std::size(kTable); ++i) names[i] = {kTable[i].kind, kTable[i].name};
  return names;
}();

const NamedEncoding& entry_of(PositionKind kind) {
  return *std::find_if(std::begin(kTable), std::end(kTable),
                       [&](const NamedEncoding& entry) { return entry.kind == kind; });
}

PositionEncoding parse_one(std::string_view text) {
  const std::size_t colon = text.find(':');
  const PositionKind kind = position_kind_named(text.substr(0, colon));
  Index width = 0;
  const std::string_view number = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), width);
  if (error != std::errc() || end != number.data() + number.size() || width < 1 || width > kMostColumns) {
    throw UsageError("\"" + std::string(text) +
                     "\" is no position encoding; expected NAME:WIDTH, for example " +
                     std::string(name_of(kind)) + ":8, with a width of 1 to " + std::to_string(kMostColumns));
  }
  if (kind == PositionKind::sinusoidal_concatenated && width % 2 != 0)
    throw UsageError("\"" + std::string(text) + "\": the width of this encoding is even");
  return {kind, width};
}

// 1 for every edge of the user's, 0 for added loops; empty where there are none.
std::vector<Real> weights_of(const CsrGraph& graph) {
  const auto users = graph.user_edge_ids();
  if (std::find(users.begin(), users.end(), kNone) == users.end()) return {};
  std::vector<Real> weights(users.size());
  std::transform(users.begin(), users.end(), weights.begin(),
                 [](EdgeId user) { return user == kNone ? Real(0) : Real(1); });
  return weights;
}

}  // namespace

std::string_view name_of(PositionKind kind) { return name_in(kNames, kind); }
std::vector<std::string_view> position_kind_names() {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : kNames) names.push_back(name);
  return names;
}
PositionKind position_kind_named(std::string_view name) {
  return value_in(kNames, name, "position encoding");
}

std::string describe(std::span<const PositionEncoding> encodings) {
  std::string text;
  for (const auto& [kind, width] : encodings)
    text += (text.empty() ? "" : ",") + std::string(name_of(kind)) + ":" + std::to_string(width);
  return text;
}

std::vector<PositionEncoding> parse_position_encodings(std::string_view text) {
  std::vector<PositionEncoding> encodings;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    encodings.push_back(parse_one(text.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) throw UsageError("a position encoding is missing after the last comma");
  }
  return encodings;
}

Index position_width(std::span<const PositionEncoding> encodings) {
  Index width = 0;
  for (const PositionEncoding& encoding : encodings) width += encoding.width;
  return width;
}

Matrix encode_positions(const CsrGraph& graph, std::span<const PositionEncoding> encodings, int num_threads) {
  Matrix positions(graph.num_nodes(), position_width(encodings));
  const std::vector<Real> weights = weights_of(graph);
  Index column = 0;
  for (const auto& [kind, width] : encodings) {
    const Matrix part = entry_of(kind).encode(graph, weights, width, num_threads);
    for (Index i = 0; i < part.rows(); ++i) std::copy_n(part.row(i), width, positions.row(i) + column);
    column += width;
  }
  return positions;
}

}  // namespace gat::inline GAT_PRECISION
