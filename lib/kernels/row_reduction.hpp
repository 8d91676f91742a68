/// Reductions over rows of edges: one writer per row, long rows cut into chunks merged in order.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "gat/core/workspace.hpp"
#include "gat/graph/graph_view.hpp"
#include "gat/kernels/attention.hpp"

namespace gat::inline GAT_PRECISION {

/// How the results of two chunks of a row become one.
struct MergeSum {
  static constexpr Real kStart = 0;
  static Real merge(Real a, Real b) { return a + b; }
};
struct MergeMax {
  static constexpr Real kStart = -std::numeric_limits<Real>::infinity();
  static Real merge(Real a, Real b) { return a > b ? a : b; }
};

/// The rows of a graph in one direction.
struct InRows {
  const GraphView& graph;
  Index count() const { return graph.num_destinations(); }
  Index before(Index i) const { return graph.in_edges_before(i); }
  EdgeRow row(Index i) const { return graph.in_edges(i); }
  static Index& split_rows(Workspace& workspace) { return workspace.statistics.split_in_rows; }
};
struct OutRows {
  const GraphView& graph;
  Index count() const { return graph.num_sources(); }
  Index before(Index j) const { return graph.out_edges_before(j); }
  EdgeRow row(Index j) const { return graph.out_edges(j); }
  static Index& split_rows(Workspace& workspace) { return workspace.statistics.split_out_rows; }
};

/// For every row: `width` numbers start at Merge::kStart, partial(i, row, first, last, numbers) works
/// edges first … last − 1 of row i into them, finish(i, numbers) takes the result. Chunks of one row
/// are worked apart and merged in order, by one thread or by several: the bits are the same.
/// `work_per_edge` is in multiply-adds.
template <class Merge, class Rows, class Partial, class Finish>
void reduce_rows(const Rows& rows, Index width, Index work_per_edge, int num_threads, Workspace& workspace,
                 const Partial& partial, const Finish& finish) {
  const Workspace::Scope scope(workspace);
  const MatrixView totals = workspace.matrix(num_threads, width);
  const MatrixView parts = workspace.matrix(num_threads, width);
  const bool share_long_rows = rows.graph.stored() && num_threads > 1;

  const auto merge_into = [&](Real* total, const Real* part) {
    for (Index w = 0; w < width; ++w) total[w] = Merge::merge(total[w], part[w]);
  };
  const int team = parallel_ranges(
      num_threads, rows.count(), [&](Index i) { return (rows.before(i) + 4 * i) * work_per_edge; },
      [&](Index begin, Index end, int member) {
        Real* total = totals.row(member);
        Real* part = parts.row(member);
        for (Index i = begin; i < end; ++i) {
          const EdgeRow row = rows.row(i);
          if (share_long_rows && row.count > kChunkEdges) continue;
          std::fill(total, total + width, Merge::kStart);
          partial(i, row, Index(0), std::min(row.count, kChunkEdges), total);
          for (Index first = kChunkEdges; first < row.count; first += kChunkEdges) {
            std::fill(part, part + width, Merge::kStart);
            partial(i, row, first, std::min(first + kChunkEdges, row.count), part);
            merge_into(total, part);
          }
          finish(i, total);
        }
      });
  workspace.statistics.largest_team = std::max(workspace.statistics.largest_team, team);
  if (!share_long_rows) return;

  struct Chunk {
    Index row, first;
  };
  std::vector<Chunk> chunks;
  for (Index i = 0; i < rows.count(); ++i) {
    const Index count = rows.row(i).count;
    if (count <= kChunkEdges) continue;
    ++Rows::split_rows(workspace);
    for (Index first = 0; first < count; first += kChunkEdges) chunks.push_back({i, first});
  }
  if (chunks.empty()) return;
  const auto num_chunks = static_cast<Index>(chunks.size());
  const MatrixView results = workspace.matrix(num_chunks, width);
  parallel_for(num_threads, num_chunks, kChunkEdges * work_per_edge, [&](Index begin, Index end, int) {
    for (Index c = begin; c < end; ++c) {
      const Chunk chunk = chunks[static_cast<std::size_t>(c)];
      const EdgeRow row = rows.row(chunk.row);
      std::fill(results.row(c), results.row(c) + width, Merge::kStart);
      partial(chunk.row, row, chunk.first, std::min(chunk.first + kChunkEdges, row.count), results.row(c));
    }
  });
  for (Index c = 0; c < num_chunks;) {
    const Index row = chunks[static_cast<std::size_t>(c)].row;
    Real* total = results.row(c);
    for (++c; c < num_chunks && chunks[static_cast<std::size_t>(c)].row == row; ++c)
      merge_into(total, results.row(c));
    finish(row, total);
  }
}

}  // namespace gat::inline GAT_PRECISION
