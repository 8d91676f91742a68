#include "options/recipes.hpp"

#include <vector>

#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"

namespace gat::app {

std::string Recipe::heading() const {
  std::string heading;
  std::string_view rest = toml;
  while (rest.starts_with("#")) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    if (line.starts_with(" ")) line.remove_prefix(1);
    heading.append(line).append("\n");
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return heading;
}

const Recipe& recipe_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return recipe;
    names.push_back(recipe.name);
  }
  throw UsageError("there is no recipe \"" + std::string(name) + "\"; " + known_names_hint(name, names));
}

}  // namespace gat::app
