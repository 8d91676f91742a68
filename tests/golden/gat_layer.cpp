// Kind 1: one GAT layer, forward and backward, with dense and with sparse features.
#include <algorithm>
#include <numeric>

#include "gat/core/error.hpp"
#include "gat/graph/edge_features.hpp"
#include "gat/graph/graph_builder.hpp"
#include "gat/nn/layers/gat.hpp"
#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {
    "num_src",        "num_dst",  "bipartite", "heads",    "head_width", "concat",     "negative_slope",
    "add_self_loops", "residual", "use_bias",  "edge_dim", "fill_kind",  "fill_const", "edge_index",
    "rowptr",         "x",        "x_src",     "x_dst",    "edge_attr",  "W",          "W_src",
    "W_dst",          "att_src",  "att_dst",   "W_edge",   "att_edge",   "W_res",      "bias",
    "upstream"};

constexpr gat::LoopFill kFills[] = {gat::LoopFill::mean, gat::LoopFill::sum, gat::LoopFill::min,
                                    gat::LoopFill::max, gat::LoopFill::constant};

std::string unsupported(const VectorFile& file) {
  constexpr double kFlag[] = {0, 1};
  constexpr double kFill[] = {0, 1, 2, 3, 4};
  for (const auto option : {"bipartite", "concat", "add_self_loops", "residual", "use_bias"}) {
    if (std::string reason = unless_among(file, option, kFlag); !reason.empty()) return reason;
  }
  const bool bipartite = file.number("bipartite") == 1;
  if (!bipartite && file.number("num_src") != file.number("num_dst")) {
    return "a graph that is not bipartite with num_src different from num_dst is not supported";
  }
  if (bipartite && file.number("residual") == 1 && !file.has("x_dst")) {
    return "a residual without destination features is not supported";
  }
  return file.has("fill_kind") ? unless_among(file, "fill_kind", kFill) : std::string();
}

// The name of one of our parameters in the file.
std::string golden_name(std::string_view parameter, bool bipartite_weights) {
  if (parameter == "weight") return bipartite_weights ? "W_src" : "W";
  if (parameter == "weight_dst") return "W_dst";
  if (parameter == "a_src") return "att_src";
  if (parameter == "a_dst") return "att_dst";
  if (parameter == "edge_weight") return "W_edge";
  if (parameter == "a_edge") return "att_edge";
  if (parameter == "residual_weight") return "W_res";
  return std::string(parameter);
}

gat::GraphPolicy policy_of(GoldenCase& c) {
  gat::GraphPolicy policy;
  policy.direction = gat::Direction::as_given;
  policy.duplicates = gat::Duplicates::keep;
  policy.self_loops = c.flag("add_self_loops") ? gat::SelfLoops::replace : gat::SelfLoops::as_given;
  if (c.has("fill_kind")) policy.loop_fill = kFills[c.integer("fill_kind")];
  if (c.has("fill_const")) policy.loop_fill_constant = c.number("fill_const");
  return policy;
}

// The list of edges first becomes a graph as it is and then the graph of the layer, as in training.
gat::CsrGraph graph_of(GoldenCase& c, const gat::GraphPolicy& policy) {
  const std::vector<std::int64_t> ends = c.integers("edge_index");
  const std::size_t count = ends.size() / 2;
  gat::EdgeList edges;
  for (std::size_t e = 0; e < count; ++e) {
    edges.add(static_cast<gat::NodeId>(ends[e]), static_cast<gat::NodeId>(ends[count + e]));
  }
  gat::GraphPolicy as_given;
  as_given.duplicates = gat::Duplicates::keep;
  as_given.self_loops = gat::SelfLoops::as_given;
  const gat::Index sources = c.integer("num_src"), destinations = c.integer("num_dst");
  const gat::BuiltGraph raw = c.flag("bipartite")
                                  ? gat::build_bipartite_graph(edges, sources, destinations, as_given)
                                  : gat::build_graph(edges, sources, as_given);
  if (c.has("rowptr")) {
    const auto offsets = raw.graph.row_offsets();
    const std::vector<std::int64_t> given = c.integers("rowptr");
    if (!std::equal(offsets.begin(), offsets.end(), given.begin(), given.end())) {
      c.fail("array rowptr: is another");
    }
  }
  return gat::rebuild_graph(raw.graph, policy).graph;
}

gat::GatLayerOptions options_of(GoldenCase& c) {
  gat::GatLayerOptions options;
  const bool own = c.has("x_dst");
  options.in_features = c.shape(c.has("x") ? "x" : "x_src").at(1);
  options.destination_features = own ? c.shape("x_dst").at(1) : 0;
  options.edge_features = c.integer("edge_dim");
  options.num_heads = static_cast<int>(c.integer("heads"));
  options.head_dim = c.integer("head_width");
  options.merge = c.flag("concat") ? gat::HeadMerge::concat : gat::HeadMerge::mean;
  options.residual = c.flag("residual") ? gat::Residual::learned : gat::Residual::none;
  options.bias = c.flag("use_bias");
  options.negative_slope = c.number("negative_slope");
  return options;
}

gat::CsrMatrix sparse_copy(const gat::Matrix& dense) {
  gat::CsrMatrix sparse;
  sparse.rows = dense.rows();
  sparse.cols = dense.cols();
  for (gat::Index i = 0; i < dense.rows(); ++i) {
    for (gat::Index j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      sparse.column_indices.push_back(static_cast<gat::NodeId>(j));
      sparse.values.push_back(dense(i, j));
    }
    sparse.row_offsets.push_back(sparse.num_entries());
  }
  return sparse;
}

// One vector: the layer, its graph, its parameters and its inputs.
class LayerRun {
 public:
  explicit LayerRun(GoldenCase& golden_case)
      : c_(golden_case),
        policy_(policy_of(c_)),
        graph_(graph_of(c_, policy_)),
        layer_(options_of(c_)),
        weights_(std::vector<gat::ParameterSpec>(layer_.parameters().begin(), layer_.parameters().end())),
        source_(c_.matrix(source_name())),
        upstream_(c_.matrix("upstream")) {
    for (gat::Index i = 0; i < weights_.count(); ++i) {
      const std::vector<gat::Real> values = c_.reals(parameter_name(i));
      if (static_cast<gat::Index>(values.size()) != weights_.spec(i).num_elements()) {
        throw gat::ShapeError("array " + parameter_name(i) + " has " + std::to_string(values.size()) +
                              " elements");
      }
      weights_.import_values(i, values);
    }
    if (c_.has("x_dst")) destination_ = c_.matrix("x_dst");
    if (has_edge_features()) {
      user_edges_ = c_.matrix("edge_attr");
      edges_.resize(graph_.num_edges(), user_edges_.cols());
      gat::spread_edge_features(graph_, policy_, user_edges_, edges_);
    }
    compare_edges();
  }

  void run_dense() {
    gat::LayerInput input = edge_input();
    input.source = source_;
    if (c_.has("x_dst")) input.destination = gat::Destinations::own(destination_);
    gat::Matrix d_source(source_.rows(), source_.cols()),
        d_destination(destination_.rows(), destination_.cols());
    gat::Matrix d_edges(edges_.rows(), edges_.cols());
    gat::InputGradient d_input;
    d_input.source = d_source;
    if (c_.has("x_dst")) d_input.destination = d_destination;
    if (has_edge_features()) d_input.edge_features = d_edges;
    evaluate(input);
    train(input, d_input, "");
    c_.compare("grad_" + source_name(), d_source);
    if (c_.has("x_dst")) c_.compare("grad_x_dst", d_destination);
    if (has_edge_features()) {
      gat::Matrix d_user(user_edges_.rows(), user_edges_.cols());
      gat::gather_edge_gradient(graph_, policy_, edges_, d_edges, d_user);
      c_.compare("grad_edge_attr", d_user);
    }
  }

  void run_sparse() {
    const gat::CsrMatrix source = sparse_copy(source_), destination = sparse_copy(destination_);
    gat::LayerInput input = edge_input();
    input.source = source.view();
    if (c_.has("x_dst")) input.destination = gat::Destinations::own(destination.view());
    train(input, {}, "sparse features");
  }

 private:
  bool has_edge_features() const { return layer_.options().edge_features > 0; }
  std::string source_name() const { return c_.has("x") ? "x" : "x_src"; }
  std::string parameter_name(gat::Index i) const {
    return golden_name(weights_.spec(i).name, c_.has("W_src"));
  }

  gat::LayerInput edge_input() const {
    gat::LayerInput input;
    if (c_.has("x_src") && !c_.has("x_dst")) input.destination = gat::Destinations::none();
    if (has_edge_features()) input.edge_features = edges_;
    return input;
  }

  gat::Context context(gat::Mode mode, gat::Tape* tape, const gat::AttentionSink* sink) {
    return {view_, gat::ConstWeights{&weights_, 0}, mode, {}, 0, 0, 1, workspace_, tape, sink, {}};
  }

  void evaluate(const gat::LayerInput& input) {
    gat::Matrix out(graph_.num_destinations(), layer_.check_input(view_, input));
    layer_.forward(context(gat::Mode::evaluation, nullptr, nullptr), input, out);
    c_.compare("out", out, "evaluation");
  }

  void train(const gat::LayerInput& input, const gat::InputGradient& d_input, std::string_view route) {
    gat::Matrix out(graph_.num_destinations(), layer_.check_input(view_, input));
    gat::Matrix attention(graph_.num_edges(), layer_.num_heads());
    gat::AttentionSink sink;
    sink.attention = attention;
    gat::Tape tape;
    const gat::Context round = context(gat::Mode::training, &tape, &sink);
    layer_.forward(round, input, out);
    gat::Weights gradients = weights_;
    gradients.fill(0);
    layer_.backward(round, input, out, upstream_, d_input, gat::Gradients{&gradients, 0});
    c_.compare("out", out, route);
    compare_attention(attention, route);
    for (gat::Index i = 0; i < gradients.count(); ++i) {
      c_.compare("grad_" + parameter_name(i), widened(gradients.export_values(i)), gradients.spec(i).shape,
                 route);
    }
  }

  // The order of the files: the user's edges as they were listed, then the added loops by node.
  std::vector<std::size_t> golden_order() const {
    const auto ids = graph_.user_edge_ids();
    std::vector<std::size_t> order(ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return ids[b] == gat::kNone ? ids[a] != gat::kNone : ids[a] != gat::kNone && ids[a] < ids[b];
    });
    return order;
  }

  void compare_edges() {
    std::vector<std::int64_t> destinations;
    for (gat::Index i = 0; i < graph_.num_destinations(); ++i) {
      destinations.insert(destinations.end(), static_cast<std::size_t>(graph_.in_degree(i)), i);
    }
    std::vector<std::int64_t> sources, ends, ids;
    for (const std::size_t e : golden_order()) {
      sources.push_back(graph_.column_indices()[e]);
      ends.push_back(destinations[e]);
      ids.push_back(graph_.user_edge_ids()[e]);
    }
    const auto count = static_cast<gat::Index>(ids.size());
    sources.insert(sources.end(), ends.begin(), ends.end());
    // Without these arrays the rows of alpha are those of edge_index.
    if (c_.has("alpha_edge_index")) c_.compare_integers("alpha_edge_index", sources, {2, count});
    if (c_.has("alpha_edge_id")) c_.compare_integers("alpha_edge_id", ids, {count});
  }

  void compare_attention(const gat::Matrix& attention, std::string_view route) {
    std::vector<double> rows;
    for (const std::size_t e : golden_order()) {
      const gat::Real* const row = attention.row(static_cast<gat::Index>(e));
      rows.insert(rows.end(), row, row + attention.cols());
    }
    c_.compare("alpha", rows, {attention.rows(), attention.cols()}, route);
  }

  GoldenCase& c_;
  gat::GraphPolicy policy_;
  gat::CsrGraph graph_;
  gat::GraphView view_ = graph_.view();
  gat::GatLayer layer_;
  gat::Weights weights_;
  gat::Matrix source_, destination_, user_edges_, edges_, upstream_;
  gat::Workspace workspace_;
};

void run(GoldenCase& golden_case) {
  LayerRun layer_run(golden_case);
  layer_run.run_dense();
  layer_run.run_sparse();
}

}  // namespace

const Family kGatLayerFamily{1, "GAT layer", kGiven, unsupported, run};

}  // namespace golden
