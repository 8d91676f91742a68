#include "gat/nn/input_transform.hpp"

#include <cmath>
#include <span>

#include "core/named_values.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<InputTransform, 2> kNames{
    {{InputTransform::none, "none"}, {InputTransform::row_normalize, "row-normalize"}}};

void normalize(std::span<Real> row) {
  double sum = 0;
  for (const Real x : row) sum += std::abs(static_cast<double>(x));
  if (sum == 0) return;
  for (Real& x : row) x = static_cast<Real>(x / sum);
}

}  // namespace

std::string_view name_of(InputTransform transform) { return name_in(kNames, transform); }
InputTransform input_transform_named(std::string_view name) {
  return value_in(kNames, name, "input transform");
}

Features apply(InputTransform transform, const Features& features) {
  Features result = features;
  if (transform == InputTransform::none) return result;
  for (Index i = 0; i < result.rows(); ++i) {
    if (result.is_sparse) {
      const auto at = static_cast<std::size_t>(i);
      const auto begin = static_cast<std::size_t>(result.sparse.row_offsets[at]);
      const auto end = static_cast<std::size_t>(result.sparse.row_offsets[at + 1]);
      normalize(std::span(result.sparse.values).subspan(begin, end - begin));
    } else {
      normalize({result.dense.row(i), static_cast<std::size_t>(result.dense.cols())});
    }
  }
  return result;
}

}  // namespace gat::inline GAT_PRECISION
