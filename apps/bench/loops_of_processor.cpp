#include <vector>

#include "bench/loops.hpp"

namespace gat::app {

extern const Loops loops_baseline;
#ifdef GAT_BENCH_X86
extern const Loops loops_avx2;
extern const Loops loops_avx512;
#endif

namespace {

std::vector<const Loops*> loops_of_this_processor() {
  std::vector<const Loops*> loops{&loops_baseline};
#ifdef GAT_BENCH_X86
  // What x86-64-v3 and -v4 hold; the last parts imply the rest.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx2) loops.insert(loops.begin(), &loops_avx2);
  if (avx2 && avx512) loops.insert(loops.begin(), &loops_avx512);
#endif
  return loops;
}

}  // namespace

std::span<const Loops* const> available_loops() {
  static const std::vector<const Loops*> loops = loops_of_this_processor();
  return loops;
}

}  // namespace gat::app
