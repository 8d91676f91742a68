/// Rows of predictions, as training reports them and as `gat predict` prints them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gat/data/dataset.hpp"
#include "gat/nn/model.hpp"
#include "output/rows.hpp"

namespace gat::app {

/// "probability_<class>" for each class.
std::vector<std::string> probability_columns(const std::vector<std::string>& class_names);

/// The class that a row of class logits predicts, as the metrics count it: probabilities may round to
/// ties. Of several labels per node all with a probability above ½, joined by semicolons.
std::string predicted_class(std::span<const Real> class_logits, const ModelDescription& model);

/// The true class in the same form; empty where there is none.
std::string true_class(const Dataset& dataset, NodeId node);

/// One row per node: node, id, true, predicted, split, probabilities. Finishes the rows.
void write_run_predictions(Sink& sink, const Dataset& dataset, const Split& split, const Model& model,
                           ConstMatrixView class_logits);

}  // namespace gat::app
