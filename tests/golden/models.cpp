// Kind 21: a whole two-layer model on a citation graph, some steps of training.
#include <algorithm>
#include <cmath>

#include "gat/core/error.hpp"
#include "gat/data/load.hpp"
#include "gat/kernels/loss.hpp"
#include "gat/train/trainer.hpp"
#include "golden/family.hpp"
#include "test_data.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"layer_kind",  "heads1",         "head_width1",
                                       "heads2",      "num_nodes",      "num_features",
                                       "num_classes", "num_edges",      "negative_slope",
                                       "lr",          "beta1",          "beta2",
                                       "eps",         "weight_decay",   "steps",
                                       "columns",     "rows",           "W1",
                                       "att_src1",    "att_dst1",       "bias1",
                                       "W2",          "att_src2",       "att_dst2",
                                       "bias2",       "argmax_gap_raw", "argmax_gap_rownorm"};

// The data sets that a file can mean; these numbers tell which.
struct KnownSet {
  const char* path;
  double num_nodes, num_features;
};
constexpr KnownSet kSets[] = {
    {"planetoid/cora", 2708, 1433}, {"planetoid/citeseer", 3327, 3703}, {"planetoid/pubmed", 19717, 500}};

const KnownSet* find_set(double nodes, double features) {
  const auto found = std::find_if(std::begin(kSets), std::end(kSets), [&](const KnownSet& set) {
    return set.num_nodes == nodes && set.num_features == features;
  });
  return found == std::end(kSets) ? nullptr : found;
}

std::string unsupported(const VectorFile& file) {
  constexpr double kGat[] = {1};
  if (std::string reason = unless_among(file, "layer_kind", kGat); !reason.empty()) return reason;
  const bool known = find_set(file.number("num_nodes"), file.number("num_features")) != nullptr;
  return known ? "" : "no data set has its num_nodes and num_features";
}

// Parameters of ours in the order of the network, with their names in the files.
constexpr std::pair<std::string_view, std::string_view> kParameters[] = {
    {"layers.0.weight", "W1"},      {"layers.0.a_src", "att_src1"}, {"layers.0.a_dst", "att_dst1"},
    {"layers.0.bias", "bias1"},     {"layers.1.weight", "W2"},      {"layers.1.a_src", "att_src2"},
    {"layers.1.a_dst", "att_dst2"}, {"layers.1.bias", "bias2"}};

gat::ModelDescription description_of(GoldenCase& c, gat::InputTransform transform) {
  using Option = gat::OptionValue;
  const Option slope = c.number("negative_slope");
  gat::Step first, second;
  first.layer.options = {{"num_heads", Option(c.integer("heads1"))},
                         {"head_dim", Option(c.integer("head_width1"))},
                         {"merge", Option(std::string("concat"))},
                         {"activation", Option(std::string("elu"))},
                         {"negative_slope", slope}};
  second.layer.options = {{"num_heads", Option(c.integer("heads2"))},
                          {"head_dim", Option(c.integer("num_classes"))},
                          {"merge", Option(std::string("mean"))},
                          {"negative_slope", slope}};
  gat::ModelDescription description;
  description.network.num_features = c.integer("num_features");
  description.network.steps = {first, second};
  description.graph_policy.direction = gat::Direction::symmetrize;
  description.graph_policy.self_loops = gat::SelfLoops::replace;
  description.graph_policy.duplicates = gat::Duplicates::merge;
  description.input_transform = transform;
  return description;
}

gat::Weights initial_weights_of(GoldenCase& c, const gat::Network& network) {
  gat::Weights weights = network.make_weights();
  if (weights.count() != static_cast<gat::Index>(std::size(kParameters))) {
    throw gat::UsageError("the network has other parameters than the file");
  }
  for (const auto& [ours, theirs] : kParameters) {
    const gat::Index i = weights.find(ours);
    if (i < 0 || c.shape(theirs) != weights.spec(i).shape) {
      throw gat::UsageError("array " + std::string(theirs) + ": the network has no such parameter");
    }
    weights.import_values(i, c.reals(theirs));
  }
  return weights;
}

double sum_of_squares(std::span<const gat::Real> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

gat::AdamOptions adam_of(GoldenCase& c) {
  gat::AdamOptions options;
  options.learning_rate = c.number("lr");
  options.beta1 = c.number("beta1");
  options.beta2 = c.number("beta2");
  options.epsilon = c.number("eps");
  options.l2 = c.number("weight_decay");
  return options;
}

// The training on one form of the features.
class ModelRun {
 public:
  ModelRun(GoldenCase& golden_case, const gat::Dataset& dataset, gat::InputTransform transform,
           std::string suffix)
      : c_(golden_case),
        dataset_(dataset),
        suffix_(std::move(suffix)),
        description_(description_of(c_, transform)),
        network_(description_.network),
        weights_(initial_weights_of(c_, network_)),
        gradients_(network_.make_weights()),
        graph_(gat::Model(description_, weights_).prepare(dataset.graph_data)),
        adam_(adam_of(c_)) {}

  void run() {
    if (graph_.graph().num_edges() != c_.integer("num_edges") + c_.integer("num_nodes")) {
      c_.fail("option num_edges: the graph has " + std::to_string(graph_.graph().num_edges()) +
              " edges with loops");
    }
    compare_logits("logits_initial");
    std::vector<double> losses, l2_terms;
    const double half_decay = c_.number("weight_decay") / 2;
    const std::int64_t steps = c_.integer("steps");
    for (std::int64_t step = 0; step < steps; ++step) {
      l2_terms.push_back(half_decay * sum_of_squares(weights_.values()));
      losses.push_back(differentiate());
      if (step == 0) compare_parameters("grad_", gradients_, kDouble);
      adam_.step(weights_, gradients_, 1);
    }
    const gat::Matrix logits = compare_logits("logits_final");
    losses.push_back(gat::evaluate(logits, dataset_.labels, dataset_.splits.at(0).train).loss);
    l2_terms.push_back(half_decay * sum_of_squares(weights_.values()));
    compare_parameters("final_", weights_, true);
    c_.compare("loss" + suffix_, losses, {steps + 1});
    c_.compare("l2_term" + suffix_, l2_terms, {steps + 1});
    compare_accuracies(logits);
  }

 private:
  // Forward, loss and backward, as an epoch of training does it.
  double differentiate() {
    const gat::Blocks blocks = gat::Blocks::whole(graph_.graph().view(), network_.num_steps());
    const gat::NetworkInput input{blocks, graph_.features(), graph_.edge_features(), {}};
    const gat::Round round{.workspace = workspace_, .mode = gat::Mode::training, .tape = &tape_};
    gat::Matrix logits(graph_.graph().num_nodes(), network_.output_width());
    gat::Matrix d_logits(logits.rows(), logits.cols());
    network_.forward(round, weights_, input, logits);
    const std::vector<gat::NodeId>& train = dataset_.splits.at(0).train;
    const double loss =
        gat::softmax_cross_entropy(logits, {train, train}, dataset_.labels.classes, {}, d_logits, 1);
    gradients_.fill(0);
    network_.backward(round, weights_, input, d_logits, gradients_);
    return loss;
  }

  gat::Matrix compare_logits(const std::string& name) {
    gat::Matrix logits = gat::Model(description_, weights_).class_logits(graph_, workspace_);
    gat::ConstMatrixView first_rows = logits.view();
    first_rows.rows = std::min<gat::Index>(logits.rows(), c_.integer("rows"));
    c_.compare(name + suffix_, first_rows);
    return logits;
  }

  // A parameter whole, or its first columns and its Frobenius norm where the file has that.
  void compare_parameters(const std::string& prefix, const gat::Weights& values, bool limit_is_meant) {
    for (const auto& [ours, theirs] : kParameters) {
      const std::string name = prefix + std::string(theirs) + suffix_;
      const std::string norm = prefix + std::string(theirs) + "_fro" + suffix_;
      if (!limit_is_meant) {
        c_.leave_out(name);
        c_.leave_out(norm);
        continue;
      }
      const gat::Index i = values.find(ours);
      const std::vector<gat::Real> all = values.export_values(i);
      std::vector<gat::Index> shape = values.spec(i).shape;
      if (!c_.has(norm)) {
        c_.compare(name, widened(all), shape);
        continue;
      }
      c_.compare(norm, std::sqrt(sum_of_squares(all)));
      const gat::Index columns = std::min<gat::Index>(shape.at(1), c_.integer("columns"));
      c_.compare(name, gat::ConstMatrixView(all.data(), shape[0], columns, shape[1]));
    }
  }

  void compare_accuracies(gat::ConstMatrixView logits) {
    c_.leave_out("argmax_gap" + suffix_);
    if (!kDouble) return c_.leave_out("accuracy_final" + suffix_);
    const gat::Split& split = dataset_.splits.at(0);
    std::vector<double> accuracies;
    for (const auto* nodes : {&split.train, &split.validation, &split.test}) {
      accuracies.push_back(gat::evaluate(logits, dataset_.labels, *nodes).metrics.accuracy);
    }
    c_.compare("accuracy_final" + suffix_, accuracies, {3});
  }

  GoldenCase& c_;
  const gat::Dataset& dataset_;
  std::string suffix_;
  gat::ModelDescription description_;
  gat::Network network_;
  gat::Weights weights_, gradients_;
  gat::PreparedGraph graph_;
  gat::Adam adam_;
  gat::Workspace workspace_;
  gat::NetworkTape tape_;
};

void run(GoldenCase& c) {
  const KnownSet& set = *find_set(c.number("num_nodes"), c.number("num_features"));
  const auto path = find_test_data(set.path);
  if (!path) return c.skip(std::string("its data set ") + set.path + " is not there");
  c.integer("layer_kind");  // 1, else this vector is not dispatched
  const gat::Dataset dataset = gat::load_dataset(path->string());
  if (dataset.num_nodes() != c.integer("num_nodes") || dataset.num_classes != c.integer("num_classes") ||
      dataset.graph_data.num_features() != c.integer("num_features")) {
    return c.fail("the data set " + path->string() + " has other sizes");
  }
  if (c.has("loss_raw")) ModelRun(c, dataset, gat::InputTransform::none, "_raw").run();
  if (c.has("loss_rownorm")) ModelRun(c, dataset, gat::InputTransform::row_normalize, "_rownorm").run();
}

}  // namespace

const Family kModelFamily{21, "whole models", kGiven, unsupported, run};

}  // namespace golden
