#include "data/feature_forms.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "gat/core/error.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

[[noreturn]] void refuse(const std::string& place, Index row, Index column) {
  throw InputError(place, "the feature in row " + std::to_string(row) + ", column " + std::to_string(column) +
                              " (counted from 0) is not a finite number; replace missing features first");
}

CsrMatrix sparse_from(const Matrix& dense, Index entries) {
  CsrMatrix sparse;
  sparse.rows = dense.rows();
  sparse.cols = dense.cols();
  sparse.row_offsets.reserve(static_cast<std::size_t>(dense.rows()) + 1);
  sparse.column_indices.reserve(static_cast<std::size_t>(entries));
  sparse.values.reserve(static_cast<std::size_t>(entries));
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      sparse.column_indices.push_back(static_cast<NodeId>(j));
      sparse.values.push_back(dense(i, j));
    }
    sparse.row_offsets.push_back(sparse.num_entries());
  }
  return sparse;
}

}  // namespace

Features identity_features(Index num_nodes) {
  CsrMatrix identity;
  identity.rows = num_nodes;
  identity.cols = num_nodes;
  identity.row_offsets.resize(static_cast<std::size_t>(num_nodes) + 1);
  std::iota(identity.row_offsets.begin(), identity.row_offsets.end(), EdgeId(0));
  identity.column_indices.resize(static_cast<std::size_t>(num_nodes));
  std::iota(identity.column_indices.begin(), identity.column_indices.end(), NodeId(0));
  identity.values.assign(static_cast<std::size_t>(num_nodes), Real(1));
  return features_from(std::move(identity));
}

Features features_from(Matrix dense) {
  Index entries = 0;
  for (Index k = 0; k < dense.size(); ++k) entries += dense.data()[k] != 0;
  if (static_cast<double>(entries) < kSparseDensity * static_cast<double>(dense.size())) {
    return features_from(sparse_from(dense, entries));
  }
  Features features;
  features.dense = std::move(dense);
  return features;
}

Features features_from(CsrMatrix sparse) {
  Features features;
  features.sparse = std::move(sparse);
  features.is_sparse = true;
  return features;
}

void require_finite(const FeatureView& features, const std::string& place) {
  for (Index i = 0; i < features.rows(); ++i) {
    if (features.is_sparse()) {
      const CsrView& sparse = features.sparse;
      const auto at = static_cast<std::size_t>(i);
      for (EdgeId k = sparse.row_offsets[at]; k < sparse.row_offsets[at + 1]; ++k) {
        const auto e = static_cast<std::size_t>(k);
        if (!std::isfinite(sparse.values[e])) refuse(place, i, sparse.column_indices[e]);
      }
    } else {
      for (Index j = 0; j < features.cols(); ++j) {
        if (!std::isfinite(features.dense(i, j))) refuse(place, i, j);
      }
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
