#include "golden/layer_run.hpp"

#include <algorithm>
#include <numeric>

#include "gat/core/error.hpp"
#include "gat/graph/edge_features.hpp"
#include "golden/family.hpp"
#include "numbers.hpp"

namespace golden {

namespace {

constexpr gat::LoopFill kFills[] = {gat::LoopFill::mean, gat::LoopFill::sum, gat::LoopFill::min,
                                    gat::LoopFill::max, gat::LoopFill::constant};

gat::GraphPolicy as_given() {
  gat::GraphPolicy policy;
  policy.direction = gat::Direction::as_given;
  policy.duplicates = gat::Duplicates::keep;
  policy.self_loops = gat::SelfLoops::as_given;
  return policy;
}

}  // namespace

gat::GraphPolicy policy_of(GoldenCase& c) {
  gat::GraphPolicy policy = as_given();
  if (c.has("add_self_loops") && c.flag("add_self_loops")) policy.self_loops = gat::SelfLoops::replace;
  if (c.has("fill_kind")) policy.loop_fill = kFills[c.integer("fill_kind")];
  if (c.has("fill_const")) policy.loop_fill_constant = c.number("fill_const");
  return policy;
}

gat::CsrGraph graph_of(GoldenCase& c, const gat::GraphPolicy& policy) {
  const std::vector<std::int64_t> ends = c.integers("edge_index");
  const std::size_t count = ends.size() / 2;
  gat::EdgeList edges;
  for (std::size_t e = 0; e < count; ++e) {
    edges.add(static_cast<gat::NodeId>(ends[e]), static_cast<gat::NodeId>(ends[count + e]));
  }
  const gat::Index sources = c.integer("num_src"), destinations = c.integer("num_dst");
  const bool bipartite = c.has("bipartite") ? c.flag("bipartite") : sources != destinations;
  const gat::BuiltGraph raw = bipartite ? gat::build_bipartite_graph(edges, sources, destinations, as_given())
                                        : gat::build_graph(edges, sources, as_given());
  if (c.has("rowptr")) {
    const auto offsets = raw.graph.row_offsets();
    const std::vector<std::int64_t> given = c.integers("rowptr");
    if (!std::equal(offsets.begin(), offsets.end(), given.begin(), given.end())) {
      c.fail("array rowptr: is another");
    }
  }
  return gat::rebuild_graph(raw.graph, policy).graph;
}

std::string unsupported_layer(const VectorFile& file, std::span<const std::string_view> flags) {
  constexpr double kFlag[] = {0, 1};
  constexpr double kFill[] = {0, 1, 2, 3, 4};
  for (const auto option : flags) {
    if (std::string reason = unless_among(file, option, kFlag); !reason.empty()) return reason;
  }
  const bool bipartite = file.has("bipartite") && file.number("bipartite") == 1;
  if (file.has("bipartite") && !bipartite && file.number("num_src") != file.number("num_dst")) {
    return "a graph that is not bipartite with num_src different from num_dst is not supported";
  }
  return file.has("fill_kind") ? unless_among(file, "fill_kind", kFill) : std::string();
}

void LayerRun::Side::read(GoldenCase& c, const char* array) {
  name = array;
  shape = c.shape(array);
  const std::vector<gat::Real> values = c.reals(array);
  const gat::Index rows = shape.at(0);
  const gat::Index cols =
      std::accumulate(shape.begin() + 1, shape.end(), gat::Index(1), std::multiplies<gat::Index>());
  numbers.resize(rows, cols);
  gradient.resize(rows, cols);
  std::copy(values.begin(), values.end(), numbers.data());
}

void LayerRun::Side::compare(GoldenCase& c) const {
  if (!given()) return;
  c.compare("grad_" + name, widened({gradient.data(), static_cast<std::size_t>(gradient.size())}), shape);
}

LayerRun::LayerRun(GoldenCase& golden_case, std::unique_ptr<gat::Layer> layer, Names names)
    : c_(golden_case),
      policy_(policy_of(c_)),
      graph_(graph_of(c_, policy_)),
      view_(graph_.view()),
      layer_(std::move(layer)),
      names_(std::move(names)),
      weights_(layer_->make_weights()) {
  read_parameters();
  if (c_.has("upstream")) upstream_ = c_.matrix("upstream");
  compare_edges();
}

void LayerRun::read_parameters() {
  for (gat::Index i = 0; i < weights_.count(); ++i) {
    const auto name = names_.find(weights_.spec(i).name);
    if (name == names_.end()) continue;
    const std::vector<gat::Real> values = c_.reals(name->second);
    if (static_cast<gat::Index>(values.size()) != weights_.spec(i).num_elements()) {
      throw gat::ShapeError("array " + name->second + " has " + std::to_string(values.size()) + " elements");
    }
    weights_.import_values(i, values);
  }
}

void LayerRun::read_edge_features(const char* name) {
  user_edges_ = c_.matrix(name);
  edges_.resize(graph_.num_edges(), user_edges_.cols());
  d_edges_.resize(graph_.num_edges(), user_edges_.cols());
  gat::spread_edge_features(graph_, policy_, user_edges_, edges_);
}

void LayerRun::read_mask() {
  const std::vector<std::int64_t> mask = c_.integers("edge_mask");
  mask_.assign(static_cast<std::size_t>(graph_.num_edges()), 0);
  for (std::size_t k = 0; k < mask.size(); ++k)
    mask_[static_cast<std::size_t>(edge_of(static_cast<gat::Index>(k)))] = mask[k] != 0;
}

gat::LayerInput LayerRun::input() const {
  gat::LayerInput in = input_;
  in.source = source_.numbers;
  if (destination_.given()) in.destination = gat::Destinations::own(destination_.numbers);
  if (values_.given()) in.values = values_.numbers;
  if (user_edges_.cols() > 0) in.edge_features = edges_;
  in.edges.mask = mask_;
  return in;
}

gat::Context LayerRun::context(gat::Mode mode, gat::Tape* tape, const gat::AttentionSink* sink) {
  return {.graph = view_,
          .weights = weights_,
          .workspace = workspace_,
          .mode = mode,
          .tape = tape,
          .attention = sink};
}

gat::AttentionSink LayerRun::sink() {
  for (gat::Matrix* const matrix : {&logits_, &attention_, &weighted_})
    matrix->resize(view_.edge_id_bound(), layer_->num_heads());
  gat::AttentionSink to;
  to.logits = logits_;
  to.attention = attention_;
  to.weighted = weighted_;
  return to;
}

gat::Matrix LayerRun::evaluate(std::string_view route, bool masked) {
  gat::LayerInput in = input();
  if (!masked) in.edges.mask = {};
  gat::Matrix out(view_.num_destinations(), layer_->check_input(view_, in));
  const gat::AttentionSink to = sink();
  layer_->forward(context(gat::Mode::evaluation, nullptr, &to), in, out);
  if (masked) c_.compare("out", out, route);
  return out;
}

gat::Weights LayerRun::train(std::string_view route, const char* alpha) {
  gat::InputGradient d_input;
  d_input.source = source_.gradient;
  if (destination_.given()) d_input.destination = destination_.gradient;
  if (values_.given()) d_input.values = values_.gradient;
  if (user_edges_.cols() > 0) d_input.edge_features = d_edges_;
  const gat::Weights gradients = train(input(), d_input, route, alpha);
  for (const Side* const side : {&source_, &destination_, &values_}) side->compare(c_);
  if (user_edges_.cols() > 0) {
    gat::Matrix d_user(user_edges_.rows(), user_edges_.cols());
    gat::gather_edge_gradient(graph_, policy_, edges_, d_edges_, d_user);
    c_.compare("grad_edge_attr", d_user);
  }
  return gradients;
}

void LayerRun::train_sparse() {
  const gat::CsrMatrix source = gat::test::sparse_copy(source_.numbers),
                       destination = gat::test::sparse_copy(destination_.numbers);
  gat::LayerInput in = input();
  in.source = source.view();
  if (destination_.given()) in.destination = gat::Destinations::own(destination.view());
  train(in, {}, "sparse features", "alpha");
}

gat::Weights LayerRun::train(const gat::LayerInput& in, const gat::InputGradient& d_input,
                             std::string_view route, const char* alpha) {
  gat::Matrix out(view_.num_destinations(), layer_->check_input(view_, in));
  const gat::AttentionSink to = sink();
  gat::Tape tape;
  const gat::Context round = context(gat::Mode::training, &tape, &to);
  layer_->forward(round, in, out);
  gat::Weights gradients = weights_;
  gradients.fill(0);
  layer_->backward(round, in, out, upstream_, d_input, gradients);
  c_.compare("out", out, route);
  if (*alpha != '\0') compare_by_edge(alpha, weighted_, route);
  for (gat::Index i = 0; i < gradients.count(); ++i) {
    const auto name = names_.find(gradients.spec(i).name);
    if (name == names_.end()) continue;
    c_.compare("grad_" + name->second, widened(gradients.export_values(i)), c_.shape(name->second), route);
  }
  return gradients;
}

void LayerRun::compare_gradient(std::string_view name, const gat::Weights& gradients,
                                std::string_view parameter, const std::function<double(double)>& change) {
  std::vector<double> values = widened(gradients.export_values(gradients.find(parameter)));
  if (change) std::transform(values.begin(), values.end(), values.begin(), change);
  c_.compare(name, values, gradients.spec(gradients.find(parameter)).shape);
}

// The order of the files: the user's edges as they were listed, then the added loops by node.
std::vector<std::size_t> LayerRun::golden_order() const {
  const auto ids = graph_.user_edge_ids();
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ids[b] == gat::kNone ? ids[a] != gat::kNone : ids[a] != gat::kNone && ids[a] < ids[b];
  });
  return order;
}

void LayerRun::compare_edges() {
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

void LayerRun::compare_by_edge(std::string_view name, gat::ConstMatrixView by_edge, std::string_view route) {
  // On an implicit view the id of an edge is computed from its ends.
  std::vector<gat::EdgeId> id_of(static_cast<std::size_t>(graph_.num_edges()));
  for (gat::Index i = 0; i < graph_.num_destinations(); ++i) {
    const gat::EdgeRow row = graph_.view().in_edges(i);
    for (gat::Index k = 0; k < row.count; ++k) {
      const auto at = static_cast<std::size_t>(row.edge(k));
      id_of[at] = view_.stored() ? row.edge(k) : i * view_.num_sources() + row.node(k);
    }
  }
  std::vector<double> rows;
  for (const std::size_t e : golden_order()) {
    const gat::Real* const row = by_edge.row(id_of[e]);
    rows.insert(rows.end(), row, row + by_edge.cols);
  }
  c_.compare(name, rows, {graph_.num_edges(), by_edge.cols}, route);
}

}  // namespace golden
