#include "gat/core/workspace.hpp"

#include <vector>

#include "catch.hpp"

using namespace gat;

namespace {

// The memory that one round of nested requests receives.
std::vector<const Real*> round_of(Workspace& workspace, Index rows) {
  std::vector<const Real*> memory;
  const Workspace::Scope outer(workspace);
  memory.push_back(workspace.matrix(rows, 3).data);
  {
    const Workspace::Scope inner(workspace);
    memory.push_back(workspace.zeros(rows, 50).data);
  }
  memory.push_back(workspace.matrix(rows, 7).data);
  return memory;
}

}  // namespace

TEST_CASE("later rounds get the memory of the first", "[core][workspace][unit]") {
  Workspace workspace;
  const auto first = round_of(workspace, 100);
  CHECK(round_of(workspace, 100) == first);
  CHECK(round_of(workspace, 10) == first);
  CHECK(round_of(workspace, 100) == first);
}

TEST_CASE("the end of a scope gives its memory to the next request", "[core][workspace][unit]") {
  Workspace workspace;
  const auto memory = round_of(workspace, 5);
  CHECK(memory[0] != memory[1]);
  CHECK(memory[1] == memory[2]);
}

TEST_CASE("matrices of open scopes stay where they are when more are taken", "[core][workspace][unit]") {
  Workspace workspace;
  const Workspace::Scope scope(workspace);
  const MatrixView first = workspace.matrix(2, 2);
  first.fill(3);
  for (int k = 0; k < 100; ++k) workspace.zeros(10, 10);
  CHECK(first(1, 1) == 3);
}

TEST_CASE("zeros are zeros also in used memory", "[core][workspace][unit]") {
  Workspace workspace;
  {
    const Workspace::Scope scope(workspace);
    workspace.matrix(4, 4).fill(9);
  }
  const Workspace::Scope scope(workspace);
  const MatrixView zeros = workspace.zeros(2, 3);
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) CHECK(zeros(i, j) == 0);
  }
}
