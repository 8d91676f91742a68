// gat recipe: lists the built-in recipes, or shows one.
#include <string>

#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "gat/core/nearest_name.hpp"
#include "options/recipes.hpp"
#include "output/json.hpp"
#include "output/sink.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

int list_recipes(bool json) {
  Json array = Json::array();
  std::string text;
  for (const Recipe& recipe : recipes()) {
    array.push_back({{"name", recipe.name}, {"heading", recipe.heading()}});
    text += std::string(recipe.name) + "\n";
    std::string heading = recipe.heading();
    for (std::size_t begin = 0, end; (end = heading.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      text += "  " + heading.substr(begin, end - begin) + "\n";
    }
  }
  print(json ? json_document(array) : text);
  return kDone;
}

int show_recipe(const std::string& name, bool json) {
  if (name.empty()) throw UsageError("gat recipe show: NAME is missing; gat recipe list names the recipes");
  const Recipe& recipe = recipe_named(name);
  print(json ? json_document({{"name", recipe.name}, {"heading", recipe.heading()}, {"toml", recipe.toml}})
             : std::string(recipe.toml));
  return kDone;
}

}  // namespace

int run_recipe(const Call& call) {
  constexpr std::string_view kActions[] = {"list", "show"};
  const Settings& settings = call.settings;
  if (settings.action == "list") {
    if (!settings.name.empty())
      throw UsageError("gat recipe list takes no name; did you mean gat recipe show " + settings.name + "?");
    return list_recipes(settings.json);
  }
  if (settings.action == "show") return show_recipe(settings.name, settings.json);
  throw UsageError("gat recipe: unknown action \"" + settings.action + "\"; " +
                   known_names_hint(settings.action, kActions));
}

}  // namespace gat::app
