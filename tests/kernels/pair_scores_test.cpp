#include "gat/graph/segments.hpp"
#include "kernels/attention_checks.hpp"
#include "kernels/pair_reference.hpp"
#include "kernels/score_reference.hpp"

using namespace gat;
using gat::test::at_every_level;
namespace naive = gat::test::naive;
using gat::test::naive_pair_attention;
using gat::test::PairNumbers;
using gat::test::PairResults;
using gat::test::run_pair_attention;

namespace {

struct PairOptions {
  int heads = 3;
  Index key_dim = 5, value_dim = 4, edge_features = 0;
  bool mask = false;
  double dropout = 0;
};

PairNumbers random_pairs(const ScoreDescription& score, const GraphView& graph, const PairOptions& o,
                         std::uint64_t seed = 1) {
  PairNumbers n;
  n.score = score.name;
  n.graph = graph;
  n.heads = o.heads;
  n.key_dim = o.key_dim;
  n.query_dim = score.equal_widths ? o.key_dim : o.key_dim + 2;
  n.value_dim = o.value_dim;
  const Index sources = graph.num_sources(), destinations = graph.num_destinations();
  n.queries = test::random_matrix(destinations, o.heads * n.query_dim, seed);
  n.keys = test::random_matrix(sources, o.heads * n.key_dim, seed + 1);
  n.values = test::random_matrix(sources, o.heads * n.value_dim, seed + 2);
  if (score.node_numbers) {
    n.source = test::random_matrix(sources, o.heads, seed + 3);
    n.destination = test::random_matrix(destinations, o.heads, seed + 4);
  }
  for (const ScoreParameter& parameter : score.parameters) {
    const bool per_head = parameter.shape == ScoreParameter::Shape::per_head;
    const Index rows = parameter.shape == ScoreParameter::Shape::matrix ? n.query_dim : 1;
    n.parameters.push_back(
        test::random_matrix(rows, o.heads * (per_head ? 1 : n.key_dim), seed + 5 + n.parameters.size()));
  }
  const EdgeId edges = graph.edge_id_bound();
  if (o.edge_features > 0) {
    n.edge_features = test::random_matrix(edges, o.edge_features, seed + 10);
    if (score.edge_features && !score.separable)
      n.edge_weight = test::random_matrix(o.edge_features, o.heads * n.key_dim, seed + 11);
    n.value_edge_weight = test::random_matrix(o.edge_features, o.heads * n.value_dim, seed + 12);
  }
  for (EdgeId e = 0; e < edges && o.mask; ++e) n.mask.push_back(e % 3 != 1);
  n.dropout = DropoutMask(RandomStream(seed + 13), o.dropout);
  n.d_out = test::random_matrix(destinations, o.heads * n.value_dim, seed + 14);
  return n;
}

// Relative to the largest number of each array, and to 1 where that vanishes (the cosine of two numbers has
// no gradient): 2e-5, since float logits carry their rounding into e^x.
void check_close(const PairResults& results, const PairResults& expected) {
  for (const auto& [name, theirs] : expected) {
    INFO(name);
    const Matrix& mine = results.at(name);
    double scale = 0, worst = 0;
    for (Index k = 0; k < theirs.size(); ++k) {
      if (mine.data()[k] == theirs.data()[k]) continue;
      scale = std::max(scale, std::abs(static_cast<double>(theirs.data()[k])));
      const double difference = std::abs(static_cast<double>(mine.data()[k] - theirs.data()[k]));
      worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    }
    CHECK(worst <= 2e-5 * (scale > 1e-9 ? scale : 1));
  }
}

using naive::Numbers;

// A head of width 4, drawn.
naive::PairInput random_input(const ScoreDescription& score) {
  const RandomStream stream(31);
  std::uint64_t drawn = 0;
  const auto numbers = [&](std::size_t count) {
    Numbers result(count);
    for (double& x : result) x = 2 * stream.uniform(drawn++) - 1;
    return result;
  };
  naive::PairInput in;
  in.key = numbers(4);
  in.query = numbers(score.equal_widths ? 4 : 6);
  for (const ScoreParameter& parameter : score.parameters) {
    const bool per_head = parameter.shape == ScoreParameter::Shape::per_head;
    const std::size_t rows = parameter.shape == ScoreParameter::Shape::matrix ? in.query.size() : 1;
    in.parameters.push_back(numbers(per_head ? 1 : rows * in.key.size()));
  }
  in.number = numbers(1)[0];
  return in;
}

// Derivatives of a formula by numbers of its own input.
void check_derivatives(naive::Formula formula, naive::PairInput& in, std::span<double> numbers,
                       std::span<const double> derivatives) {
  constexpr double kStep = 6e-6;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double x = numbers[k];
    numbers[k] = x + kStep;
    const double above = naive::pair_score(formula, in).e;
    numbers[k] = x - kStep;
    const double below = naive::pair_score(formula, in).e;
    numbers[k] = x;
    CHECK(derivatives[k] == Approx((above - below) / (2 * kStep)).epsilon(1e-7).margin(1e-9));
  }
}

const std::vector<PairOptions> kPairOptions{
    {},
    {.heads = 1, .key_dim = 1, .value_dim = 1},
    {.heads = 8, .key_dim = 8, .value_dim = 8},
    {.heads = 17, .key_dim = 3, .value_dim = 2},
    {.heads = 2, .key_dim = 33, .value_dim = 40},
    {.mask = true, .dropout = 0.4},
    {.edge_features = 3},
    {.heads = 5, .key_dim = 7, .value_dim = 9, .edge_features = 2, .mask = true, .dropout = 0.5}};

}  // namespace

TEST_CASE("derivatives of every score's formula agree with differences",
          "[kernels][attention][scores][reference]") {
  for (const ScoreDescription* score : score_table()) {
    INFO(score->name);
    const naive::Formula formula = naive::formula_of(score->name);
    naive::PairInput in = random_input(*score);
    const naive::PairScore s = naive::pair_score(formula, in);
    check_derivatives(formula, in, in.query, s.d_query);
    check_derivatives(formula, in, in.key, s.d_key);
    check_derivatives(formula, in, {&in.number, 1}, {&s.d_number, 1});
    for (std::size_t p = 0; p < in.parameters.size(); ++p)
      check_derivatives(formula, in, in.parameters[p], s.d_parameters[p]);
  }
}

TEST_CASE("every score agrees with its formula, forward and backward, at every level",
          "[kernels][attention][scores][reference]") {
  for (const ScoreDescription* score : score_table()) {
    INFO(score->name);
    for (const PairOptions& options : kPairOptions) {
      const CsrGraph graph = test::random_graph(23, 110, 7);
      const PairNumbers numbers = random_pairs(*score, graph.view(), options);
      const PairResults expected = naive_pair_attention(numbers);
      at_every_level([&](SimdLevel level) {
        check_close(run_pair_attention(numbers, {1, level}), expected);
      });
    }
  }
}

TEST_CASE("scores between two sides, on hubs and on implicit graphs agree with their formulas",
          "[kernels][attention][scores][reference]") {
  const CsrGraph sides =
      build_bipartite_graph(test::random_edge_list(9, 14, 50, 3), 9, 14, test::kAsGiven).graph;
  const CsrGraph hubs = test::hub_graph();
  const SegmentPointer batch(std::vector<Index>{0, 7, 8, 8, 150});
  for (const GraphView& graph : {sides.view(), hubs.view(), GraphView::complete(21, 21),
                                 GraphView::causal(150), GraphView::banded(31, 4), batch.complete()}) {
    for (const ScoreDescription* score : score_table()) {
      INFO(score->name << " on " << graph.num_edges() << " edges");
      const PairNumbers numbers = random_pairs(*score, graph, {.heads = 2, .mask = graph.stored()});
      check_close(run_pair_attention(numbers, {2}), naive_pair_attention(numbers));
    }
  }
}

TEST_CASE("scores have the same bits at any number of threads", "[kernels][attention][scores][determinism]") {
  const CsrGraph graph = test::hub_graph();
  for (const ScoreDescription* score : score_table()) {
    // Without edge features the passes of backward share what they work out per edge.
    for (const Index edge_features : {0, 2}) {
      INFO(score->name << " with " << edge_features << " edge features");
      const PairNumbers numbers =
          random_pairs(*score, graph.view(), {.heads = 2, .edge_features = edge_features, .dropout = 0.3});
      const PairResults expected = run_pair_attention(numbers, {1});
      for (const int threads : {2, 3, 8}) {
        const PairResults results = run_pair_attention(numbers, {threads});
        for (const auto& [name, matrix] : expected) {
          INFO(name << " with " << threads << " threads");
          CHECK(test::same_bits(results.at(name), matrix));
        }
      }
    }
  }
}

// From matrices of more than 32 MiB, rows of a graph that is not local may be fetched another way.
TEST_CASE("how rows of queries and keys are fetched changes no bits",
          "[kernels][attention][scores][determinism]") {
  constexpr Index kNodes = 40000;
  const CsrGraph graph = test::random_graph(kNodes, 2 * kNodes, 17);
  GraphView::Arrays arrays = graph.view().arrays();
  arrays.is_local = true;
  const GraphView local(kNodes, kNodes, false, graph.view().edge_id_bound(), arrays);
  const ScoreDescription& dot = *score_table()[static_cast<std::size_t>(score_named("dot"))];
  PairNumbers numbers = random_pairs(dot, graph.view(), {.heads = 8, .key_dim = 32, .value_dim = 32});
  const PairResults expected = run_pair_attention(numbers, {2});
  numbers.graph = local;
  for (const auto& [name, matrix] : run_pair_attention(numbers, {2})) {
    INFO(name);
    CHECK(test::same_bits(expected.at(name), matrix));
  }
}
