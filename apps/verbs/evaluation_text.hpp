/// An evaluation as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gat/train/trainer.hpp"
#include "output/json.hpp"

namespace gat::app {

struct ScoredPart {
  std::string name;
  std::vector<NodeId> nodes;
  std::optional<Evaluation> evaluation;  ///< nothing for an empty part
};

struct EvaluationView {
  std::string model, data, split;
  bool same_data = true;
  bool multi_label = false;
  std::vector<std::string> class_names;
  std::vector<ScoredPart> parts;
  std::string part;  ///< whose details are shown
  Evaluation details;
};

std::string evaluation_text(const EvaluationView& view);
Json evaluation_json(const EvaluationView& view);

}  // namespace gat::app
