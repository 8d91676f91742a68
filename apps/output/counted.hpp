/// Numbers of things in messages: "1 node", "2 nodes".
#pragma once

#include <string>
#include <string_view>

namespace gat::app {

template <class Count>
std::string counted(Count count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

/// For nouns that take an s.
template <class Count>
std::string counted(Count count, std::string_view one) {
  return counted(count, one, std::string(one) + "s");
}

}  // namespace gat::app
