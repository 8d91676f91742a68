// Kinds 4 and 7: neighbourhood attention with other scores, and hard attention.
#include <array>

#include "gat/nn/layers/attention.hpp"
#include "golden/family.hpp"
#include "golden/layer_run.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {
    "score_kind", "num_src",    "num_dst", "bipartite", "heads", "key_width", "query_width", "head_width",
    "concat",     "edge_index", "rowptr",  "edge_mask", "x",     "x_src",     "x_dst",       "q",
    "k",          "v",          "W_q",     "W_k",       "W_v",   "b_q",       "b_k",         "b_v",
    "v_a",        "b",          "W_a",     "beta",      "sigma", "upstream"};

constexpr std::array<const char*, 6> kScores{"tanh", "dot", "general", "scaled_dot", "cosine", "gaussian"};

std::string unsupported(const VectorFile& file) {
  constexpr double kKinds[] = {1, 2, 3, 4, 5, 6};
  constexpr std::string_view kFlags[] = {"bipartite", "concat"};
  if (std::string reason = unless_among(file, "score_kind", kKinds); !reason.empty()) return reason;
  return unsupported_layer(file, kFlags);
}

// Rows that the file gives as they are: q, k, v instead of features.
bool is_raw(GoldenCase& c) { return c.has("q"); }

gat::AttentionLayerOptions options_of(GoldenCase& c, const char* score) {
  gat::AttentionLayerOptions o = gat::AttentionLayerOptions::for_score(score);
  o.num_heads = static_cast<int>(c.integer("heads"));
  o.head_dim = c.integer("head_width");
  o.key_dim = c.integer("key_width");
  o.query_dim = c.integer("query_width");
  o.merge = c.flag("concat") ? gat::HeadMerge::concat : gat::HeadMerge::mean;
  o.bias = false;
  o.projection_bias = c.has("b_q");
  if (is_raw(c)) {
    o.query = o.key = o.value = gat::Projection::none;
    o.in_features = o.num_heads * o.key_dim;
    o.destination_features = o.num_heads * o.query_dim;
    o.value_features = o.num_heads * o.head_dim;
  } else {
    o.in_features = c.shape(c.has("x") ? "x" : "x_src").at(1);
    if (c.has("x_dst")) o.destination_features = c.shape("x_dst").at(1);
  }
  return o;
}

// Ours is w = 1/σ.
void compare_sigma(GoldenCase& c, LayerRun& run, const gat::Weights& gradients) {
  const std::vector<gat::Real> sigma = c.reals("sigma");
  std::size_t h = 0;
  const auto by_head = [&](double (*change)(double d_w, double s)) {
    h = 0;
    return [&, change](double d_w) { return change(d_w, static_cast<double>(sigma[h++])); };
  };
  run.compare_gradient("grad_inv_sigma", gradients, "score.w");
  run.compare_gradient("grad_sigma", gradients, "score.w",
                       by_head([](double d_w, double s) { return -d_w / (s * s); }));
  run.compare_gradient("grad_log_sigma", gradients, "score.w",
                       by_head([](double d_w, double s) { return -d_w / s; }));
}

void run_score(GoldenCase& c) {
  const char* const score = kScores[static_cast<std::size_t>(c.integer("score_kind")) - 1];
  LayerRun run(c, std::make_unique<gat::AttentionLayer>(options_of(c, score)),
               {{"query_weight", "W_q"},
                {"query_bias", "b_q"},
                {"key_weight", "W_k"},
                {"key_bias", "b_k"},
                {"value_weight", "W_v"},
                {"value_bias", "b_v"},
                {"score.v", "v_a"},
                {"score.b", "b"},
                {"score.W", "W_a"},
                {"score.beta", "beta"}});
  if (c.has("sigma")) {
    std::vector<gat::Real> inverse = c.reals("sigma");
    for (gat::Real& value : inverse) value = 1 / value;
    run.weights().import_values(run.weights().find("score.w"), inverse);
  }
  if (is_raw(c)) {
    run.read_source("k");
    run.read_destination("q");
    run.read_values("v");
  } else {
    run.read_source(c.has("x") ? "x" : "x_src");
    if (c.has("x_dst")) run.read_destination("x_dst");
  }
  if (c.has("edge_mask")) run.read_mask();
  run.evaluate("all edges open", false);
  run.compare_by_edge("score", run.logits());
  run.evaluate();
  const gat::Weights gradients = run.train();
  if (c.has("sigma")) compare_sigma(c, run, gradients);
}

// Hard attention.

std::string unsupported_hard(const VectorFile& file) {
  constexpr std::string_view kFlags[] = {"concat"};
  return unsupported_layer(file, kFlags);
}

constexpr std::string_view kHardGiven[] = {"num_src",    "num_dst", "heads", "head_width", "concat",
                                           "edge_index", "rowptr",  "x",     "W_q",        "W_k",
                                           "W_v",        "v",       "score"};

// Logits that stand in a table by edge id.
class TableScore final : public gat::CustomScore {
 public:
  explicit TableScore(gat::ConstMatrixView table) : table_(table) {}
  void logits(const Edges& edges, gat::MatrixView e) const override {
    for (std::size_t k = 0; k < edges.ids.size(); ++k) {
      for (int h = 0; h < edges.num_heads; ++h)
        e(static_cast<gat::Index>(k), h) = table_(edges.ids[k], edges.first_head + h);
    }
  }
  void add_destination_gradient(const Edges&, gat::ConstMatrixView) const override {}
  void add_source_gradient(const Edges&, gat::ConstMatrixView) const override {}

 private:
  gat::ConstMatrixView table_;
};

// The edge, by its number in the file, that every destination and head has chosen, or −1.
void compare_selected(GoldenCase& c, LayerRun& run) {
  const gat::GraphView view = run.graph().view();
  std::vector<std::int64_t> selected;
  for (gat::Index i = 0; i < view.num_destinations(); ++i) {
    for (gat::Index h = 0; h < run.attention().cols(); ++h) {
      const gat::EdgeRow row = view.in_edges(i);
      std::int64_t chosen = -1;
      for (gat::Index k = 0; k < row.count; ++k) {
        if (run.attention()(row.edge(k), h) != 0)
          chosen = run.graph().user_edge_ids()[static_cast<std::size_t>(row.edge(k))];
      }
      selected.push_back(chosen);
    }
  }
  c.compare_integers("selected", selected, {view.num_destinations(), run.attention().cols()});
}

void run_hard(GoldenCase& c) {
  const bool raw = c.has("v");
  gat::AttentionLayerOptions o = gat::AttentionLayerOptions::for_score(raw ? "custom" : "dot");
  o.num_heads = static_cast<int>(c.integer("heads"));
  o.head_dim = c.integer("head_width");
  o.merge = c.flag("concat") ? gat::HeadMerge::concat : gat::HeadMerge::mean;
  o.bias = o.projection_bias = false;
  o.selection = gat::Selection::argmax;
  o.in_features = raw ? o.num_heads * o.head_dim : c.shape("x").at(1);
  if (raw) o.value = gat::Projection::none;
  else o.key_dim = c.shape("W_k").at(0) / o.num_heads;
  LayerRun run(c, std::make_unique<gat::AttentionLayer>(o),
               {{"query_weight", "W_q"}, {"key_weight", "W_k"}, {"value_weight", "W_v"}});
  run.read_source(raw ? "v" : "x");
  const gat::Matrix file_scores = c.matrix("score");
  gat::Matrix scores(file_scores.rows(), file_scores.cols());
  for (gat::Index k = 0; k < scores.rows(); ++k) {
    for (gat::Index h = 0; h < scores.cols(); ++h) scores(run.edge_of(k), h) = file_scores(k, h);
  }
  const TableScore table(scores);
  if (raw) run.use_score(table);
  run.evaluate();
  compare_selected(c, run);
}

}  // namespace

const Family kScoreFamily{4, "neighbourhood attention with other scores", kGiven, unsupported, run_score};
const Family kHardFamily{7, "hard attention", kHardGiven, unsupported_hard, run_hard};

}  // namespace golden
