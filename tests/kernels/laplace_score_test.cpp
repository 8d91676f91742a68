// The Laplace kernel: its formula, and values worked out by hand. Every suite that loops over the table of
// scores holds the kernels against the formula, and both against differences.
#include <cmath>

#include "kernels/attention_checks.hpp"
#include "kernels/pair_reference.hpp"
#include "kernels/score_reference.hpp"

namespace gat::test::naive {

void laplace_formula(const PairInput& in, PairScore& s) {
  const double w = in.parameters[0][0];
  for (std::size_t f = 0; f < in.key.size(); ++f) {
    const double x = w * (in.query[f] - in.key[f]);
    const double sign = x > 0 ? 1 : x < 0 ? -1 : 0;
    s.e -= std::abs(x);
    s.d_query[f] = -w * sign;
    s.d_key[f] = w * sign;
    s.d_parameters[0][0] -= sign * (in.query[f] - in.key[f]);
  }
}

}  // namespace gat::test::naive

using namespace gat;
using gat::test::matrix_of;
using gat::test::PairNumbers;
using gat::test::PairResults;

namespace {

// Destination 0 attends to two sources; it has feature 1 in common with the first.
PairNumbers two_sources(const GraphView& graph, double w) {
  PairNumbers n;
  n.score = "laplace";
  n.graph = graph;
  n.query_dim = n.key_dim = 2;
  n.queries = matrix_of({{1, 0.5}});
  n.keys = matrix_of({{0, 0.5}, {1.5, -0.5}});
  n.values = matrix_of({{3}, {7}});
  n.parameters.push_back(matrix_of({{w}}));
  n.d_out = matrix_of({{1}});
  return n;
}

void check_numbers(const Matrix& mine, const Matrix& expected) {
  REQUIRE(mine.size() == expected.size());
  for (Index k = 0; k < mine.size(); ++k) CHECK(mine.data()[k] == Approx(expected.data()[k]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("the Laplace score has the values worked out by hand, and gradient 0 in a tie",
          "[kernels][attention][scores][unit]") {
  const CsrGraph graph = build_bipartite_graph(test::edge_list({{0, 0}, {1, 0}}), 2, 1, test::kAsGiven).graph;
  // |q − k| = 1 and 1.5; α = e / (1 + e) and 1 / (1 + e); de = ∓4 α₀ α₁, and ±1 times that per feature and w
  const double share = 1 / (1 + std::exp(1.0)), d = 4 * share * (1 - share);
  test::at_every_level([&](SimdLevel level) {
    const PairResults r = run_pair_attention(two_sources(graph.view(), 2), {1, level});
    check_numbers(r.at("logits"), matrix_of({{-2}, {-3}}));
    check_numbers(r.at("out"), matrix_of({{3 + 4 * share}}));
    check_numbers(r.at("d_queries"), matrix_of({{4 * d, -2 * d}}));
    check_numbers(r.at("d_keys"), matrix_of({{-2 * d, 0}, {-2 * d, 2 * d}}));
    check_numbers(r.at("d_parameter0"), matrix_of({{-0.5 * d}}));
  });
}

TEST_CASE("the Laplace score reads the size of w, not its sign", "[kernels][attention][scores][unit]") {
  const CsrGraph graph = build_bipartite_graph(test::edge_list({{0, 0}, {1, 0}}), 2, 1, test::kAsGiven).graph;
  const PairResults plus = run_pair_attention(two_sources(graph.view(), 2), 1);
  const PairResults minus = run_pair_attention(two_sources(graph.view(), -2), 1);
  for (const char* const name : {"logits", "out", "d_queries", "d_keys"})
    check_numbers(minus.at(name), plus.at(name));
  CHECK(minus.at("d_parameter0")(0, 0) == -plus.at("d_parameter0")(0, 0));
}
