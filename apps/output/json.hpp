/// JSON of the program: keys keep their order, text that is not UTF-8 is mended, NaN becomes null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gat::app {

using Json = nlohmann::ordered_json;

/// An indented document with a line end.
inline std::string json_document(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// On one line, without a line end.
inline std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gat::app
