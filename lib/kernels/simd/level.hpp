/// The instruction set of one translation unit: included after every other header that is not of this
/// folder, it compiles all that follows for GAT_SIMD_LEVEL (0 baseline, 1 AVX2, 2 AVX-512).
///
/// Each source of this folder is compiled once per level into a namespace of that name. Functions of
/// headers before this one stay those of the baseline, so that no inline function of theirs can reach
/// a machine that lacks the instructions. Included a second time, as the last line of a source, it ends
/// what it began, which Clang wants; so it has no include guard.
#ifdef GAT_SIMD
#if defined(__clang__) && GAT_SIMD_LEVEL > 0
#pragma clang attribute pop
#endif
#elif GAT_SIMD_LEVEL == 2
#define GAT_SIMD avx512
#define GAT_SIMD_BYTES 64
#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2")
#endif
#elif GAT_SIMD_LEVEL == 1
#define GAT_SIMD avx2
#define GAT_SIMD_BYTES 32
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,bmi,bmi2")
#endif
#else
#define GAT_SIMD baseline
#define GAT_SIMD_BYTES 16
#endif
