/// A saved model applied to a data set: what evaluate, predict, attention and embed start from.
#pragma once

#include <filesystem>

#include "gat/data/dataset.hpp"
#include "gat/nn/model.hpp"
#include "run/provenance.hpp"
#include "verbs/verb_table.hpp"

namespace gat::app {

/// The model file of a run folder, or the path itself.
/// \throws FileError when there is neither; UsageError for a folder of several runs
std::filesystem::path model_file(const std::string& run_or_model);

struct ModelOnData {
  std::filesystem::path path;  ///< of the model
  Model model;
  Provenance provenance;
  Dataset dataset;  ///< labels are numbered as the model's classes
  PreparedGraph graph;
  Execution execution;
  bool same_data = true;  ///< as far as the model knows, it was trained on this data
};

/// Loads both, checks that they fit, warns about data that the model was not trained on.
/// \throws InputError and ShapeError when they do not
ModelOnData load_model_on_data(const Call& call);

}  // namespace gat::app
