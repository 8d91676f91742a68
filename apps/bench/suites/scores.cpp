// Every score on the arxiv-shaped graph, beside the rows that it must gather.
#include <string>

#include "bench/arxiv.hpp"
#include "bench/suites.hpp"
#include "gat/kernels/activation.hpp"
#include "gat/kernels/attention.hpp"

namespace gat::app {

namespace {

// What all scores share: 8 heads × 32.
struct ScoreRows {
  explicit ScoreRows(const GraphView& view)
      : graph(view),
        queries(rows(1)),
        keys(rows(2)),
        values(rows(3)),
        d_out(rows(4)),
        numbers(random_matrix(view.num_sources(), heads.score_width(), 5)),
        ones(view.num_destinations(), heads.score_width()) {
    ones.view().fill(1);
  }
  Matrix rows(std::uint64_t seed) const { return random_matrix(graph.num_sources(), heads.width(), seed); }

  GraphView graph;
  HeadLayout heads{8, 32};
  Matrix queries, keys, values, d_out, numbers, ones;
  Matrix d_queries = queries, d_keys = queries, d_values = queries, out = queries;
  Matrix d_source = numbers, d_destination = numbers, row_max = numbers, inverse_sum = numbers;
  Workspace workspace;
};

// One score, forward and backward.
class ScorePasses {
 public:
  ScorePasses(ScoreRows& rows, int score)
      : rows_(rows), score_(score), description_(*score_table()[static_cast<std::size_t>(score)]) {
    for (const ScoreParameter& parameter : description_.parameters) {
      const bool per_head = parameter.shape == ScoreParameter::Shape::per_head;
      const Index count = parameter.shape == ScoreParameter::Shape::matrix ? 32 : 1;
      parameters_.push_back(random_matrix(count, per_head ? HeadLayout(8, 1).width() : rows.heads.width(),
                                          6 + parameters_.size()));
      d_parameters_.emplace_back(parameters_.back().rows(), parameters_.back().cols());
    }
    parameter_views_.assign(parameters_.begin(), parameters_.end());
    d_parameter_views_.assign(d_parameters_.begin(), d_parameters_.end());
  }

  // Whether the values are the rows of the keys, so that one gather serves both.
  bool shared() const { return !description_.separable && description_.maps != ScoreMaps::three; }

  void forward(const Execution& on) {
    attention_forward(input(on), score(), {rows_.row_max, rows_.inverse_sum}, rows_.out, nullptr);
  }
  void backward(const Execution& on) {
    ScoreGradient d_score;
    if (description_.leaky) {
      d_score.source = rows_.d_source;
      d_score.destination = rows_.d_destination;
    }
    if (!description_.separable) {
      d_score.queries = rows_.d_queries;
      d_score.keys = rows_.d_keys;
      d_score.parameters = d_parameter_views_;
    }
    // With ones for the inverse sums the gradient of the result, scaled in place, stays what it is.
    attention_backward(input(on), score(), {rows_.row_max, rows_.ones}, rows_.out, rows_.d_out, d_score,
                       {rows_.d_values, {}, {}});
  }

 private:
  AttentionInput input(const Execution& on) {
    return {rows_.graph, rows_.heads, shared() ? rows_.keys : rows_.values, {}, {}, on, rows_.workspace};
  }
  ScoreInput score() const {
    ScoreInput score;
    score.score = score_;
    score.query_heads = score.key_heads = rows_.heads;
    if (description_.leaky) score.source = score.destination = rows_.numbers;
    if (description_.separable) return score;
    score.queries = rows_.queries;
    score.keys = rows_.keys;
    score.parameters = parameter_views_;
    return score;
  }

  ScoreRows& rows_;
  int score_;
  const ScoreDescription& description_;
  std::vector<Matrix> parameters_, d_parameters_;
  std::vector<ConstMatrixView> parameter_views_;
  std::vector<MatrixView> d_parameter_views_;
};

// The tanh of as many numbers as the additive score has, a tanh per edge and feature, without the edges:
// again and again of numbers in the second-level cache.
class TanhAlone {
 public:
  TanhAlone(Index num_edges, Index width) : x_(random_matrix(2048, width, 7)), y_(x_), rows_(num_edges) {}

  void run(const Execution& on) {
    for (Index done = 0; done < rows_; done += x_.rows())
      activation_forward({ActivationKind::tanh}, x_, y_, on);
  }

 private:
  Matrix x_, y_;
  Index rows_;
};

}  // namespace

void build_scores(Suite& suite, const SuiteOptions& options) {
  const ArxivData& data = suite.make<ArxivData>();
  const Execution on = options.executions.back();
  const auto row_bytes = static_cast<double>(data.num_edges() * 256) * sizeof(Real);
  ScoreRows& rows = suite.make<ScoreRows>(data.named.view);
  std::size_t first = 0;
  for (int k = 0; k < static_cast<int>(score_table().size()); ++k) {
    const ScoreDescription& description = *score_table()[static_cast<std::size_t>(k)];
    if (description.name == "custom") continue;
    ScorePasses& passes = suite.make<ScorePasses>(rows, k);
    // Forward: keys and values. Backward: a separable score gathers d_out alone; a pair score keys and
    // values by destination, queries and d_out by source.
    const double keys = description.separable ? 0 : 1, values = passes.shared() ? 0 : 1;
    const double forward_rows = keys + values;
    const double backward_rows = description.separable ? 1 : keys + values + 2;
    const std::string name(description.name);
    Work forward, backward;
    forward.gathered = {{&data.named, 256, forward_rows * row_bytes}};
    backward.gathered = {{&data.named, 256, backward_rows * row_bytes}};
    const std::size_t at =
        suite.add({name + " forward, " + std::to_string(int(forward_rows)) + " rows per edge", on.num_threads,
                   [&passes, on] { passes.forward(on); }, forward, 0, data.num_edges()});
    suite.add({name + " backward, " + std::to_string(int(backward_rows)) + " rows per edge", on.num_threads,
               [&passes, on] { passes.backward(on); }, backward, 0, data.num_edges()});
    if (k == 0) first = at;
    suite.compare(name + " / gat, forward", at, first);
    suite.compare(name + " / gat, backward", at + 1, first + 1);
    if (description.name != "tanh") continue;
    TanhAlone& alone = suite.make<TanhAlone>(data.num_edges(), rows.heads.width());
    const std::size_t tanh = suite.add({"a tanh per edge and feature, alone",
                                        on.num_threads,
                                        [&alone, on] { alone.run(on); },
                                        {},
                                        0,
                                        data.num_edges()});
    suite.compare("tanh forward / its tanh alone", at, tanh);
    suite.compare("tanh backward / a tanh alone", at + 1, tanh);
  }
}

}  // namespace gat::app
