/// What --block, --score and the options of the general attention layer name.
#pragma once

#include <string_view>
#include <vector>

#include "gat/nn/layers/attention_options.hpp"
#include "gat/nn/network_builder.hpp"
#include "settings.hpp"

namespace gat::app {

/// What a network is made of.
enum class BlockKind {
  gat,               ///< the original's layers, one after the other
  attention,         ///< general attention layers, one after the other
  transformer_conv,  ///< the same as TransformerConv: root weight, optional gate
  form               ///< blocks of `BlockForm` between an input and an output map
};

struct BlockChoice {
  std::string_view name;
  BlockKind kind;
  BlockForm form = BlockForm::plain;

  bool is_stack() const { return kind != BlockKind::form; }
};

/// \throws UsageError for an unknown name, with the known ones; "auto" is not one
const BlockChoice& block_named(std::string_view name);
/// Whether a choice is set that the original's layer does not have.
bool needs_general_layer(const Settings& settings);
/// "auto" decided: `gat`, or `attention` where an option needs the general layer.
const BlockChoice& block_of(const Settings& settings);
/// "auto" decided: `scaled_dot` in Transformers, else `gat`.
std::string_view score_of(const Settings& settings);
/// Names and aliases of the scores that the program has: all but "custom", which only C++ can provide.
std::vector<std::string_view> score_names();
/// \throws UsageError for an unknown name and for "custom"
void check_score(std::string_view name);

/// The settings that a run with this block starts from, before recipes, files and options.
Settings default_settings(const BlockChoice& block);

struct SelectionChoice {
  Selection selection = Selection::all;
  int top_k = 0;
};
/// "all", "top:K", "argmax", "sampled". \throws UsageError for anything else
SelectionChoice parse_selection(std::string_view text);

struct WindowChoice {
  Window window = Window::none;
  Index width = 0;
  bool renormalize = true;    ///< not "multiplied"
  bool window_edges = false;  ///< "cut"
};
/// "none", or "monotonic:W" or "predictive:W" with ",multiplied" and ",cut" behind in any order.
/// \throws UsageError for anything else
WindowChoice parse_window(std::string_view text);

/// "auto" is identity_or_learned. \throws UsageError for an unknown name
Residual parse_residual(std::string_view name);

}  // namespace gat::app
