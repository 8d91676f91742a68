// Reported faults of the softmax over neighbourhoods: B01, B02, B04, B05.
#include <cmath>

#include "cases/probe.hpp"
#include "catch.hpp"

using namespace gat;
using gat::test::column_of;
using gat::test::Probe;
using gat::test::ProbeResult;

namespace {

constexpr double kTolerance = 1e-6;

auto near(double value) { return Approx(value).epsilon(kTolerance).margin(kTolerance); }

const test::Edges kTwoIntoZero{{1, 0}, {2, 0}};

}  // namespace

TEST_CASE("B01: large scores do not overflow the softmax", "[cases][softmax]") {
  const CsrGraph graph = test::graph_of(3, kTwoIntoZero);
  const ProbeResult equal = Probe::p1(1, 0).run(graph, column_of({0, 1000, 1000}));
  CHECK(equal.attention(0, 0) == near(0.5));
  CHECK(equal.attention(1, 0) == near(0.5));
  CHECK(equal.out(0, 0) == near(1000));
  CHECK(all_finite(equal));
  const ProbeResult different = Probe::p1(1, 0).run(graph, column_of({0, 1000, 999}));
  CHECK(different.attention(0, 0) == near(0.731059));
  CHECK(different.attention(1, 0) == near(0.268941));
  CHECK(different.out(0, 0) == near(999.731059));
  CHECK(all_finite(different));
}

TEST_CASE("B02: each neighbourhood is shifted by its own maximum", "[cases][softmax]") {
  const CsrGraph graph = test::graph_of(5, {{1, 0}, {2, 0}, {3, 4}});
  const ProbeResult r = Probe::p1(1, 0).run(graph, column_of({0, -1000, -1500, 1000, 0}));
  CHECK(r.logits(0, 0) == near(-200));
  CHECK(r.logits(1, 0) == near(-300));
  CHECK(r.logits(2, 0) == near(1000));
  CHECK(r.attention(0, 0) == near(1));
  CHECK(r.attention(1, 0) <= 1e-43);
  CHECK(r.out(0, 0) == near(-1000));
  CHECK(r.out(4, 0) == near(1000));
  CHECK(all_finite(r));
}

TEST_CASE("B04: maximum and sum run over the open edges alone", "[cases][softmax]") {
  const CsrGraph graph = test::graph_of(4, {{1, 0}, {2, 0}, {3, 0}});
  const std::vector<std::uint8_t> mask{1, 1, 0};
  const Matrix large = test::matrix_of({{0, 0}, {0, 2}, {0, 4}, {1000, 100}});
  LayerInput input{large, {}, {}, {}, {mask, {}, {}}};
  const ProbeResult a = Probe::p2().run(graph.view(), input);
  CHECK(a.attention(0, 0) == near(0.5));
  CHECK(a.attention(1, 0) == near(0.5));
  CHECK(a.attention(2, 0) == 0);
  CHECK(a.out(0, 1) == near(3));
  const Matrix logarithms = test::matrix_of({{0, 0}, {std::log(1), 2}, {std::log(2), 4}, {std::log(3), 8}});
  input.source = logarithms;
  const ProbeResult b = Probe::p2().run(graph.view(), input);
  CHECK(b.attention(0, 0) == near(1.0 / 3));
  CHECK(b.attention(1, 0) == near(2.0 / 3));
  CHECK(all_finite(a));
  CHECK(all_finite(b));
}

TEST_CASE("B05: a dropped only neighbour gives zero, survivors are doubled, the mean stays",
          "[cases][softmax][dropout]") {
  const CsrGraph graph = test::graph_of(2, {{1, 0}});
  Probe probe = Probe::zero_scores([](GatLayerOptions& o) { o.attention_dropout = 0.5; });
  probe.mode = Mode::training;
  double sum = 0;
  for (probe.seed = 0; probe.seed < 10000; ++probe.seed) {
    const ProbeResult r = probe.run(graph, column_of({0, 3}));
    REQUIRE((r.out(0, 0) == 0 || r.out(0, 0) == 6));
    REQUIRE(all_finite(r));
    sum += static_cast<double>(r.out(0, 0));
  }
  CHECK(std::abs(sum / 10000 - 3) <= 0.1);
}

TEST_CASE("B05: coefficients are normalised before dropout and not after", "[cases][softmax][dropout]") {
  const CsrGraph graph = test::graph_of(5, {{1, 0}, {2, 0}, {3, 0}, {4, 0}});
  Probe probe = Probe::zero_scores([](GatLayerOptions& o) { o.attention_dropout = 0.5; });
  const Matrix h = column_of({0, 1, 2, 3, 4});
  for (probe.seed = 0; probe.seed < 20; ++probe.seed) {
    probe.mode = Mode::training;
    const ProbeResult training = probe.run(graph, h);
    probe.mode = Mode::evaluation;
    const ProbeResult evaluation = probe.run(graph, h);
    double sum = 0;
    for (EdgeId e = 0; e < 4; ++e) {
      CHECK(training.attention(e, 0) == Real(0.25));
      CHECK((training.dropped(e, 0) == 0 || training.dropped(e, 0) == Real(0.5)));
      CHECK(evaluation.dropped(e, 0) == Real(0.25));
      sum += static_cast<double>(evaluation.attention(e, 0));
    }
    CHECK(sum == 1);
  }
}
