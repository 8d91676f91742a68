// Names of the graph policies, and the report in words.
#include "core/named_values.hpp"
#include "gat/graph/graph_builder.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<Direction, 2> kDirections{
    {{Direction::as_given, "as-given"}, {Direction::symmetrize, "symmetrize"}}};
constexpr NamedValues<SelfLoops, 5> kSelfLoops{{{SelfLoops::as_given, "as-given"},
                                                {SelfLoops::remove, "remove"},
                                                {SelfLoops::add_missing, "add-missing"},
                                                {SelfLoops::replace, "replace"},
                                                {SelfLoops::only_isolated, "only-isolated"}}};
constexpr NamedValues<Duplicates, 2> kDuplicates{{{Duplicates::merge, "merge"}, {Duplicates::keep, "keep"}}};
constexpr NamedValues<Dangling, 2> kDangling{{{Dangling::error, "error"}, {Dangling::drop, "drop"}}};
constexpr NamedValues<LoopFill, 6> kLoopFills{{{LoopFill::mean, "mean"},
                                               {LoopFill::sum, "sum"},
                                               {LoopFill::min, "min"},
                                               {LoopFill::max, "max"},
                                               {LoopFill::product, "product"},
                                               {LoopFill::constant, "constant"}}};

std::string counted(Index count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace

std::string_view name_of(Direction value) { return name_in(kDirections, value); }
std::string_view name_of(SelfLoops value) { return name_in(kSelfLoops, value); }
std::string_view name_of(Duplicates value) { return name_in(kDuplicates, value); }
std::string_view name_of(Dangling value) { return name_in(kDangling, value); }
std::string_view name_of(LoopFill value) { return name_in(kLoopFills, value); }
Direction direction_named(std::string_view name) { return value_in(kDirections, name, "direction"); }
SelfLoops self_loops_named(std::string_view name) { return value_in(kSelfLoops, name, "self-loop policy"); }
Duplicates duplicates_named(std::string_view name) { return value_in(kDuplicates, name, "duplicate policy"); }
Dangling dangling_named(std::string_view name) {
  return value_in(kDangling, name, "policy for dangling edges");
}
LoopFill loop_fill_named(std::string_view name) { return value_in(kLoopFills, name, "fill of self-loops"); }

std::vector<std::string> BuildReport::lines(const GraphPolicy& policy) const {
  std::vector<std::string> lines;
  if (num_dangling > 0) lines.push_back(counted(num_dangling, "dangling edge") + ", dropped");
  if (num_duplicates > 0) {
    const bool merged = policy.duplicates == Duplicates::merge;
    lines.push_back(counted(num_duplicates, "duplicate edge") + (merged ? ", merged" : ", kept"));
  }
  if (num_self_loops_removed > 0)
    lines.push_back(counted(num_self_loops_removed, "given self-loop") + " removed");
  if (num_one_way > 0 && policy.direction == Direction::as_given) {
    lines.push_back(std::to_string(num_one_way) + " of " + counted(num_distinct, "edge") +
                    (num_one_way == 1 ? " has" : " have") + " no reverse");
  }
  if (num_reversed_added > 0) lines.push_back(counted(num_reversed_added, "reverse edge") + " added");
  if (num_self_loops_added > 0) lines.push_back(counted(num_self_loops_added, "self-loop") + " added");
  if (num_isolated > 0) {
    lines.push_back(counted(num_isolated, "node") +
                    " without in-edges: output is the bias plus the residual");
  }
  return lines;
}

}  // namespace gat::inline GAT_PRECISION
