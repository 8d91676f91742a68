#include "gat/core/error.hpp"

#include "catch.hpp"

TEST_CASE("every exception of the library is a gat::Error", "[core][error][unit]") {
  CHECK_THROWS_AS(throw gat::InputError("place", "message"), gat::Error);
  CHECK_THROWS_AS(throw gat::ShapeError("message"), gat::Error);
  CHECK_THROWS_AS(throw gat::UsageError("message"), gat::Error);
  CHECK_THROWS_AS(throw gat::FileError("message"), gat::Error);
  CHECK_THROWS_AS(throw gat::LimitError("message"), gat::Error);
  CHECK_THROWS_AS(throw gat::NumericError("message"), gat::Error);
  CHECK_THROWS_AS(throw gat::NumericError("message"), std::runtime_error);
}

TEST_CASE("the message of an input error begins with its place", "[core][error][unit]") {
  const gat::InputError error("edges.csv:3:1", "id \"x\" is not a number");
  CHECK(error.place() == "edges.csv:3:1");
  CHECK(std::string(error.what()) == "edges.csv:3:1: id \"x\" is not a number");
}
