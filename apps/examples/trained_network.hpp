// A network with its numbers, trained as a classifier in loops of one's own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "gat/kernels/loss.hpp"
#include "gat/nn/network.hpp"
#include "gat/train/optimizer.hpp"

namespace example {

/// What a network, an immutable description, leaves to its user.
class TrainedNetwork {
 public:
  TrainedNetwork(const gat::NetworkDescription& description, const gat::AdamOptions& adam,
                 gat::RandomStream seed)
      : network_(description),
        weights_(network_.make_weights()),
        gradients_(network_.make_weights()),
        optimizer_(adam) {
    weights_.initialize(seed);
  }

  /// Adds the gradient of the mean cross-entropy of some rows. \param classes  one per node
  void add_gradient(const gat::NetworkInput& input, std::span<const gat::NodeId> rows,
                    std::span<const gat::NodeId> classes) {
    logits_.reshape(network_.num_outputs(input.blocks), network_.output_width());
    d_logits_.resize(logits_.rows(), logits_.cols());
    const gat::Round round{.workspace = workspace_, .mode = gat::Mode::training, .tape = &tape_};
    network_.forward(round, weights_, input, logits_);
    gat::softmax_cross_entropy(logits_, {rows, rows}, classes, {}, d_logits_, 1);
    network_.backward(round, weights_, input, d_logits_, gradients_);
  }
  void step() {
    optimizer_.step(weights_, gradients_, 1);
    gradients_.fill(0);
  }

  /// How many of some rows have their class as the largest logit.
  gat::Index count_correct(const gat::NetworkInput& input, std::span<const gat::NodeId> rows,
                           std::span<const gat::NodeId> classes) {
    logits_.reshape(network_.num_outputs(input.blocks), network_.output_width());
    network_.forward({.workspace = workspace_}, weights_, input, logits_);
    return std::count_if(rows.begin(), rows.end(), [&](gat::NodeId row) {
      const gat::Real* first = logits_.row(row);
      return std::max_element(first, first + logits_.cols()) - first ==
             classes[static_cast<std::size_t>(row)];
    });
  }

 private:
  gat::Network network_;
  gat::Weights weights_, gradients_;
  gat::Adam optimizer_;
  gat::Workspace workspace_;
  gat::NetworkTape tape_;
  gat::Matrix logits_, d_logits_;
};

}  // namespace example
