#include "gat/nn/description.hpp"

#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"

namespace gat::inline GAT_PRECISION {

const OptionValue* OptionReader::find(std::string_view name) {
  known_.emplace(name, true);
  const auto found = description_.options.find(name);
  return found == description_.options.end() ? nullptr : &found->second;
}

void OptionReader::refuse(std::string_view name, const char* expected) const {
  throw UsageError("layer \"" + description_.kind + "\": option \"" + std::string(name) + "\" must be " +
                   expected);
}

void OptionReader::read(std::string_view name, bool& value) {
  const OptionValue* given = find(name);
  if (given == nullptr) return;
  if (!std::holds_alternative<bool>(*given)) refuse(name, "true or false");
  value = std::get<bool>(*given);
}

void OptionReader::read(std::string_view name, std::int64_t& value) {
  const OptionValue* given = find(name);
  if (given == nullptr) return;
  if (!std::holds_alternative<std::int64_t>(*given)) refuse(name, "a whole number");
  value = std::get<std::int64_t>(*given);
}

void OptionReader::read(std::string_view name, int& value) {
  std::int64_t wide = value;
  read(name, wide);
  if (wide < 0 || wide > 1000000) refuse(name, "a whole number from 0 to 1000000");
  value = static_cast<int>(wide);
}

void OptionReader::read(std::string_view name, double& value) {
  const OptionValue* given = find(name);
  if (given == nullptr) return;
  if (std::holds_alternative<std::int64_t>(*given))
    value = static_cast<double>(std::get<std::int64_t>(*given));
  else if (std::holds_alternative<double>(*given)) value = std::get<double>(*given);
  else refuse(name, "a number");
}

void OptionReader::read(std::string_view name, std::string& value) {
  const OptionValue* given = find(name);
  if (given == nullptr) return;
  if (!std::holds_alternative<std::string>(*given)) refuse(name, "a text");
  value = std::get<std::string>(*given);
}

void OptionReader::finish() const {
  for (const auto& [name, value] : description_.options) {
    if (known_.contains(name)) continue;
    std::vector<std::string_view> names;
    for (const auto& [known, unused] : known_) names.push_back(known);
    throw UsageError("layer \"" + description_.kind + "\" has no option \"" + name + "\"; " +
                     known_names_hint(name, names));
  }
}

}  // namespace gat::inline GAT_PRECISION
