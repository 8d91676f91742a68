/// Parameters: what they are called, how they start, and the one buffer that holds their numbers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gat/core/matrix.hpp"
#include "gat/core/random.hpp"
#include "gat/kernels/head_layout.hpp"

namespace gat::inline GAT_PRECISION {

/// Where initial values come from. F = input width, H = heads, D = width per head.
enum class Initializer {
  zeros,
  ones,                     ///< gains of norms, running variances, scales of scores
  glorot_joined,            ///< weight: U(±√(6/(F + H·D))), PyG's GATConv
  glorot_per_head,          ///< weight: U(±√(6/(F + D))), one map per head as in the original code
  glorot_attention_rows,    ///< a: U(±√(6/(H + D))), PyG
  glorot_attention_fan3d,   ///< a: U(±√(6/(H·D + D))), PyTorch's fan rule for (1, H, D)
  glorot_attention_half,    ///< a: U(±√(6/(D + 1))), the original: each half is a map D → 1
  glorot_attention_joint,   ///< a: U(±√(6/(2D + 1))), a as one map 2D → 1
  xavier_normal_relu,       ///< weight: N(0, σ), σ = √2·√(2/(F + H·D)), DGL
  xavier_normal_attention,  ///< a: N(0, σ), σ = 2/√(D(H + 1)), DGL
  uniform_fan_in,           ///< U(±1/√F), PyTorch's Linear
  normal_embedding          ///< N(0, 0.02), of rows that are looked up: GPT (Radford et al. 2018), BERT
};

/// The half width of the uniform distribution, or the standard deviation of the normal one; 0 for constants.
double initial_scale(Initializer initializer, Index in_width, Index num_heads, Index head_dim);

/// What kind of number a parameter is, for optimisers that treat kinds differently.
enum class DecayGroup {
  weight,
  attention,
  bias,
  norm  ///< gain and shift of a norm
};

/// One parameter. The file shape is that of PyG (a weight is [out, in]); memory holds the transpose of
/// a weight, so that sparse inputs read whole rows, and where the heads of a row meet the attention
/// operator its columns are in kernel order (`HeadLayout`), padding included. A matrix per head is
/// [H, rows, D] in files and rows × H·D in memory.
struct ParameterSpec {
  std::string name;          ///< unique within the layer, for example "weight"
  std::vector<Index> shape;  ///< in files
  Index rows = 0, cols = 0;  ///< in memory
  bool transposed = false;   ///< memory is the transpose of the file's matrix
  bool interleaved = false;  ///< memory's columns are H·D numbers in kernel order
  DecayGroup group = DecayGroup::weight;
  Initializer initializer = Initializer::zeros;
  Index in_width = 0, num_heads = 1, head_dim = 1;  ///< arguments of the initialiser
  bool trained = true;                              ///< false: a statistic, which no optimiser touches

  /// The product of the shape; memory may hold more (padding).
  Index num_elements() const;
};

/// All numbers of all parameters in one buffer; copying it is a checkpoint.
class Weights {
 public:
  Weights() = default;
  /// All zero. Parameters follow each other in the order given.
  explicit Weights(std::vector<ParameterSpec> specs);

  Index count() const { return static_cast<Index>(specs_.size()); }
  const ParameterSpec& spec(Index i) const { return specs_[static_cast<std::size_t>(i)]; }
  std::span<const ParameterSpec> specs() const { return specs_; }
  /// The number of trained numbers.
  Index num_parameters() const;
  /// The numbers in the buffer: the trained ones, the statistics, and the zeros between them.
  Index num_values() const { return static_cast<Index>(offsets_.empty() ? 0 : offsets_.back()); }
  MatrixView operator[](Index i) { return {buffer_.data() + offset(i), spec(i).rows, spec(i).cols}; }
  ConstMatrixView operator[](Index i) const {
    return {buffer_.data() + offset(i), spec(i).rows, spec(i).cols};
  }
  std::span<Real> values() { return {buffer_.data(), static_cast<std::size_t>(num_values())}; }
  std::span<const Real> values() const { return {buffer_.data(), static_cast<std::size_t>(num_values())}; }
  /// The number of the parameter with this name, or −1.
  Index find(std::string_view name) const;

  /// Draws every parameter from its own stream; element k of the *file* order has index k.
  void initialize(RandomStream random);
  /// Gives every parameter one value; the zeros between them stay. \param num_threads  for the value 0
  void fill(Real value, int num_threads = 1);
  /// Copies a parameter in and out of the file's order. \pre the span has as many elements as the shape
  void import_values(Index i, std::span<const Real> file_order);
  std::vector<Real> export_values(Index i) const;

 private:
  // Parameters begin at whole cache lines.
  Index offset(Index i) const { return offsets_[static_cast<std::size_t>(i)]; }

  std::vector<ParameterSpec> specs_;
  std::vector<Index> offsets_;  // count + 1
  Matrix buffer_;
};

/// The parameters of one layer: a whole set, or those of a larger one from a first on; layers pass sub-slices
/// on.
struct ConstWeights {
  ConstWeights() = default;
  ConstWeights(const Weights& weights, Index first_parameter = 0) : all(&weights), first(first_parameter) {}
  ConstWeights(const Weights&&, Index = 0) = delete;

  ConstMatrixView operator[](Index i) const { return (*all)[first + i]; }
  ConstWeights slice(Index begin) const {
    ConstWeights part = *this;
    part.first += begin;
    return part;
  }

  const Weights* all = nullptr;
  Index first = 0;
};

/// The same to write to.
struct WeightsSlice {
  WeightsSlice() = default;
  WeightsSlice(Weights& weights, Index first_parameter = 0) : all(&weights), first(first_parameter) {}

  MatrixView operator[](Index i) const { return (*all)[first + i]; }
  WeightsSlice slice(Index begin) const {
    WeightsSlice part = *this;
    part.first += begin;
    return part;
  }

  Weights* all = nullptr;
  Index first = 0;
};
/// Where the gradients of one layer's parameters are added: a buffer of the layout of the weights.
using Gradients = WeightsSlice;

}  // namespace gat::inline GAT_PRECISION
