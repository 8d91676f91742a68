// Kind 10: the softmax inside the attention operator. Each edge has a source of its own and no score;
// the numbers under the softmax are the log-prior. With a source's value u of width 1 per head and an
// upstream of 1 per destination, the gradient by the log-prior is that of Σ u · softmax.
#include <cmath>
#include <numeric>

#include "gat/graph/graph_builder.hpp"
#include "gat/kernels/attention.hpp"
#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"num_segments", "heads", "segment", "score_in", "upstream"};

class SoftmaxRun {
 public:
  explicit SoftmaxRun(GoldenCase& golden_case)
      : c_(golden_case),
        graph_(graph_of(c_)),
        heads_(c_.integer("heads")),
        scores_(by_edge(c_.matrix("score_in"))),
        values_(c_.matrix("upstream")) {}

  // A score of −∞ closes an edge by itself.
  void run_by_prior() { run({}, "log-prior"); }

  // The same edges closed by the mask, where one is closed for all heads.
  void run_by_mask() {
    std::vector<std::uint8_t> open(static_cast<std::size_t>(scores_.rows()), 0);
    for (gat::Index e = 0; e < scores_.rows(); ++e) {
      for (gat::Index h = 0; h < heads_; ++h) open[static_cast<std::size_t>(e)] |= scores_(e, h) > -INFINITY;
    }
    run(open, "log-prior and mask");
  }

 private:
  static gat::CsrGraph graph_of(GoldenCase& c) {
    gat::EdgeList edges;
    for (const std::int64_t segment : c.integers("segment")) {
      edges.add(static_cast<gat::NodeId>(edges.size()), static_cast<gat::NodeId>(segment));
    }
    gat::GraphPolicy policy;
    policy.self_loops = gat::SelfLoops::as_given;
    policy.duplicates = gat::Duplicates::keep;
    return gat::build_bipartite_graph(edges, edges.size(), c.integer("num_segments"), policy).graph;
  }

  // Rows in the order of the file, in the order of our edge ids, and back.
  gat::Matrix by_edge(const gat::Matrix& rows) const {
    gat::Matrix result(rows.rows(), rows.cols());
    for (gat::Index k = 0; k < rows.rows(); ++k) {
      for (gat::Index h = 0; h < rows.cols(); ++h) result(edge(k), h) = rows(k, h);
    }
    return result;
  }
  gat::Matrix in_file_order(const gat::Matrix& rows) const {
    gat::Matrix result(rows.rows(), rows.cols());
    for (gat::Index k = 0; k < rows.rows(); ++k) {
      for (gat::Index h = 0; h < rows.cols(); ++h) result(k, h) = rows(edge(k), h);
    }
    return result;
  }
  gat::EdgeId edge(gat::Index k) const { return graph_.edge_of_user()[static_cast<std::size_t>(k)]; }

  void run(const std::vector<std::uint8_t>& open, std::string_view route) {
    const gat::GraphView view = graph_.view();
    const gat::Index edges = graph_.num_edges(), segments = graph_.num_destinations();
    const gat::HeadLayout layout(heads_, 1);
    gat::Matrix no_score(edges, layout.score_width()), row_max(segments, layout.score_width()),
        inverse_sum(row_max);
    gat::Matrix out(segments, layout.width()), attention(edges, heads_), d_prior(edges, heads_),
        d_out(segments, layout.width()), values(edges, layout.width());
    for (gat::Index e = 0; e < edges; ++e) gat::interleave_heads(layout, values_.row(e), values.row(e));
    const gat::Matrix ones = [&] {
      gat::Matrix matrix(1, heads_);
      matrix.view().fill(1);
      return matrix;
    }();
    for (gat::Index i = 0; i < segments; ++i) gat::interleave_heads(layout, ones.data(), d_out.row(i));
    gat::EdgeTerms terms;
    terms.mask = open;
    terms.log_prior.array = scores_;
    gat::AttentionSink sink;
    sink.attention = attention;
    gat::ScoreInput score;
    score.source = no_score;
    gat::AttentionGradient gradient;
    gradient.log_prior = d_prior;
    gat::Workspace workspace;
    const gat::AttentionInput input{view, layout, values, terms, {}, 1, workspace};
    gat::attention_forward(input, score, {row_max, inverse_sum}, out, &sink);
    gat::attention_backward(input, score, {row_max, inverse_sum}, out, d_out, {}, gradient);
    c_.compare("out", in_file_order(attention), route);
    c_.compare("grad_score_in", in_file_order(d_prior), route);
  }

  GoldenCase& c_;
  gat::CsrGraph graph_;
  gat::Index heads_;
  gat::Matrix scores_, values_;
};

void run(GoldenCase& golden_case) {
  SoftmaxRun softmax_run(golden_case);
  softmax_run.run_by_prior();
  softmax_run.run_by_mask();
}

}  // namespace

const Family kSegmentSoftmaxFamily{10, "segment softmax", kGiven, always_supported, run};

}  // namespace golden
