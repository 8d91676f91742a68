// Plain loops: a network reads a graph out once, and they wait for memory.
#include "gat/kernels/readout.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

// Rows of a segment that are worked on together.
constexpr Index kChunkRows = 256;

struct Chunk {
  Index segment, first, last;  // positions among the rows by segment
};

std::vector<Chunk> chunks_of(const SegmentRows& segments) {
  std::vector<Chunk> chunks;
  for (Index s = 0; s < segments.num_segments(); ++s) {
    for (Index k = segments.begin(s); k < segments.end(s); k += kChunkRows)
      chunks.push_back({s, k, std::min(k + kChunkRows, segments.end(s))});
  }
  return chunks;
}

// Reduces the rows of each segment: `take(row, to)` for the rows of a chunk, then `join(chunk, to)`, in
// order, both from a row that holds `start`.
template <class Take, class Join>
void reduce(const SegmentRows& segments, Real start, MatrixView out, const Execution& execution,
            Workspace& workspace, const Take& take, const Join& join) {
  const Workspace::Scope scope(workspace);
  const std::vector<Chunk> chunks = chunks_of(segments);
  const auto count = static_cast<Index>(chunks.size());
  const MatrixView partial = workspace.matrix(count, out.cols);
  parallel_for(execution.num_threads, count, kChunkRows * out.cols, [&](Index first, Index last, int) {
    for (Index k = first; k < last; ++k) {
      const Chunk& chunk = chunks[static_cast<std::size_t>(k)];
      std::fill_n(partial.row(k), out.cols, start);
      for (Index at = chunk.first; at < chunk.last; ++at) take(segments.row(at), partial.row(k));
    }
  });
  out.fill(start);
  for (Index k = 0; k < count; ++k)
    join(partial.row(k), out.row(chunks[static_cast<std::size_t>(k)].segment));
  for (Index s = 0; s < segments.num_segments(); ++s) {
    if (segments.count(s) == 0) std::fill_n(out.row(s), out.cols, Real(0));
  }
}

// Calls visit(segment, row) for every row, in parallel.
template <class Visit>
void for_each_row(const SegmentRows& segments, Index work, const Execution& execution, const Visit& visit) {
  const std::vector<Chunk> chunks = chunks_of(segments);
  parallel_for(execution.num_threads, static_cast<Index>(chunks.size()), kChunkRows * work,
               [&](Index first, Index last, int) {
                 for (Index k = first; k < last; ++k) {
                   const Chunk& chunk = chunks[static_cast<std::size_t>(k)];
                   for (Index at = chunk.first; at < chunk.last; ++at) visit(chunk.segment, segments.row(at));
                 }
               });
}

}  // namespace

void segment_sums(ConstMatrixView x, ConstMatrixView weights, const SegmentRows& segments, MatrixView out,
                  const Execution& execution, Workspace& workspace) {
  assert(out.rows == segments.num_segments() && out.cols == x.cols);
  reduce(
      segments, 0, out, execution, workspace,
      [&](Index r, Real* sum) {
        const Real w = weights.empty() ? Real(1) : weights(r, 0);
        const Real* row = x.row(r);
        for (Index c = 0; c < x.cols; ++c) sum[c] += w * row[c];
      },
      [&](const Real* part, Real* sum) {
        for (Index c = 0; c < x.cols; ++c) sum[c] += part[c];
      });
}

void segment_sums_backward(ConstMatrixView d_out, ConstMatrixView weights, const SegmentRows& segments,
                           MatrixView d_x, bool add, const Execution& execution) {
  for_each_row(segments, d_x.cols, execution, [&](Index s, Index r) {
    const Real w = weights.empty() ? Real(1) : weights(r, 0);
    const Real* d = d_out.row(s);
    Real* to = d_x.row(r);
    for (Index c = 0; c < d_x.cols; ++c) to[c] = add ? to[c] + w * d[c] : w * d[c];
  });
}

void segment_products(ConstMatrixView x, ConstMatrixView d_out, const SegmentRows& segments,
                      MatrixView d_weights, const Execution& execution) {
  for_each_row(segments, x.cols, execution, [&](Index s, Index r) {
    double sum = 0;
    for (Index c = 0; c < x.cols; ++c) sum += static_cast<double>(d_out(s, c)) * static_cast<double>(x(r, c));
    d_weights(r, 0) = static_cast<Real>(sum);
  });
}

void segment_max(ConstMatrixView x, const SegmentRows& segments, MatrixView out, const Execution& execution,
                 Workspace& workspace) {
  assert(out.rows == segments.num_segments() && out.cols == x.cols);
  const auto raise = [&](const Real* row, Real* largest) {
    for (Index c = 0; c < x.cols; ++c) largest[c] = row[c] > largest[c] ? row[c] : largest[c];
  };
  reduce(
      segments, -std::numeric_limits<Real>::infinity(), out, execution, workspace,
      [&](Index r, Real* largest) { raise(x.row(r), largest); }, raise);
}

void segment_max_backward(ConstMatrixView x, ConstMatrixView out, ConstMatrixView d_out,
                          const SegmentRows& segments, MatrixView d_x, bool add, const Execution& execution) {
  if (!add) d_x.fill(0);
  parallel_for(execution.num_threads, x.cols, x.rows, [&](Index first, Index last, int) {
    for (Index c = first; c < last; ++c) {
      for (Index s = 0; s < segments.num_segments(); ++s) {
        for (Index k = segments.begin(s); k < segments.end(s); ++k) {
          const Index r = segments.row(k);
          if (x(r, c) != out(s, c)) continue;
          d_x(r, c) += d_out(s, c);
          break;
        }
      }
    }
  });
}

void segment_softmax(MatrixView scores, const SegmentRows& segments) {
  for (Index s = 0; s < segments.num_segments(); ++s) {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (Index k = segments.begin(s); k < segments.end(s); ++k)
      largest = std::max(largest, static_cast<double>(scores(segments.row(k), 0)));
    const auto share = [&](Index k) {
      return std::exp(static_cast<double>(scores(segments.row(k), 0)) - largest);
    };
    for (Index k = segments.begin(s); k < segments.end(s); ++k) sum += share(k);
    for (Index k = segments.begin(s); k < segments.end(s); ++k)
      scores(segments.row(k), 0) = static_cast<Real>(share(k) / sum);
  }
}

void segment_softmax_backward(ConstMatrixView softmax, MatrixView d_softmax, const SegmentRows& segments) {
  for (Index s = 0; s < segments.num_segments(); ++s) {
    double mean = 0;
    for (Index k = segments.begin(s); k < segments.end(s); ++k) {
      const Index r = segments.row(k);
      mean += static_cast<double>(softmax(r, 0)) * static_cast<double>(d_softmax(r, 0));
    }
    for (Index k = segments.begin(s); k < segments.end(s); ++k) {
      const Index r = segments.row(k);
      d_softmax(r, 0) = static_cast<Real>(static_cast<double>(softmax(r, 0)) *
                                          (static_cast<double>(d_softmax(r, 0)) - mean));
    }
  }
}

}  // namespace gat::inline GAT_PRECISION
