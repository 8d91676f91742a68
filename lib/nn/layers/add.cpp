#include "gat/nn/layers/add.hpp"

#include <string>

#include "core/named_values.hpp"
#include "gat/kernels/combine.hpp"
#include "gat/kernels/linear.hpp"
#include "nn/layers/rows.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<AddMap, 3> kMaps{{{AddMap::identity, "identity"},
                                        {AddMap::learned, "learned"},
                                        {AddMap::identity_or_learned, "identity-or-learned"}}};

}  // namespace

std::string_view name_of(AddMap value) { return name_in(kMaps, value); }
AddMap add_map_named(std::string_view name) { return value_in(kMaps, name, "map of a sum"); }

AddLayer::AddLayer(std::span<const Index> in_features, AddMap map)
    : widths_(in_features.begin(), in_features.end()), map_(map), weights_(in_features.size(), -1) {
  if (widths_.size() < 2) throw UsageError("add layer: needs at least two inputs to add");
  for (std::size_t k = 1; k < widths_.size(); ++k) {
    const bool is_same = widths_[k] == widths_.front();
    if (map == AddMap::identity && !is_same) {
      throw UsageError("add layer: inputs of widths " + std::to_string(widths_.front()) + " and " +
                       std::to_string(widths_[k]) +
                       " cannot be added as they are; use the map \"identity-or-learned\"");
    }
    if (map != AddMap::learned && is_same) continue;
    weights_[k] = static_cast<Index>(parameters_.size());
    parameters_.push_back(
        matrix_spec("weight_" + std::to_string(k), widths_.front(), widths_[k], Initializer::glorot_joined));
  }
}

Index AddLayer::check_input(const GraphView& graph, const LayerInput& input) const {
  check_dense_inputs("add", graph, input, widths_);
  return output_width();
}

void AddLayer::forward(const Context& c, const LayerInput& input, MatrixView output) const {
  const Workspace::Scope scope(c.workspace);
  std::vector<ConstMatrixView> parts;
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    const FeatureView& rows = input.input(static_cast<Index>(k));
    if (weights_[k] < 0) {
      parts.push_back(dense_rows(rows, output.rows, c.workspace));
      continue;
    }
    const MatrixView mapped = c.workspace.matrix(output.rows, output.cols);
    linear_forward({first_rows(rows, output.rows), {}, {}}, c.weights[weights_[k]], mapped, c.execution,
                   c.workspace);
    parts.push_back(mapped);
  }
  sum_rows(parts, output, c.execution);
}

void AddLayer::backward(const Context& c, const LayerInput& input, ConstMatrixView /*output*/,
                        ConstMatrixView d_output, const InputGradient& d_input,
                        const Gradients& gradients) const {
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    const auto number = static_cast<Index>(k);
    const RowGradient d_x = first_rows(d_input.input(number), d_output.rows);
    if (weights_[k] < 0) {
      if (!d_x.rows.empty()) copy_rows(d_output, d_x.rows, !d_x.is_new, c.execution);
      continue;
    }
    const LinearInput rows{first_rows(input.input(number), d_output.rows), {}, {}};
    linear_backward_weight(rows, d_output, gradients[weights_[k]], c.execution, c.workspace);
    if (!d_x.rows.empty())
      linear_backward_input(rows, c.weights[weights_[k]], d_output, d_x.rows, c.execution, c.workspace,
                            !d_x.is_new);
  }
}

std::unique_ptr<Layer> AddLayer::from_description(const LayerDescription& description,
                                                  std::span<const Index> in_features) {
  std::string map(name_of(AddMap::identity_or_learned));
  OptionReader options(description);
  options.read("map", map);
  options.finish();
  return std::make_unique<AddLayer>(in_features, add_map_named(map));
}

LayerDescription AddLayer::describe() const { return {"add", {{"map", std::string(name_of(map_))}}}; }

}  // namespace gat::inline GAT_PRECISION
