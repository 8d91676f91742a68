/// Rows of a graph made into one row per segment: weighted sums, maxima, softmax within a segment.
///
/// A segment's rows are cut into fixed chunks, counted from its start, whose results are merged in order: no
/// bit depends on threads or on other segments. Empty segments give rows of zeros.
#pragma once

#include "gat/core/execution.hpp"
#include "gat/core/matrix.hpp"
#include "gat/core/workspace.hpp"
#include "gat/graph/segments.hpp"

namespace gat::inline GAT_PRECISION {

/// out_s = Σ weight_r x_r over the rows r of segment s.
/// \param weights N × 1, or empty = 1 \param out num_segments × F, overwritten
void segment_sums(ConstMatrixView x, ConstMatrixView weights, const SegmentRows& segments, MatrixView out,
                  const Execution& execution, Workspace& workspace);
/// d_x_r = weight_r d_out_s, overwritten or added to.
void segment_sums_backward(ConstMatrixView d_out, ConstMatrixView weights, const SegmentRows& segments,
                           MatrixView d_x, bool add, const Execution& execution);
/// The gradient of the weights: d_weight_r = d_out_s · x_r. \param d_weights N × 1, overwritten
void segment_products(ConstMatrixView x, ConstMatrixView d_out, const SegmentRows& segments,
                      MatrixView d_weights, const Execution& execution);

/// out_s = the largest x_r, column by column. \param out num_segments × F, overwritten
void segment_max(ConstMatrixView x, const SegmentRows& segments, MatrixView out, const Execution& execution,
                 Workspace& workspace);
/// d_x_r = d_out_s where row r is the first of its segment with the maximum, else 0; overwritten or added to.
void segment_max_backward(ConstMatrixView x, ConstMatrixView out, ConstMatrixView d_out,
                          const SegmentRows& segments, MatrixView d_x, bool add, const Execution& execution);

/// Softmax within each segment, in place. \param scores N × 1
void segment_softmax(MatrixView scores, const SegmentRows& segments);
/// d_score_r = a_r (d_a_r − Σ a d_a), in place. \param softmax the result of the forward call
void segment_softmax_backward(ConstMatrixView softmax, MatrixView d_softmax, const SegmentRows& segments);

}  // namespace gat::inline GAT_PRECISION
