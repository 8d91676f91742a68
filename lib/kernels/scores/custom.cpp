// A score of the user's own: one virtual call per batch of rows.
#include <array>
#include "kernels/simd/score_kernels.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {
constexpr ScoreDescription kDescription{
    .name = "custom", .formula = "a CustomScore of the caller's", .reads_rows = false};

// The edges of row `first_row` … `last_row` − 1 of a batch, one after the other.
template <int L>
class EdgesOf {
 public:
  EdgesOf(const PairJob<L>& job, const EdgeBatch<L>& batch, Index first_row, Index last_row,
          Direction direction)
      : job_(job) {
    const bool in = direction == Direction::in;
    for (Index r = first_row; r < last_row; ++r) {
      const EdgeRow& run = batch.run(r);
      for (Index k = 0; k < run.count; ++k, ++count_) {
        const Index own = batch.row(r), other = run.node(k);
        destinations_[count_] = static_cast<NodeId>(job.graph->global_destination(in ? own : other));
        sources_[count_] = static_cast<NodeId>(job.graph->global_source(in ? other : own));
        ids_[count_] = run.edge(k);
      }
    }
  }
  CustomScore::Edges edges() const {
    const auto count = static_cast<std::size_t>(count_);
    return {{destinations_.data(), count},
            {sources_.data(), count},
            {ids_.data(), count},
            static_cast<int>(job_.first_head),
            static_cast<int>(job_.heads)};
  }
  Index count() const { return count_; }
  MatrixView numbers() { return {numbers_.data(), count_, job_.heads}; }

 private:
  static constexpr std::size_t kMost = kBatchVectors * EdgeBatch<L>::kEdges;
  const PairJob<L>& job_;
  Index count_ = 0;
  std::array<NodeId, kMost> destinations_, sources_;
  std::array<EdgeId, kMost> ids_;
  std::array<Real, kMost * L> numbers_;
};

template <int L>
void custom_logits(const PairJob<L>& job, const EdgeBatch<L>& batch, Direction direction, PairBuffers<L>&,
                   EdgeBuffer& e) {
  EdgesOf<L> edges(job, batch, 0, batch.count(), direction);
  job.custom->logits(edges.edges(), edges.numbers());
  Index at = 0;
  for (Index r = 0; r < batch.count(); ++r) {
    Real* to = e.at(batch.first_vector(r));
    for (Index k = 0; k < batch.run(r).count; ++k, ++at) {
      for (Index h = 0; h < L; ++h) to[k * L + h] = h < job.heads ? edges.numbers()(at, h) : Real(0);
    }
  }
  batch.fill_padding(e, -std::numeric_limits<Real>::infinity());
}

template <int L>
Lanes custom_push(const PairJob<L>& job, const EdgeBatch<L>& batch, Index r, Direction direction,
                  PairBuffers<L>&, const EdgeBuffer& d_e, const PairGradient&) {
  EdgesOf<L> edges(job, batch, r, r + 1, direction);
  const Real* from = d_e.numbers + batch.first_vector(r) * kLanes;
  for (Index k = 0; k < edges.count(); ++k) {
    for (Index h = 0; h < job.heads; ++h) edges.numbers()(k, h) = from[k * L + h];
  }
  if (direction == Direction::in) job.custom->add_destination_gradient(edges.edges(), edges.numbers());
  else job.custom->add_source_gradient(edges.edges(), edges.numbers());
  return {};
}

template <int L>
constexpr PairLoops<L> kLoops{&custom_logits<L>, &custom_push<L>, nullptr, false};
}  // namespace

extern const ScoreKernels custom_score{&kDescription, kLoops<1>,  kLoops<2>, kLoops<4>,
                                       kLoops<8>,     kLoops<16>, {},        {}};

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
