// The attention operator, backward. The maths is in the public header; a simple version is in
// tests/kernels/attention_reference.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gat/kernels/attention.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/destination_pass.hpp"
#include "kernels/simd/flat_backward.hpp"
#include "kernels/simd/source_pass.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

// Per destination: g_i becomes g_i / Σ, in place or, rounded, in `bf16_d_out`, and the record (score, max,
// D_i / Σ) is written. D_i is that of the rounded g_i: the gradients of a row's logits then sum to zero.
template <int L>
void fold_softmax(const AttentionInput& input, ConstMatrixView scores, const AttentionState& state,
                  ConstMatrixView out, MatrixView d_out, const Bf16Rows& bf16_d_out, MatrixView records,
                  const RowCallback& wanted) {
  const HeadLayout& layout = input.heads;
  const Index lanes = layout.group_width / kLanes;
  const auto fold_row = [&](Index i) {
    for (Index group = 0; group < layout.num_groups; ++group) {
      const Real* o = out.row(i) + group * layout.group_width;
      Real* g = d_out.row(i) + group * layout.group_width;
      const Lanes scale = tile<L>(state.inverse_sum.row(i) + group * L);
      Lanes dot{};
      for (Index v = 0; v < lanes; ++v) {
        const Lanes value = load(g + v * kLanes);
        if (bf16_d_out.empty()) {
          dot = multiply_add(value, load(o + v * kLanes), dot);
          store(g + v * kLanes, value * scale);
        } else {
          Bf16* rounded_g = bf16_d_out.row(i) + group * layout.group_width + v * kLanes;
          store(rounded_g, value * scale);
          dot = multiply_add(load(rounded_g), load(o + v * kLanes), dot);
        }
      }
      Lanes dots = fold_to_tile<AddLanes, L>(dot);
      if (bf16_d_out.empty()) dots = dots * scale;
      const bool given = !input.selected.advantage.empty();
      const Lanes maximum = tile<L>(state.row_max.row(i) + group * L);
      const Lanes closed = all_lanes(-std::numeric_limits<Real>::infinity());
      Real* record = records.row(i) + group * record_numbers(L);
      store_tile<L>(record, scores.empty() ? Lanes{} : tile<L>(scores.row(i) + group * L));
      store_tile<L>(record + L, select(equal(maximum, closed), Lanes{}, maximum));
      // The gradient of the score function has the advantage where others have D.
      store_tile<L>(record + 2 * L, given ? all_lanes(input.selected.advantage(i, 0)) * scale : dots);
    }
  };
  constexpr Index kRowsAtOnce = 32;
  const Index rows = out.rows;
  const Index block = sum_block_rows(rows);
  parallel_for(input.execution.num_threads, kSumBlocks, block * layout.width(),
               [&](Index begin, Index end, int) {
                 for (Index b = begin; b < end; ++b) {
                   const Index block_end = std::min((b + 1) * block, rows);
                   for (Index first = b * block; first < block_end; first += kRowsAtOnce) {
                     const Index last = std::min(first + kRowsAtOnce, block_end);
                     wanted(first, last);
                     for (Index i = first; i < last; ++i) fold_row(i);
                   }
                 }
               });
}

// A sum over rows of several matrices, in fixed blocks added in order.
class BlockSums {
 public:
  BlockSums(Workspace& workspace, std::span<const ConstMatrixView> shapes) {
    for (const ConstMatrixView& shape : shapes)
      sums_.push_back(workspace.zeros(kSumBlocks * shape.rows, shape.cols));
  }
  // The matrices of one block.
  std::vector<MatrixView> block(Index b) const {
    std::vector<MatrixView> views;
    for (const MatrixView& sum : sums_) {
      const Index rows = sum.rows / kSumBlocks;
      views.push_back({sum.row(b * rows), rows, sum.cols});
    }
    return views;
  }
  // to += the sum; matrices of `to` that are empty are not wanted.
  void add_to(std::span<const MatrixView> to) const {
    for (Index b = 0; b < kSumBlocks; ++b) {
      const std::vector<MatrixView> views = block(b);
      for (std::size_t p = 0; p < to.size(); ++p) {
        if (to[p].empty()) continue;
        for (Index k = 0; k < views[p].rows * views[p].cols; ++k) to[p].data[k] += views[p].data[k];
      }
    }
  }

 private:
  std::vector<MatrixView> sums_;
};

// What the loops of a pair score give, before the score's own changes of rows are undone.
struct PairGradients {
  PairGradients(const AttentionInput& input, const ScoreInput& score, const ScoreGradient& wanted)
      : kernels_(*kScores[score.score]) {
    if (kernels_.description->separable) return;
    const bool parameters = !wanted.parameters.empty();
    const Index width = score.key_heads.width();
    const auto rows = [&](const RowChange& change, MatrixView of_caller, Index count) {
      if (change.backward == nullptr || (change.in_place && !of_caller.empty())) return of_caller;
      return of_caller.empty() && !parameters ? MatrixView() : input.workspace.matrix(count, width);
    };
    queries = rows(kernels_.queries, wanted.queries, input.graph.num_destinations());
    keys = rows(kernels_.keys, wanted.keys, input.graph.num_sources());
    const auto specs = kernels_.description->parameters;
    if (parameters && !specs.empty() && specs[0].shape == ScoreParameter::Shape::per_feature)
      vector = input.workspace.zeros(vector_sums(input.graph.num_destinations()), width);
  }

  // Gives the caller what belongs to the rows as they were, and to the parameters.
  void finish(const AttentionInput& input, const ScoreInput& score, const ScoreGradient& wanted) const {
    if (!vector.empty())
      GAT_SIMD::add_column_sums(vector, wanted.parameters[0], input.execution, input.workspace);
    finish_rows(kernels_.queries, input, score, score.queries, queries, wanted.queries, wanted.parameters);
    finish_rows(kernels_.keys, input, score, score.keys, keys, wanted.keys, wanted.parameters);
  }

  MatrixView queries, keys, vector;

 private:
  static void finish_rows(const RowChange& change, const AttentionInput& input, const ScoreInput& score,
                          ConstMatrixView rows, ConstMatrixView d_changed, MatrixView d_rows,
                          std::span<const MatrixView> parameters) {
    if (change.backward == nullptr || d_changed.empty()) return;
    if (d_rows.empty()) d_rows = input.workspace.matrix(rows.rows, rows.cols);
    const BlockSums sums(input.workspace, score.parameters);
    const Index block = sum_block_rows(rows.rows);
    parallel_for(input.execution.num_threads, kSumBlocks, 4 * block * rows.cols,
                 [&](Index begin, Index end, int) {
                   for (Index b = begin; b < end; ++b) {
                     change.backward(score, rows, d_changed, d_rows, sums.block(b),
                                     std::min(b * block, rows.rows), std::min((b + 1) * block, rows.rows));
                   }
                 });
    sums.add_to(parameters);
  }

  const ScoreKernels& kernels_;
};

// The destination pass where gradients of what edges add to rows are wanted: fixed blocks of rows.
template <int L, class Score>
void destination_blocks(const AttentionInput& input, const BackwardJob<L, Score>& job, const BlockSums& sums,
                        const HeadLayout& key_heads, MatrixView d_key_features, MatrixView d_value_features,
                        Index group, Index partial_width) {
  using Worker = DestinationWorker<L, Score>;
  const InRows rows{input.graph, false};
  const Index block =
      (sum_block_rows(rows.count()) + kRowsPerVectorSum - 1) / kRowsPerVectorSum * kRowsPerVectorSum;
  const MatrixView partials = input.workspace.matrix(2 * kSumBlocks, partial_width);
  const auto part = [&](const MatrixView& sum, const HeadLayout& heads) {
    return sum.empty() ? sum : sum.columns(group * heads.group_width, heads.group_width);
  };
  parallel_for(input.execution.num_threads, kSumBlocks, block * 64 * work_per_edge(input.heads),
               [&](Index begin, Index end, int) {
                 for (Index b = begin; b < end; ++b) {
                   const std::vector<MatrixView> views = sums.block(b);
                   EdgeRowGradient keys{part(views[0], key_heads), d_key_features};
                   EdgeRowGradient values{part(views[1], input.heads), d_value_features};
                   Worker worker({job, &keys, job.edge_rows.given() ? &values : nullptr});
                   walk_range<L>(worker, rows, std::min(b * block, rows.count()),
                                 std::min((b + 1) * block, rows.count()), partials.row(2 * b),
                                 partials.row(2 * b + 1));
                 }
               });
}

}  // namespace

void attention_backward(const AttentionInput& input, const ScoreInput& score, const AttentionState& state,
                        ConstMatrixView out, MatrixView d_out, const ScoreGradient& d_score,
                        const AttentionGradient& gradient, const RowCallback& wanted) {
  const HeadLayout& layout = input.heads;
  const GraphView& graph = input.graph;
  const Workspace::Scope scope(input.workspace);
  const bool separable = kScores[score.score]->description->separable;
  const bool functions = input.edges.log_prior.function != nullptr || input.edges.factor.function != nullptr;
  const bool edge_rows = !d_score.edge_weight.empty() || !gradient.value_edge_weight.empty() ||
                         !gradient.edge_features.empty() || !d_score.edge_features.empty();
  // A view whose edge ids are not places and that does not say the places is summed like an implicit graph.
  const GraphView::Arrays& arrays = graph.arrays();
  const bool places = graph.stored() && (arrays.in_edge_ids.empty() || !arrays.out_places.empty());
  const bool by_destination =
      functions || edge_rows || !separable || (!places && !d_score.destination.empty());
  const bool store_edges = !by_destination && !d_score.destination.empty();
  // Pair scores work out an edge once where the pass over sources can find it again.
  const bool store_pairs = places && kScores[score.score]->loops1.push_stored != nullptr &&
                           input.edge_features.empty() && gradient.log_prior.empty() &&
                           gradient.factor.empty();
  const ScoreInput ready = ready_score(input, score);
  const PairGradients pair(input, score, d_score);
  const ConstMatrixView edge_weights[] = {score.edge_weight, input.value_edge_weight};
  const BlockSums edge_sums(input.workspace, edge_weights);
  // Gradients of the values pass through memory that the worker writes anyway.
  AttentionGradient with_values = gradient;
  if (gradient.values.empty())
    with_values.values = input.workspace.matrix(graph.num_sources(), layout.width());
  const MatrixView records =
      input.workspace.matrix(out.rows, layout.num_groups * record_numbers(layout.lanes));
  const MatrixView edges = input.workspace.matrix(store_edges || store_pairs ? graph.num_edges() : 0,
                                                  (store_pairs ? 2 : 1) * layout.lanes);
  Bf16Rows bf16_d_out;
  if (!input.bf16_values.empty()) {
    const Index cols = Bf16Rows::memory_cols(layout.width());
    bf16_d_out = Bf16Rows(input.workspace.matrix(out.rows, cols), layout.width());
  }
  with_lanes(layout, [&](auto lanes) {
    fold_softmax<lanes>(input, score.destination, state, out, d_out, bf16_d_out, records, wanted);
  });
  // A caller's functions may sum for a destination: nobody else works on its row.
  const bool share = score.custom == nullptr && !functions;
  for_each_group(input, ready, [&](auto lanes, Index group, const auto& of_group) {
    constexpr int L = lanes;
    using Score = std::decay_t<decltype(of_group)>;
    BackwardJob<L, Score> job(input, of_group, d_score, with_values, d_out, bf16_d_out, records,
                              store_edges ? edges.data : nullptr, group);
    const auto part = [&](MatrixView whole) {
      const Index width = score.key_heads.group_width;
      return whole.empty() ? whole : whole.columns(group * width, width);
    };
    job.d_queries = part(pair.queries);
    job.d_keys = part(pair.keys);
    job.d_vector = part(pair.vector);
    if (store_pairs) job.pair_edges = edges.data;
    const Index destination_width = kLanes + job.d_queries.cols + job.d_vector.cols;
    const auto walk = [&](auto worker) {
      walk_rows<L, typename decltype(worker)::Type>(
          OutRows{graph, share}, job, kLanes + layout.group_width + job.d_keys.cols,
          2 * work_per_edge(layout), input.execution, input.workspace);
    };
    const auto by_source = [&] {
      if constexpr (Score::kSeparable) {
        if (job.flat) walk(WorkerType<FlatBackward<L, BackwardJob<L, Score>, SourceWorker<L, Score>>>());
        else walk(WorkerType<SourceWorker<L, Score>>());
      } else {
        if (store_pairs) walk(WorkerType<StoredSourceWorker<L, Score>>());
        else walk(WorkerType<SourceWorker<L, Score>>());
      }
    };
    if (!store_pairs) by_source();
    if (edge_rows) {
      destination_blocks<L, Score>(
          input, job, edge_sums, score.key_heads,
          gradient.edge_features.empty() ? d_score.edge_features : gradient.edge_features,
          gradient.edge_features, group, destination_width);
    } else if (by_destination) {
      using Worker = DestinationWorker<L, Score>;
      const Index rows_per_block = pair.vector.empty() ? 1 : kRowsPerVectorSum;
      walk_rows<L, Worker>(InRows{graph, share, rows_per_block}, typename Worker::Job{job}, destination_width,
                           work_per_edge(layout), input.execution, input.workspace);
    } else if (store_edges) {
      sum_edge_gradients<L>(graph, edges.data, d_score.destination.columns(group * L, L), input.execution);
    }
    if (store_pairs) by_source();
  });
  pair.finish(input, score, d_score);
  const MatrixView d_edge_weights[] = {d_score.edge_weight, gradient.value_edge_weight};
  edge_sums.add_to(d_edge_weights);
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
