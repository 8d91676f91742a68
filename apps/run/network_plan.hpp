/// From settings to the descriptions that the library works with.
#pragma once

#include "gat/data/dataset.hpp"
#include "gat/graph/graph_builder.hpp"
#include "gat/nn/network.hpp"
#include "gat/train/trainer.hpp"
#include "settings.hpp"

namespace gat::app {

/// The layers for a data set: hidden layers concatenate their heads and end in the activation, the output
/// layer averages its heads into one number per class. An identity residual stands where widths agree. The
/// first layer reads the features and the encodings of positions; learned positions have a row per node.
/// \throws UsageError when the lists of widths and heads do not fit the number of layers
NetworkDescription describe_network(const Settings& settings, const Dataset& dataset);

/// \pre the direction is no longer "auto"
GraphPolicy graph_policy(const Settings& settings);

/// \param training_classes  how many training nodes each class has, for balanced weights
TrainOptions train_options(const Settings& settings, std::span<const Index> training_classes,
                           const Execution& execution);

/// Loads the data set that the settings name.
Dataset load_data(const Settings& settings);

/// One line per step, for example "layers.0: gat, 1433 -> 64, 8 heads, 91920 parameters"; heads only where
/// there are some, trained parameters only.
std::vector<std::string> network_lines(const Network& network);

}  // namespace gat::app
