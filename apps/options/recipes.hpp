/// The recipes inside the program: tested settings, each with the accuracy that it reaches.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gat::app {

struct Recipe {
  std::string_view name;
  std::string_view toml;

  /// Its opening comment, without the comment signs.
  std::string heading() const;
};

std::span<const Recipe> recipes();
/// \throws UsageError for an unknown name, with the nearest known one
const Recipe& recipe_named(std::string_view name);

}  // namespace gat::app
