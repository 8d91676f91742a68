// Attention over several inputs by an LSTM, against numbers worked out by hand and a plain double version.
#include "gat/nn/layers/lstm_attention.hpp"

#include <cmath>

#include "catch.hpp"
#include "data/expectations.hpp"
#include "nn/networks.hpp"

using namespace gat;
using gat::test::matrix_of;
using gat::test::relative_difference;

namespace {

using Numbers = std::vector<double>;

LayerInput input_of(const std::vector<FeatureView>& views) {
  LayerInput input;
  input.source = views.front();
  input.others = std::span(views).subspan(1);
  return input;
}

Matrix rows_of(const LstmAttentionLayer& layer, const Weights& weights, const std::vector<Matrix>& inputs) {
  const std::vector<FeatureView> views(inputs.begin(), inputs.end());
  const GraphView rows = GraphView::rows(inputs.front().rows());
  Matrix out(rows.num_destinations(), layer.check_input(rows, input_of(views)));
  Workspace workspace;
  layer.forward({.graph = rows, .weights = weights, .workspace = workspace, .execution = 2}, input_of(views),
                out);
  return out;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The states of one direction, from parameters as files have them.
std::vector<Numbers> states_of(const std::vector<Numbers>& xs, const std::vector<Real>& weight,
                               const std::vector<Real>& bias) {
  const std::size_t hidden = bias.size() / 4, width = xs.front().size(), columns = width + hidden;
  Numbers h(hidden, 0), c(hidden, 0);
  std::vector<Numbers> states;
  for (const Numbers& x : xs) {
    Numbers a(bias.begin(), bias.end());
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t j = 0; j < columns; ++j)
        a[k] += static_cast<double>(weight[k * columns + j]) * (j < width ? x[j] : h[j - width]);
    }
    for (std::size_t k = 0; k < hidden; ++k) {
      c[k] = sigmoid(a[hidden + k]) * c[k] + sigmoid(a[k]) * std::tanh(a[2 * hidden + k]);
      h[k] = sigmoid(a[3 * hidden + k]) * std::tanh(c[k]);
    }
    states.push_back(h);
  }
  return states;
}

// One row of the result.
Numbers mixed(const std::vector<Numbers>& xs, const Weights& w) {
  const auto ahead = states_of(xs, w.export_values(0), w.export_values(1));
  auto back = states_of({xs.rbegin(), xs.rend()}, w.export_values(2), w.export_values(3));
  std::reverse(back.begin(), back.end());
  const std::vector<Real> a = w.export_values(4);
  Numbers shares;
  double sum = 0;
  for (std::size_t k = 0; k < xs.size(); ++k) {
    double score = 0;
    for (std::size_t j = 0; j < a.size() / 2; ++j)
      score +=
          static_cast<double>(a[j]) * ahead[k][j] + static_cast<double>(a[a.size() / 2 + j]) * back[k][j];
    shares.push_back(std::exp(score));
    sum += shares.back();
  }
  Numbers out(xs.front().size(), 0);
  for (std::size_t k = 0; k < xs.size(); ++k) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += shares[k] / sum * xs[k][j];
  }
  return out;
}

}  // namespace

TEST_CASE("attention by an LSTM weighs inputs by the states of both directions",
          "[nn][lstm_attention][unit]") {
  // With weights 0 and biases that make g = ½, every other gate is ½: c = ¼, then ⅛ + ¼, h = ½ tanh(c).
  const std::vector<Index> widths{1, 1};
  const LstmAttentionLayer layer(widths);
  const auto shares_by = [&](bool reverse) {
    Weights weights = layer.make_weights();
    const std::vector<Real> bias{0, 0, static_cast<Real>(std::atanh(0.5)), 0};
    weights.import_values(weights.find("forward.bias"), bias);
    weights.import_values(weights.find("reverse.bias"), bias);
    // The state read last scores ln 3 more than the first.
    const auto a = static_cast<Real>(2 * std::log(3.0) / (std::tanh(0.375) - std::tanh(0.25)));
    weights.import_values(weights.find("attention.weight"),
                          reverse ? std::vector<Real>{0, a} : std::vector<Real>{a, 0});
    return rows_of(layer, weights, {matrix_of({{4}, {0}}), matrix_of({{8}, {1}})});
  };
  CHECK(relative_difference(shares_by(false), matrix_of({{7}, {0.75}})) < 1e-5);
  CHECK(relative_difference(shares_by(true), matrix_of({{5}, {0.25}})) < 1e-5);
}

TEST_CASE("attention by an LSTM agrees with plain loops in double", "[nn][lstm_attention][reference]") {
  for (const Index inputs : {1, 2, 3, 5}) {
    for (const Index hidden : {0, 1, 7, 20}) {
      INFO(inputs << " inputs, " << hidden << " hidden");
      const std::vector<Index> widths(static_cast<std::size_t>(inputs), 5);
      const LstmAttentionLayer layer(widths, hidden);
      Weights weights = layer.make_weights();
      test::randomize(weights, RandomStream(3));
      std::vector<Matrix> xs;
      for (std::uint64_t k = 0; k < widths.size(); ++k) xs.push_back(test::random_matrix(9, 5, k));
      Matrix expected(9, 5);
      for (Index r = 0; r < 9; ++r) {
        std::vector<Numbers> rows;
        for (const Matrix& x : xs) rows.emplace_back(x.row(r), x.row(r) + 5);
        const Numbers out = mixed(rows, weights);
        for (Index j = 0; j < 5; ++j) expected(r, j) = static_cast<Real>(out[static_cast<std::size_t>(j)]);
      }
      CHECK(relative_difference(rows_of(layer, weights, xs), expected) < 1e-5);
    }
  }
}

TEST_CASE("attention by an LSTM sums gradients over all chunks of rows", "[nn][lstm_attention][reference]") {
  // More rows than one chunk against the same rows in several calls.
  const std::vector<Index> widths{3, 3};
  const LstmAttentionLayer layer(widths);
  Weights weights = layer.make_weights();
  test::randomize(weights, RandomStream(3));
  const Index total = 2500;
  const Matrix first = test::random_matrix(total, 3, 1), second = test::random_matrix(total, 3, 2);
  const Matrix d_output = test::random_matrix(total, 3, 4);
  const auto run = [&](Index begin, Index count, MatrixView out, MatrixView d_first, MatrixView d_second,
                       Weights& gradients) {
    const auto part = [&](ConstMatrixView x) { return ConstMatrixView(x.row(begin), count, 3); };
    const std::vector<FeatureView> views{part(first), part(second)};
    const GraphView rows = GraphView::rows(count);
    Workspace workspace;
    Tape tape;
    const Context context{.graph = rows,
                          .weights = weights,
                          .workspace = workspace,
                          .mode = Mode::training,
                          .execution = 3,
                          .tape = &tape};
    const std::vector<RowGradient> others{{d_second, true}};
    InputGradient d_input;
    d_input.source = d_first;
    d_input.others = others;
    layer.forward(context, input_of(views), out);
    layer.backward(context, input_of(views), out, part(d_output), d_input, gradients);
  };
  Matrix out(total, 3), d_first(total, 3), d_second(total, 3);
  Weights gradients = layer.make_weights();
  run(0, total, out, d_first, d_second, gradients);
  Matrix out_parts(total, 3), d_first_parts(total, 3), d_second_parts(total, 3);
  Weights sums = layer.make_weights();
  for (Index begin = 0; begin < total; begin += 700) {
    const Index count = std::min<Index>(700, total - begin);
    const auto part = [&](Matrix& matrix) { return MatrixView(matrix.row(begin), count, 3); };
    run(begin, count, part(out_parts), part(d_first_parts), part(d_second_parts), sums);
  }
  CHECK(test::same_bits(out, out_parts));
  CHECK(test::same_bits(d_first, d_first_parts));
  CHECK(test::same_bits(d_second, d_second_parts));
  CHECK(relative_difference(test::all_values(gradients), test::all_values(sums)) < 1e-5);
}

TEST_CASE("the hidden width of attention by an LSTM is PyG's unless it is given",
          "[nn][lstm_attention][options]") {
  const auto hidden = [](std::vector<Index> widths, Index given) {
    return std::get<std::int64_t>(LstmAttentionLayer(widths, given).describe().options.at("hidden_features"));
  };
  CHECK(hidden({5, 5, 5}, 0) == 7);
  CHECK(hidden({1}, 0) == 1);
  CHECK(hidden({5, 5}, 3) == 3);
  const auto refusal = [&](std::vector<Index> widths, Index given) {
    return message_of([&] { hidden(std::move(widths), given); });
  };
  CHECK(lacking(refusal({4, 5}, 0), {"lstm_attention", "4 and 5"}) == "");
  CHECK(lacking(refusal({4, 4}, -1), {"hidden_features is -1"}) == "");
}
