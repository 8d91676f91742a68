/// Walks the rows of a graph in batches: one writer per row, long rows cut into chunks merged in order.
#pragma once

#include <vector>

#include "core/parallel.hpp"
#include "gat/core/workspace.hpp"
#include "kernels/simd/edge_batch.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

/// The rows of a graph in one direction. `known` ids may be read from the first of a row on.
struct InRows {
  const GraphView& graph;
  bool share_long_rows = true;  ///< several threads may work on one long row
  Index block = 1;              ///< a thread's rows begin at a multiple of it
  Index count() const { return graph.num_destinations(); }
  Index before(Index i) const { return graph.in_edges_before(i); }
  EdgeRow row(Index i) const { return graph.in_edges(i); }
  // Of a stored graph: where rows begin, the other ends of edges, and their ids where they are not places.
  const EdgeId* offsets() const { return graph.arrays().in_offsets.data(); }
  std::span<const NodeId> nodes() const { return graph.arrays().in_sources; }
  std::span<const EdgeId> ids() const { return graph.arrays().in_edge_ids; }
  Index known(const EdgeRow& run) const {
    const auto& ids = graph.arrays().in_sources;
    return run.nodes == nullptr ? 0 : ids.data() + ids.size() - run.nodes;
  }
  static Index& split_rows(Workspace& workspace) { return workspace.statistics.split_in_rows; }
};
struct OutRows {
  const GraphView& graph;
  bool share_long_rows = true;
  Index block = 1;
  Index count() const { return graph.num_sources(); }
  Index before(Index j) const { return graph.out_edges_before(j); }
  EdgeRow row(Index j) const { return graph.out_edges(j); }
  const EdgeId* offsets() const { return graph.arrays().out_offsets.data(); }
  std::span<const NodeId> nodes() const { return graph.arrays().out_destinations; }
  std::span<const EdgeId> ids() const { return graph.arrays().out_edge_ids; }
  Index known(const EdgeRow& run) const {
    const auto& ids = graph.arrays().out_destinations;
    return run.nodes == nullptr ? 0 : ids.data() + ids.size() - run.nodes;
  }
  static Index& split_rows(Workspace& workspace) { return workspace.statistics.split_out_rows; }
};

/// How a worker takes whole rows: RowBatch where it names one. Chunks always come as an EdgeBatch.
template <int L, class Worker>
struct RowBatchOf {
  using Type = EdgeBatch<L>;
};
template <int L, class Worker>
requires requires { typename Worker::RowBatch; }
struct RowBatchOf<L, Worker> {
  using Type = typename Worker::RowBatch;
};
/// A kind of worker as an argument.
template <class Worker>
struct WorkerType {
  using Type = Worker;
};

/// Works on rows begin … end − 1 with one worker:
///   rows(batch)             whole short rows, results included
///   chunk(batch, partial)   a part of one long row, into `total` or `part`
///   merge(total, part)      the next part of the same row
///   finish(i, total)        the result of a long row
///   most_edges()            how many edges several rows may have together
/// \param long_rows  not null: long rows are listed here instead of being worked on
template <int L, class Worker, class Rows>
void walk_range(Worker& worker, const Rows& rows, Index begin, Index end, Real* total, Real* part,
                std::vector<Index>* long_rows = nullptr) {
  typename RowBatchOf<L, Worker>::Type short_rows;
  EdgeBatch<L> batch;
  for (Index i = begin; i < end;) {
    const Index count = rows.row(i).count;
    if (count <= kChunkEdges) {
      i = short_rows.take_rows(rows, i, end, worker.most_edges());
      worker.rows(short_rows);
      continue;
    }
    if (long_rows != nullptr) {
      long_rows->push_back(i++);
      continue;
    }
    for (Index first = 0; first < count; first += kChunkEdges) {
      batch.take_chunk(rows, i, first, std::min(kChunkEdges, count - first));
      worker.chunk(batch, first == 0 ? total : part);
      if (first > 0) worker.merge(total, part);
    }
    worker.finish(i++, total);
  }
}

/// Works on every row, a Worker(job) per piece of them, with `partial_width` numbers per part of a long row.
/// Chunks of a row are worked apart and merged in order, by one thread or by several: the bits are the
/// same. On implicit graphs there are many rows as long as the longest, so each stays with one thread.
template <int L, class Worker, class Rows, class Job>
void walk_rows(const Rows& rows, const Job& job, Index partial_width, Index work_per_edge,
               const Execution& execution, Workspace& workspace) {
  const Workspace::Scope scope(workspace);
  const int threads = execution.num_threads;
  const MatrixView totals = workspace.matrix(threads, partial_width);
  const MatrixView parts = workspace.matrix(threads, partial_width);
  const bool share_long_rows = rows.share_long_rows && rows.graph.stored() && threads > 1;
  std::vector<std::vector<Index>> long_rows(share_long_rows ? static_cast<std::size_t>(threads) : 0);

  const Index count = rows.count();
  const auto first_row = [&](Index block) { return std::min(block * rows.block, count); };
  const auto work_before = [&](Index block) {
    return (rows.before(first_row(block)) + 4 * first_row(block)) * work_per_edge;
  };
  const int team = parallel_ranges(
      threads, (count + rows.block - 1) / rows.block, work_before, [&](Index begin, Index end, int member) {
        Worker worker(job);
        walk_range<L>(worker, rows, first_row(begin), first_row(end), totals.row(member), parts.row(member),
                      share_long_rows ? &long_rows[static_cast<std::size_t>(member)] : nullptr);
      });
  workspace.statistics.largest_team = std::max(workspace.statistics.largest_team, team);

  struct Chunk {
    Index row, first;
  };
  std::vector<Chunk> chunks;
  for (const std::vector<Index>& found : long_rows) {
    for (const Index i : found) {
      ++Rows::split_rows(workspace);
      for (Index first = 0; first < rows.row(i).count; first += kChunkEdges) chunks.push_back({i, first});
    }
  }
  if (chunks.empty()) return;
  const auto num_chunks = static_cast<Index>(chunks.size());
  const MatrixView results = workspace.matrix(num_chunks, partial_width);
  parallel_for(threads, num_chunks, kChunkEdges * work_per_edge, [&](Index begin, Index end, int) {
    Worker worker(job);
    EdgeBatch<L> batch;
    for (Index c = begin; c < end; ++c) {
      const Chunk chunk = chunks[static_cast<std::size_t>(c)];
      const Index edges = std::min(kChunkEdges, rows.row(chunk.row).count - chunk.first);
      batch.take_chunk(rows, chunk.row, chunk.first, edges);
      worker.chunk(batch, results.row(c));
    }
  });
  Worker worker(job);
  for (Index c = 0; c < num_chunks;) {
    const Index row = chunks[static_cast<std::size_t>(c)].row;
    Real* total = results.row(c);
    for (++c; c < num_chunks && chunks[static_cast<std::size_t>(c)].row == row; ++c)
      worker.merge(total, results.row(c));
    worker.finish(row, total);
  }
}

/// Multiply-adds that an edge of one group costs: its row and its exponentials.
inline Index work_per_edge(const HeadLayout& layout) {
  constexpr Index kWorkPerExponential = 4;
  return (layout.group_width + kWorkPerExponential * layout.lanes) / 4;
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
