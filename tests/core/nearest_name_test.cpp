#include "gat/core/nearest_name.hpp"

#include <array>

#include "catch.hpp"

namespace {

constexpr std::array<std::string_view, 4> kNames{"karate", "cora", "citeseer", "pubmed"};

}  // namespace

TEST_CASE("the nearest name has the fewest edits", "[core][nearest_name]") {
  CHECK(gat::nearest_name("crua", kNames) == "cora");
  CHECK(gat::nearest_name("citseer", kNames) == "citeseer");
  CHECK(gat::nearest_name("pubmde", kNames) == "pubmed");
}

TEST_CASE("upper and lower case are the same letter in a name", "[core][nearest_name]") {
  CHECK(gat::nearest_name("PubMed", kNames) == "pubmed");
}

TEST_CASE("a swap of neighbours is one edit", "[core][nearest_name]") {
  constexpr std::array<std::string_view, 2> known{"abxx", "ba"};
  CHECK(gat::nearest_name("ab", known) == "ba");
}

TEST_CASE("nothing is suggested when no name is near", "[core][nearest_name]") {
  CHECK(gat::nearest_name("reddit", kNames).empty());
  CHECK(gat::nearest_name("", kNames).empty());
  CHECK(gat::nearest_name("xy", kNames).empty());
  CHECK(gat::nearest_name("cora", {}).empty());
}

TEST_CASE("the hint lists all known names and the nearest first", "[core][nearest_name]") {
  CHECK(gat::known_names_hint("coar", kNames) ==
        "did you mean \"cora\"? Known: karate, cora, citeseer, pubmed");
  CHECK(gat::known_names_hint("reddit", kNames) == "known: karate, cora, citeseer, pubmed");
}
