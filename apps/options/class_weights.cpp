#include "options/class_weights.hpp"

#include "gat/core/error.hpp"
#include "options/option_value.hpp"
#include "output/counted.hpp"

namespace gat::app {

void check_class_weights(const std::string& text, bool balanced) {
  if (text == "none" || (balanced && text == "balanced")) return;
  for (const std::string& part : cut(text, ',')) {
    if (parse_number(part) < 0) throw UsageError(part + " is out of range; a weight is at least 0");
  }
}

std::vector<Real> class_weights(const std::string& text, std::span<const Index> members, const char* option) {
  std::vector<Real> weights;
  if (text == "none") return weights;
  if (text == "balanced") {
    double total = 0;
    for (const Index count : members) total += static_cast<double>(count);
    for (const Index count : members) {
      const double share = static_cast<double>(count) * static_cast<double>(members.size());
      weights.push_back(count == 0 ? Real(1) : static_cast<Real>(total / share));
    }
    return weights;
  }
  for (const std::string& part : cut(text, ',')) weights.push_back(static_cast<Real>(parse_number(part)));
  if (weights.size() != members.size()) {
    throw UsageError(std::string(option) + ": " + counted(weights.size(), "number") + " for " +
                     counted(members.size(), "class", "classes") + "; give one per class");
  }
  return weights;
}

}  // namespace gat::app
