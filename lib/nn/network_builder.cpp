#include "gat/nn/network_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/named_values.hpp"
#include "gat/nn/layers/layer_norm.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<BlockForm, 7> kForms{{{BlockForm::plain, "plain"},
                                            {BlockForm::classic, "classic"},
                                            {BlockForm::pre_norm, "pre-norm"},
                                            {BlockForm::post_norm, "post-norm"},
                                            {BlockForm::residual, "residual"},
                                            {BlockForm::separate, "separate"},
                                            {BlockForm::gps, "gps"}}};
constexpr NamedValues<NormKind, 4> kNorms{{{NormKind::none, "none"},
                                           {NormKind::layer_norm, "layer"},
                                           {NormKind::graph_layer_norm, "graph-layer"},
                                           {NormKind::batch_norm, "batch"}}};
constexpr NamedValues<JumpingKnowledge, 5> kJumps{{{JumpingKnowledge::none, "none"},
                                                   {JumpingKnowledge::concat, "concat"},
                                                   {JumpingKnowledge::max, "max"},
                                                   {JumpingKnowledge::sum, "sum"},
                                                   {JumpingKnowledge::lstm, "lstm"}}};

std::string text(std::string_view name) { return std::string(name); }

bool begins_with_norm(BlockForm form) {
  return form == BlockForm::pre_norm || form == BlockForm::residual || form == BlockForm::separate;
}

// The steps of one block.
class BlockWriter {
 public:
  BlockWriter(const BlockNetworkOptions& options, std::string prefix, NetworkBuilder& builder)
      : o_(options), prefix_(std::move(prefix)), builder_(builder) {}

  std::string block(const std::string& x) {
    switch (o_.form) {
      case BlockForm::plain:
        return activation(attention(x));
      case BlockForm::classic: {
        const std::string both =
            builder_.step(prefix_ + "sum", {"add", {{"map", text("learned")}}}, {attention(x), x});
        return dropped("dropout", activation(norm("norm", both)));
      }
      case BlockForm::pre_norm: {
        const std::string y = sum("attention_sum", dropped_attention(norm("attention_norm", x)), x);
        return sum("sum", feed_forward(norm("norm", y)), y);
      }
      case BlockForm::post_norm: {
        const std::string y = norm("attention_norm", sum("attention_sum", dropped_attention(x), x));
        return norm("norm", sum("sum", feed_forward(y), y));
      }
      case BlockForm::residual:
        return sum("sum", feed_forward(attention(norm("norm", x))), x);
      case BlockForm::separate: {
        const std::string own = norm("norm", x);
        const std::string both = builder_.step(prefix_ + "both", {"concat", {}}, {own, attention(own)});
        return sum("sum", feed_forward(both), x);
      }
      case BlockForm::gps:
        break;
    }
    const std::string local = norm("attention_norm", sum("attention_sum", dropped_attention(x), x));
    const std::string everywhere =
        dropped("global_dropout",
                builder_.step(prefix_ + "global_attention", o_.global_attention, x, StepEdges::complete));
    const std::string global = norm("global_norm", sum("global_sum", everywhere, x));
    const std::string y = sum("both", local, global);
    return norm("norm", sum("sum", feed_forward(y), y));
  }

 private:
  std::string attention(const std::string& x) {
    return builder_.step(prefix_ + "attention", o_.attention, x);
  }
  std::string dropped_attention(const std::string& x) { return dropped("attention_dropout", attention(x)); }
  std::string dropped(const char* name, const std::string& x) {
    return builder_.dropout(prefix_ + name, o_.dropout, x);
  }
  std::string norm(const char* name, const std::string& x) {
    return builder_.norm(prefix_ + name, o_.norm, x);
  }
  std::string sum(const char* name, const std::string& branch, const std::string& carried) {
    return builder_.residual(prefix_ + name, branch, carried);
  }
  std::string activation(const std::string& x) {
    return builder_.step(prefix_ + "activation",
                         {"activation",
                          {{"activation", text(name_of(o_.activation.kind))},
                           {"activation_parameter", o_.activation.parameter}}},
                         x);
  }
  std::string feed_forward(const std::string& x) {
    const double width = std::round(o_.feed_forward_factor * static_cast<double>(o_.hidden));
    return builder_.step(prefix_ + "feed_forward",
                         {"feed_forward",
                          {{"hidden_features", static_cast<std::int64_t>(std::max(width, 1.0))},
                           {"out_features", o_.hidden},
                           {"activation", text(name_of(o_.activation.kind))},
                           {"activation_parameter", o_.activation.parameter},
                           {"dropout", o_.dropout},
                           {"dropout_before_activation", o_.dropout_before_activation},
                           {"output_dropout", o_.dropout}}},
                         x);
  }

  const BlockNetworkOptions& o_;
  std::string prefix_;
  NetworkBuilder& builder_;
};

std::string input_map(const BlockNetworkOptions& o, const std::string& features, NetworkBuilder& builder) {
  const Activation activation = o.input_activation ? o.activation : Activation();
  return builder.step("input",
                      {"linear",
                       {{"out_features", o.hidden},
                        {"argument_dropout", o.dropout},
                        {"activation", text(name_of(activation.kind))},
                        {"activation_parameter", activation.parameter}}},
                      features);
}

// What the first block reads.
std::string first_input(const BlockNetworkOptions& o, NetworkBuilder& builder) {
  const auto positions = [&](PositionJoin join, const std::string& x) {
    if (!o.positions || o.positions->join != join) return x;
    return builder.step("positions", o.positions->describe(), x);
  };
  const std::string features = positions(PositionJoin::concat, "features");
  return positions(PositionJoin::add, o.input_map ? input_map(o, features, builder) : features);
}

}  // namespace

std::string_view name_of(BlockForm value) { return name_in(kForms, value); }
std::string_view name_of(NormKind value) { return name_in(kNorms, value); }
std::string_view name_of(JumpingKnowledge value) { return name_in(kJumps, value); }
BlockForm block_form_named(std::string_view name) { return value_in(kForms, name, "form of blocks"); }
NormKind norm_kind_named(std::string_view name) { return value_in(kNorms, name, "norm"); }
JumpingKnowledge jumping_knowledge_named(std::string_view name) {
  return value_in(kJumps, name, "jumping knowledge");
}

void BlockNetworkOptions::validate() const {
  if (num_features < 0 || edge_features < 0) throw UsageError("feature widths cannot be negative");
  if (num_outputs < 1)
    throw UsageError("num_outputs is " + std::to_string(num_outputs) + "; it is at least 1");
  if (hidden < 1) throw UsageError("hidden is " + std::to_string(hidden) + "; it is at least 1");
  if (num_blocks < 1) throw UsageError("num_blocks is " + std::to_string(num_blocks) + "; it is at least 1");
  if (!(dropout >= 0 && dropout < 1))
    throw UsageError("dropout is " + std::to_string(dropout) + "; a drop probability lies in [0, 1)");
  if (!(feed_forward_factor > 0 && std::isfinite(feed_forward_factor))) {
    throw UsageError("feed_forward_factor is " + std::to_string(feed_forward_factor) +
                     "; it must be positive");
  }
}

NetworkDescription block_network(const BlockNetworkOptions& options) {
  options.validate();
  NetworkBuilder builder(options.num_features, options.edge_features);
  std::string x = first_input(options, builder);
  std::vector<std::string> results;
  for (int k = 0; k < options.num_blocks; ++k) {
    x = builder.block(options, "blocks." + std::to_string(k) + ".", x);
    results.push_back(x);
  }
  x = builder.jumping("jumping", options.jumping, results);
  if (begins_with_norm(options.form)) x = builder.norm("norm", options.norm, x);
  if (options.readout)
    x = builder.step("readout", {"readout", {{"pooling", text(name_of(*options.readout))}}}, x);
  builder.step("output", {"linear", {{"out_features", options.num_outputs}}}, x);
  return builder.description();
}

NetworkDescription plain_stack(Index num_features, Index edge_features,
                               const std::vector<LayerDescription>& layers) {
  NetworkBuilder builder(num_features, edge_features);
  std::string x = "features";
  for (std::size_t k = 0; k < layers.size(); ++k)
    x = builder.step("layers." + std::to_string(k), layers[k], x);
  return builder.description();
}

std::string NetworkBuilder::step(std::string name, LayerDescription layer, InputNames inputs,
                                 StepEdges edges) {
  description_.steps.push_back({std::move(layer), std::move(name), std::move(inputs), edges});
  return description_.steps.back().name;
}

std::string NetworkBuilder::block(const BlockNetworkOptions& options, std::string prefix,
                                  const std::string& input) {
  options.validate();
  return BlockWriter(options, std::move(prefix), *this).block(input);
}

std::string NetworkBuilder::residual(std::string name, const std::string& branch,
                                     const std::string& carried) {
  return step(std::move(name), {"add", {{"map", std::string("identity-or-learned")}}}, {branch, carried});
}

std::string NetworkBuilder::norm(std::string name, NormKind kind, const std::string& input) {
  switch (kind) {
    case NormKind::none:
      return input;
    case NormKind::layer_norm:
      return step(std::move(name), {"layer_norm", {}}, input);
    case NormKind::graph_layer_norm:
      return step(std::move(name), {"layer_norm", {{"mode", text(name_of(LayerNormMode::graph))}}}, input);
    case NormKind::batch_norm:
      break;
  }
  return step(std::move(name), {"batch_norm", {}}, input);
}

std::string NetworkBuilder::dropout(std::string name, double probability, const std::string& input) {
  if (probability == 0) return input;
  return step(std::move(name), {"dropout", {{"dropout", probability}}}, input);
}

std::string NetworkBuilder::jumping(std::string name, JumpingKnowledge kind,
                                    const std::vector<std::string>& results) {
  switch (kind) {
    case JumpingKnowledge::none:
      return results.back();
    case JumpingKnowledge::concat:
      return step(std::move(name), {"concat", {}}, results);
    case JumpingKnowledge::max:
      return step(std::move(name), {"max", {}}, results);
    case JumpingKnowledge::lstm:
      return step(std::move(name), {"lstm_attention", {}}, results);
    case JumpingKnowledge::sum:
      break;
  }
  if (results.size() == 1) return results.back();
  return step(std::move(name), {"add", {{"map", std::string("identity")}}}, results);
}

}  // namespace gat::inline GAT_PRECISION
