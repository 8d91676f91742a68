/// Everything that the command line, recipes and configuration files can set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gat/core/real.hpp"

namespace gat::app {

/// Plain values with the defaults of a run without options: the recipe gat-cora with at most 1,000
/// epochs. Names are checked when they are set; see the option table for what each means.
struct Settings {
  // Arguments of the verbs.
  std::string data;
  std::string model;
  std::string nodes;
  std::vector<std::string> files;
  std::string action;
  std::string name;

  // Data.
  std::string data_format;
  std::string data_dir;
  std::int64_t data_seed = 0;
  std::string split = "auto";

  // Graph.
  std::string direction = "auto";
  std::string self_loops = "add-missing";
  std::string duplicates = "merge";
  std::string loop_fill = "mean";
  double loop_fill_constant = 0;
  std::string edge_features = "use";

  // Model.
  std::string block = "auto";
  std::string score = "auto";
  std::int64_t layers = 2;
  std::vector<std::int64_t> hidden{8};
  std::vector<std::int64_t> heads{8};
  std::int64_t output_heads = 1;
  std::string activation = "elu";
  double activation_parameter = 1;
  std::string residual = "none";
  bool gate = false;
  std::string norm = "auto";
  std::string jumping = "none";
  double feed_forward = 0;
  bool share_weights = false;
  std::string edge_use = "auto";
  std::string select = "all";
  std::string sample_gradient = "straight-through";
  std::string window = "none";
  double edge_loss = 0;
  double negative_slope = 0.2;
  bool score_bias = true;
  std::string initial = "original";
  std::string input_transform = "row-normalize";
  std::string positions;
  double feature_dropout = 0.6;
  bool dropout_per_head = true;
  double value_dropout = 0.6;
  double attention_dropout = 0.6;

  // Loss.
  std::string loss = "auto";
  std::string class_weights = "none";
  std::string positive_weights = "none";
  double label_smoothing = 0;

  // Training.
  std::int64_t epochs = 1000;
  std::int64_t patience = 100;
  std::string stop = "paper";
  double learning_rate = 0.005;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  std::string epsilon_variant = "uncorrected";
  double l2 = 5e-4;
  double decoupled_decay = 0;
  bool decay_biases = true;
  std::int64_t seed = 0;
  std::string seeds;
  std::int64_t threads = 0;
  std::string simd = "auto";
  std::string precision = "float";
  bool prune = true;
  std::string reorder = "auto";

  // Of one call alone; no configuration file holds them.
  std::string recipe;
  std::vector<std::string> config_files;
  std::vector<std::string> assignments;
  std::string out;
  bool force = false;
  bool dry_run = false;
  bool profile = false;
  bool json = false;
  bool quiet = false;
  std::string color = "auto";
  std::string progress = "auto";
  std::string output_format = "csv";
  std::string output_file = "-";
  std::int64_t top = 0;
  std::int64_t layer = -1;
  std::string part = "test";
  std::vector<std::string> fail_under;
  std::string suite = "standard";
  std::int64_t rounds = 7;
  std::string compare;
};

}  // namespace gat::app
