/// The table of scores, in the order in which numbers stand for them.
///
/// Each score is one file of this folder, compiled once per instruction level, and one line here. Its plain
/// formula for the tests, <name>_formula, stands in tests/kernels; without it they do not link.
#pragma once

/// \param SCORE(name)  what is made of lib/kernels/scores/<name>.cpp
#define GAT_SCORES(SCORE) \
  SCORE(gat)              \
  SCORE(constant)         \
  SCORE(gatv2)            \
  SCORE(tanh)             \
  SCORE(dot)              \
  SCORE(scaled_dot)       \
  SCORE(bilinear)         \
  SCORE(cosine)           \
  SCORE(gaussian)         \
  SCORE(laplace)          \
  SCORE(supergat_mx)      \
  SCORE(supergat_sd)      \
  SCORE(custom)
