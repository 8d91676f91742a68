#include "gat/core/execution.hpp"

#include <array>
#include <string>

#include "core/named_values.hpp"

namespace gat::inline GAT_PRECISION {

namespace {

constexpr NamedValues<SimdLevel, 3> kNames{
    {{SimdLevel::baseline, "baseline"}, {SimdLevel::avx2, "avx2"}, {SimdLevel::avx512, "avx512"}}};
constexpr NamedValues<RowPrecision, 2> kPrecisions{
    {{RowPrecision::full, "float"}, {RowPrecision::bf16, "bf16"}}};
constexpr std::array<SimdLevel, 3> kLevels{SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512};

std::size_t count_supported() {
#if GAT_WIDEST_LEVEL > 0
  // The compiler's run-time check includes the operating system's support for the wider registers.
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  const bool avx512 = GAT_WIDEST_LEVEL > 1 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? 3 : 2;
#else
  return 1;
#endif
}

}  // namespace

std::span<const SimdLevel> supported_simd_levels() {
  static const std::size_t count = count_supported();
  return std::span(kLevels).first(count);
}

SimdLevel best_simd_level() { return supported_simd_levels().back(); }

std::string_view name_of(SimdLevel level) { return name_in(kNames, level); }

std::string_view name_of(RowPrecision precision) { return name_in(kPrecisions, precision); }
RowPrecision row_precision_named(std::string_view name) {
  return value_in(kPrecisions, name, "precision of gathered rows");
}

SimdLevel simd_level_named(std::string_view name) {
  const SimdLevel level = value_in(kNames, name, "instruction level");
  if (level > best_simd_level()) {
    throw UsageError("this machine or build has no " + std::string(name) +
                     " kernels; its best instruction level is " + std::string(name_of(best_simd_level())));
  }
  return level;
}

}  // namespace gat::inline GAT_PRECISION
