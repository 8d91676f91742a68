#include "gat/nn/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

double initial_scale(Initializer initializer, Index in_width, Index num_heads, Index head_dim) {
  const auto f = static_cast<double>(in_width);
  const auto h = static_cast<double>(num_heads);
  const auto d = static_cast<double>(head_dim);
  switch (initializer) {
    case Initializer::zeros:
    case Initializer::ones:
      return 0;
    case Initializer::glorot_joined:
      return std::sqrt(6 / (f + h * d));
    case Initializer::glorot_per_head:
      return std::sqrt(6 / (f + d));
    case Initializer::glorot_attention_rows:
      return std::sqrt(6 / (h + d));
    case Initializer::glorot_attention_fan3d:
      return std::sqrt(6 / (h * d + d));
    case Initializer::glorot_attention_half:
      return std::sqrt(6 / (d + 1));
    case Initializer::glorot_attention_joint:
      return std::sqrt(6 / (2 * d + 1));
    case Initializer::xavier_normal_relu:
      return std::sqrt(2.0) * std::sqrt(2 / (f + h * d));
    case Initializer::xavier_normal_attention:
      return 2 / std::sqrt(d * (h + 1));
    case Initializer::uniform_fan_in:
      return 1 / std::sqrt(f);
    case Initializer::normal_embedding:
      return 0.02;
  }
  return 0;
}

namespace {

bool is_normal(Initializer initializer) {
  return initializer == Initializer::xavier_normal_relu ||
         initializer == Initializer::xavier_normal_attention || initializer == Initializer::normal_embedding;
}

// Calls visit(file position, row, column in memory) for every element of a parameter, padding left out.
template <class Visit>
void for_each_element(const ParameterSpec& spec, const Visit& visit) {
  const HeadLayout layout(spec.num_heads, spec.head_dim);
  const Index columns = spec.interleaved ? layout.joined() : spec.cols;
  for (Index r = 0; r < spec.rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      const Index column = spec.interleaved ? layout.column(c / spec.head_dim, c % spec.head_dim) : c;
      if (spec.shape.size() == 3) {
        visit((c / spec.head_dim * spec.rows + r) * spec.head_dim + c % spec.head_dim, r, column);
        continue;
      }
      visit(spec.transposed ? c * spec.rows + r : r * columns + c, r, column);
    }
  }
}

}  // namespace

Index ParameterSpec::num_elements() const {
  Index count = 1;
  for (const Index length : shape) count *= length;
  return count;
}

Weights::Weights(std::vector<ParameterSpec> specs) : specs_(std::move(specs)) {
  offsets_.push_back(0);
  for (const ParameterSpec& spec : specs_) {
    offsets_.push_back(offsets_.back() + (spec.rows * spec.cols + kLanes - 1) / kLanes * kLanes);
  }
  buffer_.resize(1, offsets_.back());
}

Index Weights::num_parameters() const {
  Index count = 0;
  for (const ParameterSpec& spec : specs_) count += spec.trained ? spec.num_elements() : 0;
  return count;
}

Index Weights::find(std::string_view name) const {
  const auto found =
      std::find_if(specs_.begin(), specs_.end(), [&](const auto& spec) { return spec.name == name; });
  return found == specs_.end() ? -1 : found - specs_.begin();
}

void Weights::initialize(RandomStream random) {
  for (Index i = 0; i < count(); ++i) {
    const ParameterSpec& s = spec(i);
    const RandomStream stream = random.derive(static_cast<std::uint64_t>(i));
    const double scale = initial_scale(s.initializer, s.in_width, s.num_heads, s.head_dim);
    const MatrixView values = (*this)[i];
    const Real constant = s.initializer == Initializer::ones ? 1 : 0;
    for_each_element(s, [&](Index position, Index r, Index c) {
      const auto k = static_cast<std::uint64_t>(position);
      const double unit = is_normal(s.initializer) ? stream.normal(k) : 2 * stream.uniform(k) - 1;
      values(r, c) = scale == 0 ? constant : static_cast<Real>(scale * unit);
    });
  }
}

void Weights::fill(Real value, int num_threads) {
  if (value == 0) {
    const std::span<Real> all = values();
    constexpr Index kLine = 64;
    const auto lines = (static_cast<Index>(all.size()) + kLine - 1) / kLine;
    parallel_for(num_threads, lines, kLine / 4, [&](Index first, Index last, int) {
      const auto begin = static_cast<std::size_t>(first * kLine);
      const std::size_t end = std::min(static_cast<std::size_t>(last * kLine), all.size());
      std::fill(all.data() + begin, all.data() + end, Real(0));
    });
    return;
  }
  for (Index i = 0; i < count(); ++i) {
    const MatrixView numbers = (*this)[i];
    for_each_element(spec(i), [&](Index, Index r, Index c) { numbers(r, c) = value; });
  }
}

void Weights::import_values(Index i, std::span<const Real> file_order) {
  const MatrixView values = (*this)[i];
  for_each_element(spec(i), [&](Index position, Index r, Index c) {
    values(r, c) = file_order[static_cast<std::size_t>(position)];
  });
}

std::vector<Real> Weights::export_values(Index i) const {
  const ConstMatrixView values = (*this)[i];
  std::vector<Real> file_order(static_cast<std::size_t>(spec(i).num_elements()));
  for_each_element(spec(i), [&](Index position, Index r, Index c) {
    file_order[static_cast<std::size_t>(position)] = values(r, c);
  });
  return file_order;
}

}  // namespace gat::inline GAT_PRECISION
