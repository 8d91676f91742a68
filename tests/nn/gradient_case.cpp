#include "nn/gradient_case.hpp"
#include "nn/random_weights.hpp"

namespace gat::test {

namespace {

template <class Options>
EdgeList random_edges(const GradientCaseOf<Options>& c, Index sources, Index destinations,
                      RandomStream stream) {
  EdgeList list;
  for (Index e = 0; e < c.num_edges; ++e) {
    const auto k = static_cast<std::uint64_t>(e);
    // The last destination receives nothing: an empty neighbourhood unless loops are added.
    list.add(static_cast<NodeId>(stream.below(2 * k, static_cast<std::uint64_t>(sources))),
             static_cast<NodeId>(stream.below(2 * k + 1, static_cast<std::uint64_t>(destinations - 1))));
  }
  for (Index e = 0; e < c.hub_edges; ++e) {
    const auto k = static_cast<std::uint64_t>(e);
    list.add(static_cast<NodeId>(stream.derive(1).below(k, static_cast<std::uint64_t>(sources))), 0);
    list.add(1, static_cast<NodeId>(stream.derive(2).below(k, static_cast<std::uint64_t>(destinations - 1))));
  }
  return list;
}

}  // namespace

template <class LayerKind, class Options>
Matrix GradientRunOf<LayerKind, Options>::random(Index rows, Index cols, std::uint64_t tag) const {
  Matrix matrix(rows, cols);
  const RandomStream stream = stream_.derive(tag);
  for (Index k = 0; k < matrix.size(); ++k)
    matrix.data()[k] = 2 * stream.uniform(static_cast<std::uint64_t>(k)) - 1;
  return matrix;
}

template <class LayerKind, class Options>
GradientRunOf<LayerKind, Options>::GradientRunOf(const GradientCaseOf<Options>& c, std::uint64_t seed)
    : case_(c), stream_(seed) {
  const bool bipartite = c.destination != Destinations::Kind::prefix;
  const Index destinations = bipartite ? c.num_nodes - 3 : c.num_nodes;
  const EdgeList list = random_edges(c, c.num_nodes, destinations, stream_.derive(1));
  built_ = bipartite ? build_bipartite_graph(list, c.num_nodes, destinations, c.policy)
                     : build_graph(list, c.num_nodes, c.policy);
  view_ = c.implicit.num_sources() > 0 ? c.implicit : built_.graph.view();
  layer_ = std::make_unique<LayerKind>(c.options);
  weights_ = layer_->make_weights();
  randomize(weights_, stream_.derive(2));
  source_ = random(view_.num_sources(), c.options.in_features, 3);
  if (c.sparse) {
    sparse_.rows = source_.rows();
    sparse_.cols = source_.cols();
    for (Index i = 0; i < source_.rows(); ++i) {
      for (Index j = i % 2; j < source_.cols(); j += 2) {
        sparse_.column_indices.push_back(static_cast<NodeId>(j));
        sparse_.values.push_back(source_(i, j));
      }
      sparse_.row_offsets.push_back(sparse_.num_entries());
    }
  }
  if (c.destination == Destinations::Kind::own)
    own_ = random(view_.num_destinations(), c.options.destination_features, 4);
  if constexpr (requires { c.options.value_features; }) {
    if (c.options.value_features > 0) values_ = random(view_.num_sources(), c.options.value_features, 10);
    if (c.options.score == "custom")
      custom_ = std::make_unique<ProductScore>(random(view_.num_destinations(), 3, 11),
                                               random(view_.num_sources(), 3, 12));
  }
  if (c.options.edge_features > 0)
    user_edges_ = random(built_.graph.num_user_edges(), c.options.edge_features, 5);
  for (Index k = 0; k < user_edges_.size() && c.positive_edge_features; ++k)
    user_edges_.data()[k] = (user_edges_.data()[k] + 1) / 2 + 0.2;
  if (c.log_prior_columns > 0) log_prior_ = random(view_.edge_id_bound(), c.log_prior_columns, 6);
  if (c.factor_columns > 0) factor_ = random(view_.edge_id_bound(), c.factor_columns, 7);
  if (c.mask) {
    for (EdgeId e = 0; e < view_.edge_id_bound(); ++e)
      mask_.push_back(c.only_destination_masked || e % 3 != 1);
    const EdgeRow first = view_.in_edges(0);
    for (Index k = 0; k < first.count && c.only_destination_masked; ++k)
      mask_[static_cast<std::size_t>(first.edge(k))] = 0;
  }
  upstream_ = random(view_.num_destinations(), layer_->output_width(), 8);
}

template <class LayerKind, class Options>
Context GradientRunOf<LayerKind, Options>::context(Tape* tape, const AttentionSink* sink) {
  return {.graph = view_,
          .weights = weights_,
          .workspace = workspace_,
          .mode = Mode::training,
          .random = stream_.derive(9),
          .layer = 2,
          .call = 1,
          .tape = tape,
          .attention = sink,
          .loss = loss_per_graph};
}

template <class LayerKind, class Options>
LayerInput GradientRunOf<LayerKind, Options>::input() {
  LayerInput in;
  in.source = case_.sparse ? FeatureView(sparse_.view()) : FeatureView(source_);
  in.destination = {case_.destination,
                    case_.destination == Destinations::Kind::own ? FeatureView(own_) : FeatureView()};
  if (case_.options.edge_features > 0) {
    edges_.resize(built_.graph.num_edges(), case_.options.edge_features);
    spread_edge_features(built_.graph, case_.policy, user_edges_, edges_);
    in.edge_features = edges_;
  }
  if (!values_.empty()) in.values = values_;
  in.custom_score = custom_.get();
  in.edges.mask = mask_;
  if (case_.log_prior_columns > 0) in.edges.log_prior.array = log_prior_;
  if (case_.factor_columns > 0) in.edges.factor.array = factor_;
  return in;
}

template <class LayerKind, class Options>
double GradientRunOf<LayerKind, Options>::loss() {
  const LayerInput in = input();
  layer_->check_input(view_, in);
  Matrix out(view_.num_destinations(), layer_->output_width());
  Tape tape;
  layer_->forward(context(&tape), in, out);
  double sum = layer_->added_loss(tape);
  for (Index k = 0; k < out.size(); ++k) sum += out.data()[k] * upstream_.data()[k];
  return sum;
}

template <class LayerKind, class Options>
double GradientRunOf<LayerKind, Options>::distance_to_kink() {
  // The logit without prior is LeakyReLU of the score, so it is small where the score is.
  Matrix logits(view_.edge_id_bound(), case_.options.num_heads);
  LayerInput in = input();
  in.edges = {};
  AttentionSink sink;
  sink.logits = logits;
  Matrix out(view_.num_destinations(), layer_->output_width());
  layer_->forward(context(nullptr, &sink), in, out);
  double smallest = 1;
  for (Index i = 0; i < view_.num_destinations(); ++i) {
    const EdgeRow row = view_.in_edges(i);
    for (Index k = 0; k < row.count; ++k) {
      for (Index h = 0; h < logits.cols(); ++h) {
        const double e = logits(row.edge(k), h);
        // With slope 0 every negative score has logit 0 and no gradient; the kink is seen from the right.
        if (e == 0 && case_.options.negative_slope == 0) continue;
        smallest = std::min(smallest, std::abs(e));
      }
    }
  }
  return smallest;
}

template <class LayerKind, class Options>
std::vector<typename GradientRunOf<LayerKind, Options>::Named>
GradientRunOf<LayerKind, Options>::gradients() {
  const LayerInput in = input();
  Tape tape;
  Matrix out(view_.num_destinations(), layer_->output_width());
  layer_->forward(context(&tape), in, out);

  Weights d_weights = layer_->make_weights();
  const auto like = [](const Matrix& matrix) { return Matrix(matrix.rows(), matrix.cols()); };
  Matrix d_source = like(source_), d_own = like(own_), d_edges = like(edges_), d_user = like(user_edges_);
  Matrix d_values = like(values_), d_log_prior = like(log_prior_), d_factor = like(factor_);
  InputGradient d_input;
  if (!case_.sparse) d_input.source = d_source;
  if (!own_.empty()) d_input.destination = d_own;
  if (!values_.empty()) d_input.values = d_values;
  if (!edges_.empty()) d_input.edge_features = d_edges;
  if (!log_prior_.empty()) d_input.log_prior = d_log_prior;
  if (!factor_.empty()) d_input.factor = d_factor;
  layer_->backward(context(&tape), in, out, upstream_, d_input, d_weights);

  std::vector<Named> result;
  const auto add = [&](const std::string& name, Matrix& values, const Matrix& gradient) {
    if (values.empty()) return;
    Named named{name, {}, gradient};
    for (Index k = 0; k < values.size(); ++k) named.values.push_back(values.data() + k);
    result.push_back(std::move(named));
  };
  for (Index i = 0; i < weights_.count(); ++i) {
    const MatrixView values = weights_[i];
    Named named{weights_.spec(i).name, {}, {}};
    std::vector<Real> gradient;
    for (Index k = 0; k < values.rows * values.cols; ++k) {
      const Real d = d_weights[i].data[k];
      // Padding is zero and stays so; a gradient of padding would be found wrong.
      if (values.data[k] == 0 && d == 0) continue;
      named.values.push_back(values.data + k);
      gradient.push_back(d);
    }
    named.gradient = Matrix(ConstMatrixView(gradient.data(), 1, static_cast<Index>(gradient.size())));
    result.push_back(std::move(named));
  }
  if (!case_.sparse) add("source", source_, d_source);
  add("destination", own_, d_own);
  add("values", values_, d_values);
  if (custom_ != nullptr) {
    add("custom queries", custom_->queries, custom_->d_queries);
    add("custom keys", custom_->keys, custom_->d_keys);
  }
  if (!edges_.empty()) {
    gather_edge_gradient(built_.graph, case_.policy, edges_, d_edges, d_user);
    add("edge features", user_edges_, d_user);
  }
  add("log_prior", log_prior_, d_log_prior);
  add("factor", factor_, d_factor);
  return result;
}

template <class LayerKind, class Options>
Matrix GradientRunOf<LayerKind, Options>::output(Mode mode) {
  const LayerInput in = input();
  Matrix out(view_.num_destinations(), layer_->check_input(view_, in));
  Context round = context(nullptr);
  round.mode = mode;
  layer_->forward(round, in, out);
  return out;
}

template class GradientRunOf<GatLayer, GatLayerOptions>;
template class GradientRunOf<AttentionLayer, AttentionLayerOptions>;

}  // namespace gat::test
