#include "options/block_choice.hpp"

#include <charconv>
#include <string>
#include <vector>

#include "gat/kernels/score.hpp"
#include "options/option_checks.hpp"

namespace gat::app {

namespace {

constexpr BlockChoice kBlocks[] = {{"gat", BlockKind::gat},
                                   {"attention", BlockKind::attention},
                                   {"transformer-conv", BlockKind::transformer_conv},
                                   {"pre-norm", BlockKind::form, BlockForm::pre_norm},
                                   {"post-norm", BlockKind::form, BlockForm::post_norm},
                                   {"residual", BlockKind::form, BlockForm::residual},
                                   {"gat-sep", BlockKind::form, BlockForm::separate},
                                   {"classic", BlockKind::form, BlockForm::classic},
                                   {"gps", BlockKind::form, BlockForm::gps}};

bool is_transformer(const BlockChoice& block) {
  return block.kind == BlockKind::transformer_conv ||
         (block.kind == BlockKind::form &&
          (block.form == BlockForm::pre_norm || block.form == BlockForm::post_norm));
}

// The K of "top:K". \param most  largest allowed
std::int64_t number_behind(std::string_view text, std::string_view prefix, std::int64_t most) {
  const std::string_view digits = text.substr(prefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
    throw UsageError("expected " + std::string(prefix) + "N with a whole number N, got \"" +
                     std::string(text) + "\"");
  within(number, 1, most);
  return number;
}

// "none" or a window with its width.
WindowChoice window_with_width(std::string_view text) {
  for (const std::string_view prefix : {"monotonic:", "predictive:"}) {
    if (text.starts_with(prefix))
      return {window_named(prefix.substr(0, prefix.size() - 1)),
              static_cast<Index>(number_behind(text, prefix, 1000000000))};
  }
  if (text == "none") return {};
  if (text == "monotonic" || text == "predictive")
    throw UsageError("\"" + std::string(text) + "\" needs a width, for example " + std::string(text) + ":10");
  one_of(text, {"none", "monotonic:W", "predictive:W"});
  throw UsageError("put a number in the place of W, for example monotonic:10");
}

// What stands behind a comma.
void add_window_word(std::string_view word, WindowChoice& choice) {
  one_of(word, {"multiplied", "cut"});
  if (choice.window == Window::none)
    throw UsageError("\"none\" is no window that could be " + std::string(word) +
                     "; name one, for example monotonic:10," + std::string(word));
  const bool cut = word == "cut";
  if (cut ? choice.window_edges : !choice.renormalize)
    throw UsageError("\"" + std::string(word) + "\" is named twice; leave one");
  if (cut) choice.window_edges = true;
  else choice.renormalize = false;
}

}  // namespace

bool needs_general_layer(const Settings& s) {
  return (s.score != "auto" && s.score != "gat") || s.select != "all" || s.window != "none" ||
         s.edge_use != "auto" || s.share_weights || s.gate || s.edge_loss > 0;
}

const BlockChoice& block_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const BlockChoice& block : kBlocks) {
    if (block.name == name) return block;
    names.push_back(block.name);
  }
  names.push_back("auto");
  throw UsageError("unknown block \"" + std::string(name) + "\"; " + known_names_hint(name, names));
}

const BlockChoice& block_of(const Settings& settings) {
  if (settings.block != "auto") return block_named(settings.block);
  return block_named(needs_general_layer(settings) ? "attention" : "gat");
}

std::string_view score_of(const Settings& settings) {
  if (settings.score != "auto") return settings.score;
  return is_transformer(block_of(settings)) ? "scaled_dot" : "gat";
}

std::vector<std::string_view> score_names() {
  std::vector<std::string_view> names;
  for (const ScoreDescription* score : score_table()) {
    if (score->name == "custom") continue;
    names.push_back(score->name);
    if (!score->alias.empty()) names.push_back(score->alias);
  }
  return names;
}

void check_score(std::string_view name) {
  std::vector<std::string_view> names = score_names();
  names.push_back("auto");
  for (const std::string_view known : names) {
    if (known == name) return;
  }
  throw UsageError("unknown score \"" + std::string(name) + "\"; " + known_names_hint(name, names));
}

Settings default_settings(const BlockChoice& block) {
  Settings s;
  if (block.kind == BlockKind::gat) return s;
  s.initial = block.kind == BlockKind::transformer_conv ? "fan-in" : "pyg";
  s.dropout_per_head = false;
  s.score_bias = false;
  s.value_dropout = 0;
  if (block.is_stack()) return s;
  s.hidden = {64};
  s.activation = block.form == BlockForm::classic || block.form == BlockForm::gps ? "relu" : "gelu";
  s.feature_dropout = 0.2;
  s.attention_dropout = 0;
  return s;
}

SelectionChoice parse_selection(std::string_view text) {
  if (text.starts_with("top:"))
    return {Selection::top_k, static_cast<int>(number_behind(text, "top:", 1000000))};
  one_of(text, {"all", "top:K", "argmax", "sampled"});
  if (text == "top:K") throw UsageError("put a number in the place of K, for example top:4");
  return {selection_named(text), 0};
}

WindowChoice parse_window(std::string_view text) {
  std::size_t comma = text.find(',');
  WindowChoice choice = window_with_width(text.substr(0, comma));
  while (comma != std::string_view::npos) {
    text.remove_prefix(comma + 1);
    comma = text.find(',');
    add_window_word(text.substr(0, comma), choice);
  }
  return choice;
}

Residual parse_residual(std::string_view name) {
  one_of(name, {"none", "identity", "learned", "auto"});
  return name == "auto" ? Residual::identity_or_learned : residual_named(name);
}

}  // namespace gat::app
