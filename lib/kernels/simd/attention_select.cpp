// Selection of edges by their logits: the k largest, or one drawn by the softmax.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gat/kernels/attention.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/simd/scored.hpp"

namespace gat::inline GAT_PRECISION {
namespace GAT_SIMD {

namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// One selected set: the numbers of `SelectedEdges`.
struct Selected {
  Real threshold = kInfinity;
  Index last = -1;
};

// NaN counts as larger than everything, so that it is not hidden.
Real ranked(Real e) { return e != e ? kInfinity : e; }

// The `count` largest of the logits; earlier(a, b) says which of two equal ones comes first.
template <class Earlier>
Selected select_top(std::span<const Real> logits, Index count, std::vector<Index>& places,
                    const Earlier& earlier) {
  places.clear();
  for (Index k = 0; k < static_cast<Index>(logits.size()); ++k) {
    if (logits[static_cast<std::size_t>(k)] != -kInfinity) places.push_back(k);
  }
  if (places.empty()) return {};
  if (static_cast<Index>(places.size()) <= count) return {-kInfinity, -1};
  const auto logit = [&](Index k) { return ranked(logits[static_cast<std::size_t>(k)]); };
  const auto first = places.begin() + count - 1;
  std::nth_element(places.begin(), first, places.end(), [&](Index a, Index b) {
    return logit(a) != logit(b) ? logit(a) > logit(b) : earlier(a, b);
  });
  return {logit(*first), *first};
}

// One place drawn with the probabilities of the softmax; `uniform` in [0, 1).
Selected select_one(std::span<const Real> logits, double uniform) {
  double largest = -kInfinity;
  for (const Real e : logits) largest = std::max(largest, static_cast<double>(ranked(e)));
  if (largest == -kInfinity) return {};
  const auto weight = [&](Real e) {
    if (largest == kInfinity) return ranked(e) == kInfinity ? 1.0 : 0.0;
    return std::exp(static_cast<double>(e) - largest);
  };
  const double total =
      std::accumulate(logits.begin(), logits.end(), 0.0, [&](double sum, Real e) { return sum + weight(e); });
  double rest = uniform * total;
  Selected selected{std::numeric_limits<Real>::quiet_NaN(), -1};
  for (std::size_t k = 0; k < logits.size(); ++k) {
    if (weight(logits[k]) <= 0) continue;
    selected.last = static_cast<Index>(k);
    rest -= weight(logits[k]);
    if (rest < 0) break;
  }
  return selected;
}

template <int L, class Score>
struct SelectionJob {
  const AttentionInput& input;
  const Score& score;
  const SelectionRule& rule;
  MatrixView threshold, last;
  Index group;
};

// The logits of whole rows, head by head, and what is selected of them.
template <int L, class Score>
class SelectionWorker {
 public:
  explicit SelectionWorker(const SelectionJob<L, Score>& job)
      : job_(job), terms_(job.input, job.group), heads_(job.input.heads.heads_in(job.group)) {}

  void select(Index i) {
    const InRows rows{job_.input.graph};
    const Index count = rows.row(i).count;
    logits_.resize(static_cast<std::size_t>(count * heads_));
    for (Index first = 0; first < count; first += kChunkEdges) {
      const Index size = std::min(kChunkEdges, count - first);
      batch_.take_chunk(rows, i, first, size);
      job_.score.by_destination(batch_, buffers_, e_);
      if (terms_.has_logit_terms()) terms_.add_to_logits(batch_, Direction::in, e_);
      for (Index k = 0; k < size; ++k) {
        for (Index h = 0; h < heads_; ++h)
          logits_[static_cast<std::size_t>(h * count + first + k)] = e_.numbers[k * L + h];
      }
    }
    for (Index h = 0; h < heads_; ++h) {
      const std::span<const Real> of_head(logits_.data() + h * count, static_cast<std::size_t>(count));
      const Selected selected = of_row(i, h, of_head);
      job_.threshold(i, job_.group * L + h) = selected.threshold;
      job_.last(i, job_.group * L + h) = static_cast<Real>(selected.last);
    }
  }

 private:
  Selected of_row(Index i, Index h, std::span<const Real> logits) {
    const GraphView& graph = job_.input.graph;
    if (job_.rule.kind == SelectionRule::Kind::sampled) {
      const Index element = graph.global_destination(i) * job_.input.heads.num_heads + job_.group * L + h;
      return select_one(logits, job_.rule.random.uniform(static_cast<std::uint64_t>(element)));
    }
    const std::span<const EdgeId> order = job_.input.selected.order;
    const EdgeRow row = graph.in_edges(i);
    return select_top(logits, job_.rule.count, places_, [&](Index a, Index b) {
      if (order.empty()) return a < b;
      return order[static_cast<std::size_t>(row.edge(a))] < order[static_cast<std::size_t>(row.edge(b))];
    });
  }

  const SelectionJob<L, Score>& job_;
  GroupTerms<L> terms_;
  Index heads_;
  EdgeBatch<L> batch_;
  typename Score::Buffers buffers_;
  EdgeBuffer e_;
  std::vector<Real> logits_;
  std::vector<Index> places_;
};

}  // namespace

void attention_select(const AttentionInput& input, const ScoreInput& score, const SelectionRule& rule,
                      MatrixView threshold, MatrixView last) {
  const Workspace::Scope scope(input.workspace);
  threshold.fill(kInfinity);
  last.fill(-1);
  // What is selected now does not depend on what was selected before.
  AttentionInput open = input;
  open.selected = {};
  open.selected.order = input.selected.order;
  for_each_group(open, ready_score(open, score), [&](auto lanes, Index group, const auto& of_group) {
    constexpr int L = lanes;
    using Score = std::decay_t<decltype(of_group)>;
    const SelectionJob<L, Score> job{open, of_group, rule, threshold, last, group};
    parallel_ranges(
        input.execution.num_threads, input.graph.num_destinations(),
        [&](Index i) { return (input.graph.in_edges_before(i) + 4 * i) * work_per_edge(input.heads); },
        [&](Index begin, Index end, int) {
          SelectionWorker<L, Score> worker(job);
          for (Index i = begin; i < end; ++i) worker.select(i);
        });
  });
}

}  // namespace GAT_SIMD
}  // namespace gat::inline GAT_PRECISION
#include "kernels/simd/level.hpp"
