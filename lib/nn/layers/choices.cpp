#include "gat/nn/layers/choices.hpp"

#include "core/named_values.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<HeadMerge, 2> kMerges{{{HeadMerge::concat, "concat"}, {HeadMerge::mean, "mean"}}};
constexpr NamedValues<Residual, 4> kResiduals{{{Residual::none, "none"},
                                               {Residual::identity, "identity"},
                                               {Residual::learned, "learned"},
                                               {Residual::identity_or_learned, "identity-or-learned"}}};
constexpr NamedValues<InitialScheme, 4> kSchemes{{{InitialScheme::original, "original"},
                                                  {InitialScheme::pyg, "pyg"},
                                                  {InitialScheme::dgl, "dgl"},
                                                  {InitialScheme::fan_in, "fan-in"}}};

}  // namespace

std::string_view name_of(HeadMerge value) { return name_in(kMerges, value); }
std::string_view name_of(Residual value) { return name_in(kResiduals, value); }
std::string_view name_of(InitialScheme value) { return name_in(kSchemes, value); }
HeadMerge head_merge_named(std::string_view name) { return value_in(kMerges, name, "merge of heads"); }
Residual residual_named(std::string_view name) { return value_in(kResiduals, name, "residual"); }
InitialScheme initial_scheme_named(std::string_view name) {
  return value_in(kSchemes, name, "initial scheme");
}

Residual residual_for(Residual residual, Index in_width, Index out_width) {
  if (residual != Residual::identity_or_learned) return residual;
  return in_width == out_width ? Residual::identity : Residual::learned;
}

Initializer weight_initializer(InitialScheme scheme) {
  switch (scheme) {
    case InitialScheme::original:
      return Initializer::glorot_per_head;
    case InitialScheme::dgl:
      return Initializer::xavier_normal_relu;
    case InitialScheme::fan_in:
      return Initializer::uniform_fan_in;
    case InitialScheme::pyg:
      break;
  }
  return Initializer::glorot_joined;
}

Initializer attention_initializer(InitialScheme scheme) {
  switch (scheme) {
    case InitialScheme::original:
      return Initializer::glorot_attention_half;
    case InitialScheme::dgl:
      return Initializer::xavier_normal_attention;
    case InitialScheme::pyg:
    case InitialScheme::fan_in:
      break;
  }
  return Initializer::glorot_attention_rows;
}

Initializer bias_initializer(InitialScheme scheme) {
  const bool drawn = scheme == InitialScheme::pyg || scheme == InitialScheme::fan_in;
  return drawn ? Initializer::uniform_fan_in : Initializer::zeros;
}

}  // namespace gat::inline GAT_PRECISION
