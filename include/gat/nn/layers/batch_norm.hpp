/// Batch normalisation: columns normalised over all rows, with running statistics for evaluation.
#pragma once

#include <memory>
#include <vector>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

struct BatchNormOptions {
  Index in_features = 1;  ///< F, at least 1
  double epsilon = 1e-5;  ///< PyTorch
  double momentum = 0.1;  ///< share of the batch in the running statistics (PyTorch); Keras names 1 − this
  bool affine = true;     ///< gain and shift per column

  /// \throws UsageError naming the option that is out of range
  void validate() const;
};

/// out = (x − mean) / √(variance + ε) ⊙ gain + shift per column (Ioffe and Szegedy 2015), as
/// torch.nn.BatchNorm1d: in training with mean and biased variance of the rows at hand, in evaluation with
/// the running ones. `commit` moves the running mean and the running unbiased variance towards those of the
/// batch. A batch of a single row is normalised by the running statistics and leaves them as they are, as
/// with PyG's allow_single_element; PyTorch refuses it.
///
/// Input: N × F, dense. Output: num_destinations × F. In training every source row belongs to the batch, so a
/// part of a graph is computed with all rows below. Parameters: gain [F], shift [F], and the statistics
/// running_mean [F], running_variance [F].
class BatchNormLayer final : public Layer {
 public:
  explicit BatchNormLayer(const BatchNormOptions& options);
  /// Makes a layer from named options. \throws UsageError for an unknown or wrong option
  static std::unique_ptr<Layer> from_description(const LayerDescription& description, Index in_features,
                                                 Index edge_features);

  Index check_input(const GraphView& graph, const LayerInput& input) const override;
  void forward(const Context& context, const LayerInput& input, MatrixView output) const override;
  void backward(const Context& context, const LayerInput& input, ConstMatrixView output,
                ConstMatrixView d_output, const InputGradient& d_input,
                const Gradients& gradients) const override;
  void commit(Tape& tape, const WeightsSlice& weights) const override;
  Index output_width() const override { return options_.in_features; }
  std::span<const ParameterSpec> parameters() const override { return parameters_; }
  Reach reach(Mode mode) const override { return mode == Mode::training ? Reach::whole_graph : Reach::row; }
  LayerDescription describe() const override;

 private:
  Index count(const Context& context) const;

  BatchNormOptions options_;
  std::vector<ParameterSpec> parameters_;
  Index running_mean_ = 0, running_variance_ = 1;  // positions in `parameters_`
};

}  // namespace gat::inline GAT_PRECISION
