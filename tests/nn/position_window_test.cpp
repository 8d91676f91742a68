// Windows: edges inside of them, sequences in a batch, two-sided graphs; losses per sequence.
#include <array>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "gat/graph/segments.hpp"
#include "nn/attention_run.hpp"

using namespace gat;
using gat::test::AttentionProbe;
using gat::test::AttentionRound;
using gat::test::numbers_of;
using gat::test::random_matrix;
using gat::test::relative_difference;
using gat::test::small_attention;

namespace {

AttentionLayerOptions windowed(Window window, Index width) {
  AttentionLayerOptions o = small_attention("scaled_dot");
  o.window = window;
  o.window_width = width;
  o.window_edges = true;
  return o;
}

// All pairs inside each of several sequences, as one graph of a batch.
class Sequences {
 public:
  explicit Sequences(std::initializer_list<Index> lengths) {
    EdgeList edges;
    Index first = 0;
    for (const Index length : lengths) {
      for (Index i = 0; i < length; ++i) {
        for (Index j = 0; j < length; ++j)
          edges.add(static_cast<NodeId>(first + j), static_cast<NodeId>(first + i));
        segments_.push_back(static_cast<std::int32_t>(starts_.size()));
      }
      starts_.push_back(first);
      first += length;
    }
    graph_ = build_graph(edges, first, test::kAsGiven).graph;
    GraphView::Arrays arrays = graph_.view().arrays();
    arrays.segments = segments_;
    arrays.num_segments = static_cast<Index>(starts_.size());
    view_ = GraphView(first, first, false, graph_.num_edges(), arrays);
  }
  Sequences(const Sequences&) = delete;
  Sequences& operator=(const Sequences&) = delete;

  const GraphView& view() const { return view_; }
  Index start(std::size_t k) const { return starts_[k]; }

 private:
  std::vector<std::int32_t> segments_;
  std::vector<Index> starts_;
  CsrGraph graph_;
  GraphView view_;
};

Matrix part_of(const Matrix& rows, Index first, Index count) {
  return Matrix(ConstMatrixView(rows.row(first), count, rows.cols()));
}

}  // namespace

TEST_CASE("edges inside a window alone give what a mask of the others gives", "[nn][attention][window]") {
  for (const Window window : {Window::monotonic, Window::predictive}) {
    AttentionLayerOptions o = windowed(window, 3);
    const AttentionProbe inside(o);
    o.window_edges = false;
    AttentionProbe masked(o);
    const Index nodes = 20;
    const GraphView all = GraphView::complete(nodes, nodes);
    const Matrix x = random_matrix(nodes, 4, 5);
    const AttentionRound expected_edges = inside.run(all, x);
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(nodes * nodes));
    std::size_t open = 0;
    for (std::size_t e = 0; e < mask.size(); ++e) {
      mask[e] = expected_edges.attention(static_cast<Index>(e), 0) > 0;
      open += mask[e];
    }
    CHECK(open > 40);
    CHECK(open <= static_cast<std::size_t>(7 * nodes));
    LayerInput input{.source = x};
    input.edges.mask = mask;
    const AttentionRound round = masked.run(all, input);
    CHECK(relative_difference(expected_edges.out, round.out) < 1e-5);
    CHECK(relative_difference(expected_edges.d_source, round.d_source) < 1e-4);
    CHECK(relative_difference(numbers_of(expected_edges.gradients), numbers_of(round.gradients)) < 1e-4);
  }
}

TEST_CASE("each sequence of a batch has positions of its own", "[nn][attention][window][batch]") {
  for (const Window window : {Window::monotonic, Window::predictive}) {
    const AttentionProbe probe(windowed(window, 2));
    const Sequences both({9, 6}), first({9}), second({6});
    const Matrix x = random_matrix(15, 4, 5);
    const AttentionRound together = probe.run(both.view(), x);
    const std::vector<SegmentBegin> begins{{0, 0, 0}, {9, 9, 81}, {15, 15, 117}};
    CHECK(relative_difference(probe.run(GraphView::complete_segments(begins), x).out, together.out) < 1e-6);
    const AttentionRound a = probe.run(first.view(), part_of(x, 0, 9));
    const AttentionRound b = probe.run(second.view(), part_of(x, 9, 6));
    CHECK(relative_difference(part_of(together.out, 0, 9), a.out) < 1e-6);
    CHECK(relative_difference(part_of(together.out, 9, 6), b.out) < 1e-6);
    CHECK(relative_difference(part_of(together.d_source, 9, 6), b.d_source) < 1e-5);
    // The length of a sequence matters to predicted positions alone.
    const AttentionRound alone = probe.run(GraphView::complete(9, 9), part_of(x, 0, 9));
    CHECK(relative_difference(alone.out, a.out) < 1e-5);
  }
}

TEST_CASE("windows refuse a batch that does not say which rows are of which graph",
          "[nn][attention][window][batch]") {
  const Matrix x = random_matrix(6, 4, 5);
  const CsrGraph graph = test::random_graph(6, 12, 1);
  GraphView::Arrays arrays = graph.view().arrays();
  arrays.num_segments = 2;
  const GraphView view(6, 6, false, 12, arrays);
  CHECK(lacking(message_of([&] { AttentionProbe(windowed(Window::predictive, 2)).run(view, x); }),
                {"2 graphs", "SegmentPointer::attach"}) == "");
}

TEST_CASE("score-function gradients read the loss of each graph of a batch", "[nn][attention][batch]") {
  AttentionLayerOptions o = small_attention("scaled_dot");
  o.selection = Selection::sampled;
  o.sample_gradient = SampleGradient::score_function;
  AttentionProbe probe(o);
  const Sequences both({5, 4});
  const Matrix x = random_matrix(9, 4, 5), none(9, 6);
  const auto score_gradient = [&](double first, double second, std::array<double, 2> baseline) {
    const std::array<double, 2> loss{first, second};
    probe.loss = loss;
    probe.baseline = baseline;
    const AttentionRound r = probe.run(both.view(), x, none);
    return Matrix(ConstMatrixView(r.gradients[probe.weights.find("query_weight")]));
  };
  const Matrix a = score_gradient(1, 0, {}), b = score_gradient(0, 1, {});
  Matrix sum = score_gradient(2, 3, {1, 1});
  for (Index k = 0; k < sum.size(); ++k) sum.data()[k] -= a.data()[k] + 2 * b.data()[k];
  CHECK(relative_difference(a, Matrix(a.rows(), a.cols())) > 0);
  for (Index k = 0; k < sum.size(); ++k) CHECK(std::abs(sum.data()[k]) < 1e-5);
  probe.loss = {};
  CHECK_THROWS_WITH(probe.run(both.view(), x), Catch::Contains("Context::loss"));
}

TEST_CASE("a window on a two-sided graph stands on the positions of the sources",
          "[nn][attention][window][bipartite]") {
  AttentionLayerOptions o = windowed(Window::predictive, 3);
  o.destination_features = 2;
  const AttentionProbe probe(o);
  const GraphView view = GraphView::complete(30, 4, true);
  const Matrix sources = random_matrix(30, 4, 5), targets = random_matrix(4, 2, 6);
  const AttentionRound r = probe.run(view, {.source = sources, .destination = Destinations::own(targets)});
  for (Index i = 0; i < 4; ++i) {
    Index first = -1, last = -1;
    for (Index j = 0; j < 30; ++j) {
      if (r.attention(i * 30 + j, 0) == 0) continue;
      if (first < 0) first = j;
      last = j;
    }
    CHECK(first >= 0);
    CHECK(last - first <= 6);
  }
  CHECK(test::is_finite(r.d_destination));
}

TEST_CASE("windows of a batch of two-sided graphs count each side from its own start",
          "[nn][attention][window][batch][bipartite]") {
  const std::vector<Index> sources{0, 5, 14, 26}, destinations{0, 8, 12, 19};
  const SegmentPointer segments(sources, destinations);
  const Matrix x = random_matrix(26, 4, 5), y = random_matrix(19, 2, 6);
  // The same pairs as a stored graph whose rows have numbers, too.
  const test::StoredTwin twin(segments.complete());
  for (const Window window : {Window::monotonic, Window::predictive}) {
    for (const bool inside : {false, true}) {
      AttentionLayerOptions o = windowed(window, 3);
      o.destination_features = 2;
      o.window_edges = inside;
      const AttentionProbe probe(o);
      const auto run = [&](const GraphView& view, const Matrix& from, const Matrix& to) {
        return probe.run(view, {.source = from, .destination = Destinations::own(to)});
      };
      const AttentionRound together = run(segments.complete(), x, y);
      const AttentionRound stored = run(segments.attach(twin.view()), x, y);
      CHECK(relative_difference(stored.out, together.out) < 1e-5);
      for (std::size_t s = 0; s < 3; ++s) {
        INFO(name_of(window) << ", edges inside alone: " << inside << ", graph " << s);
        const Index first = sources[s], count = sources[s + 1] - first;
        const Index to = destinations[s], receivers = destinations[s + 1] - to;
        const Matrix mine = part_of(x, first, count), theirs = part_of(y, to, receivers);
        const AttentionRound alone = run(GraphView::complete(count, receivers, true), mine, theirs);
        CHECK(relative_difference(part_of(together.out, to, receivers), alone.out) < 1e-5);
        CHECK(relative_difference(part_of(together.d_source, first, count), alone.d_source) < 1e-4);
        CHECK(relative_difference(part_of(together.d_destination, to, receivers), alone.d_destination) <
              1e-4);
        // A batch of one graph is that graph.
        const SegmentPointer one(std::vector<Index>{0, count}, std::vector<Index>{0, receivers});
        CHECK(test::same_bits(run(one.complete(), mine, theirs).out, alone.out));
      }
    }
  }
}

TEST_CASE("a window on a batch of two-sided graphs needs to know where each begins",
          "[nn][attention][window][batch][bipartite]") {
  AttentionLayerOptions o = windowed(Window::monotonic, 3);
  o.destination_features = 2;
  const std::vector<std::int32_t> numbers{0, 0, 1, 1};
  const test::StoredTwin twin(GraphView::complete(4, 2, true));
  GraphView::Arrays arrays = twin.view().arrays();
  arrays.segments = numbers;
  arrays.num_segments = 2;
  const GraphView view(4, 2, true, 8, arrays);
  const Matrix x = random_matrix(4, 4, 5), y = random_matrix(2, 2, 6);
  CHECK(lacking(message_of(
                    [&] { AttentionProbe(o).run(view, {.source = x, .destination = Destinations::own(y)}); }),
                {"two-sided", "SegmentPointer::attach"}) == "");
}
