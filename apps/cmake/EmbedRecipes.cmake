# Writes the C++ source that holds every recipe's text. Arguments: RECIPES (paths), OUTPUT (path).
set(rows "")
foreach(path IN LISTS RECIPES)
  get_filename_component(name ${path} NAME_WE)
  file(READ ${path} text)
  string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from apps/recipes/*.toml by apps/cmake/EmbedRecipes.cmake.
#include \"options/recipes.hpp\"

namespace gat::app {

namespace {

constexpr Recipe kRecipes[] = {
${rows}};

}  // namespace

std::span<const Recipe> recipes() { return kRecipes; }

}  // namespace gat::app
")
