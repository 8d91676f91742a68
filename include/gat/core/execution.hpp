/// How a call runs: on how many threads, with which instructions, from rows of which precision.
#pragma once

#include <span>
#include <string_view>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// A set of vector instructions that kernels are compiled for. Results have the same bits at any
/// number of threads, but may differ in the last bits from level to level.
enum class SimdLevel {
  baseline,  ///< what every machine of the architecture has: SSE2 on x86-64, NEON on arm64
  avx2,      ///< x86-64-v3: AVX2 and FMA, 32-byte vectors
  avx512     ///< x86-64-v4: AVX-512 F, BW, DQ, VL, 64-byte vectors
};

/// The levels that this build holds and this machine can run, lowest first.
std::span<const SimdLevel> supported_simd_levels();
/// The highest of them.
SimdLevel best_simd_level();

/// How the layers that can choose store the rows that passes over edges gather. Arithmetic and whatever is
/// read in order stay `Real`, weights too.
enum class RowPrecision {
  full,  ///< as Reals
  bf16   ///< rounded to `Bf16`: half the bytes where gathers wait for memory; not in the double library
};

std::string_view name_of(SimdLevel level);
/// \throws UsageError for an unknown name, and for a level that this machine or build has not
SimdLevel simd_level_named(std::string_view name);

/// "float" and "bf16".
std::string_view name_of(RowPrecision precision);
/// \throws UsageError for an unknown name
RowPrecision row_precision_named(std::string_view name);

/// Part of every call of a kernel, never of the process. An `int` converts to that many threads with
/// the best instructions.
struct Execution {
  int num_threads = 1;  ///< at least 1
  SimdLevel simd = best_simd_level();
  RowPrecision rows = RowPrecision::full;

  Execution() = default;
  Execution(int threads, SimdLevel level = best_simd_level(), RowPrecision gathered = RowPrecision::full)
      : num_threads(threads), simd(level), rows(gathered) {}
};

}  // namespace gat::inline GAT_PRECISION
