// Compiled once per instruction level: GAT_BENCH_LEVEL names it, GAT_BENCH_BYTES is the width of its
// vector registers and GAT_BENCH_REGISTERS says how many of them sums may use.
#include "bench/loop_types.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gat::app {

extern const Loops GAT_BENCH_LEVEL;

namespace {

constexpr int kBytes = GAT_BENCH_BYTES;
constexpr int kFloats = kBytes / 4;
constexpr int kSums = GAT_BENCH_REGISTERS;
constexpr int kLine = 64;

template <int Bytes>
struct VectorOf {
  typedef float type __attribute__((vector_size(Bytes), may_alias));
};
using Vector = VectorOf<kBytes>::type;

inline void store_past_caches(float* to, Vector value) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, (__m512)value);
#elif defined(__AVX__)
  _mm256_stream_ps(to, (__m256)value);
#elif defined(__x86_64__)
  _mm_stream_ps(to, (__m128)value);
#else
  *reinterpret_cast<Vector*>(to) = value;
#endif
}

void triad(float* a, const float* b, const float* c, float s, std::int64_t count, bool streaming) {
  constexpr int kUnroll = kLine / kBytes * 2;
  const auto term = [&](std::int64_t i) {
    return *reinterpret_cast<const Vector*>(b + i) + s * *reinterpret_cast<const Vector*>(c + i);
  };
  if (streaming) {
    for (std::int64_t i = 0; i < count; i += kUnroll * kFloats) {
#pragma GCC unroll 8
      for (int k = 0; k < kUnroll; ++k) store_past_caches(a + i + k * kFloats, term(i + k * kFloats));
    }
#if defined(__x86_64__)
    _mm_sfence();
#endif
    return;
  }
  for (std::int64_t i = 0; i < count; i += kUnroll * kFloats) {
#pragma GCC unroll 8
    for (int k = 0; k < kUnroll; ++k) *reinterpret_cast<Vector*>(a + i + k * kFloats) = term(i + k * kFloats);
  }
}

double multiply_add(std::int64_t iterations, float* sink) {
  Vector sums[kSums];
#pragma GCC unroll 32
  for (int k = 0; k < kSums; ++k) sums[k] = Vector{} + float(k);
  const Vector factor = Vector{} + *static_cast<volatile float*>(sink);
  const Vector term = Vector{} + *static_cast<volatile float*>(sink + 1);
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 32
    for (int k = 0; k < kSums; ++k) sums[k] = sums[k] * factor + term;
  }
#pragma GCC unroll 32
  for (int k = 1; k < kSums; ++k) sums[0] += sums[k];
  sink[2] = sums[0][0];
  return 2.0 * kSums * kFloats * static_cast<double>(iterations);
}

template <bool Ahead>
void read_all(const float* data, std::int64_t count, std::int64_t repeats, float* sink) {
  // Twice as many sums as an addition takes cycles, times the additions per cycle.
  constexpr int kUnroll = 8;
  constexpr int kAhead = 4096 / 4;
  Vector sums[kUnroll] = {};
  for (std::int64_t r = 0; r < repeats; ++r) {
    for (std::int64_t i = 0; i < count; i += kUnroll * kFloats) {
      if constexpr (Ahead) {
#pragma GCC unroll 8
        for (int k = 0; k < kUnroll * kBytes; k += kLine) __builtin_prefetch(data + i + kAhead + k / 4, 0, 3);
      }
#pragma GCC unroll 8
      for (int k = 0; k < kUnroll; ++k) sums[k] += *reinterpret_cast<const Vector*>(data + i + k * kFloats);
    }
    // The next pass must not be foreseen.
    asm volatile("" : : "r"(data) : "memory");
  }
#pragma GCC unroll 8
  for (int k = 1; k < kUnroll; ++k) sums[0] += sums[k];
  *reinterpret_cast<Vector*>(sink) = sums[0];
}

void read(const float* data, std::int64_t count, std::int64_t repeats, bool ahead, float* sink) {
  if (ahead) read_all<true>(data, count, repeats, sink);
  else read_all<false>(data, count, repeats, sink);
}

// Rows ahead are fetched into no cache, the first-level or the second-level one.
enum class Fetch { none, first, second };
template <Fetch To>
struct FetchKind {};

template <int Lines, Fetch To>
inline void fetch(const float* row) {
  const char* line = reinterpret_cast<const char*>(row);
#pragma GCC unroll 64
  for (int k = 0; k < Lines; ++k) __builtin_prefetch(line + k * kLine, 0, To == Fetch::first ? 3 : 2);
}

// Calls gather(FetchKind<To>()) for the kind that the task asks for.
template <class Gather>
void with_fetch(const GatherTask& task, const Gather& gather) {
  if (task.distance == 0) gather(FetchKind<Fetch::none>());
  else if (task.to_second) gather(FetchKind<Fetch::second>());
  else gather(FetchKind<Fetch::first>());
}

// The sum of one row's edges; `Ways` edges at once give short sums independent additions.
template <class V, int Count, int Ways, Fetch To>
inline void sum_row(const GatherTask& task, std::int64_t row) {
  constexpr int kWidth = sizeof(V) / 4;
  constexpr int kLines = (Count * static_cast<int>(sizeof(V)) + kLine - 1) / kLine;
  const std::int64_t end = task.offsets[row + 1];
  V sums[Ways][Count] = {};
  std::int64_t e = task.offsets[row];
  const auto add = [&](std::int64_t edge, V* to) {
    if constexpr (To != Fetch::none)
      fetch<kLines, To>(task.rows + task.columns[edge + task.distance] * task.stride);
    const V* from = reinterpret_cast<const V*>(task.rows + task.columns[edge] * task.stride);
#pragma GCC unroll 32
    for (int k = 0; k < Count; ++k) to[k] += from[k];
  };
  for (; e + Ways <= end; e += Ways) {
#pragma GCC unroll 4
    for (int w = 0; w < Ways; ++w) add(e + w, sums[w]);
  }
  for (; e < end; ++e) add(e, sums[0]);
#pragma GCC unroll 4
  for (int w = 1; w < Ways; ++w) {
#pragma GCC unroll 32
    for (int k = 0; k < Count; ++k) sums[0][k] += sums[w][k];
  }
  float* out = task.out + row * task.out_stride;
#pragma GCC unroll 32
  for (int k = 0; k < Count; ++k) *reinterpret_cast<V*>(out + k * kWidth) = sums[0][k];
}

// Rows of Count vectors that one set of registers holds.
template <class V, int Count>
void gather_narrow(const GatherTask& task) {
  constexpr int kWays = Count * 4 <= kSums ? 4 : (Count * 2 <= kSums ? 2 : 1);
  with_fetch(task, [&]<Fetch To>(FetchKind<To>) {
    for (std::int64_t r = task.first_row; r < task.last_row; ++r) sum_row<V, Count, kWays, To>(task, r);
  });
}

// Adds rows to a sum that lies in the first cache, Ways edges at once; `first` overwrites.
template <int Ways, Fetch To>
inline void add_wide(const GatherTask& task, std::int64_t edge, float* sum, bool first) {
  const float* rows[Ways];
  const float* ahead[Ways];
#pragma GCC unroll 4
  for (int w = 0; w < Ways; ++w) {
    rows[w] = task.rows + task.columns[edge + w] * task.stride;
    ahead[w] = task.rows + task.columns[edge + w + task.distance] * task.stride;
  }
  for (std::int64_t f = 0; f < task.stride; f += 16) {
    if constexpr (To != Fetch::none) {
#pragma GCC unroll 4
      for (int w = 0; w < Ways; ++w) fetch<1, To>(ahead[w] + f);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 16; k += kFloats) {
      Vector value = *reinterpret_cast<const Vector*>(rows[0] + f + k);
#pragma GCC unroll 4
      for (int w = 1; w < Ways; ++w) value += *reinterpret_cast<const Vector*>(rows[w] + f + k);
      Vector* to = reinterpret_cast<Vector*>(sum + f + k);
      *to = first ? value : *to + value;
    }
  }
}

// Rows that are wider than the registers. Blocks of columns, which read a row's edges once per block, reach
// two thirds of this.
void gather_wide(const GatherTask& task) {
  constexpr int kWays = 4;
  with_fetch(task, [&]<Fetch To>(FetchKind<To>) {
    for (std::int64_t r = task.first_row; r < task.last_row; ++r) {
      float* sum = task.out + r * task.out_stride;
      const std::int64_t begin = task.offsets[r];
      const std::int64_t end = task.offsets[r + 1];
      std::int64_t e = begin;
      for (; e + kWays <= end; e += kWays) add_wide<kWays, To>(task, e, sum, e == begin);
      for (; e < end; ++e) add_wide<1, To>(task, e, sum, e == begin);
      if (begin == end) {
        for (std::int64_t f = 0; f < task.stride; ++f) sum[f] = 0;
      }
    }
  });
}

// Finds the number of vectors in a row among 1 … Count.
template <int Count>
void gather_of(const GatherTask& task) {
  if constexpr (Count > kSums || Count > 16) {
    gather_wide(task);
  } else if (task.stride == Count * kFloats) {
    gather_narrow<Vector, Count>(task);
  } else {
    gather_of<Count + 1>(task);
  }
}

void gather(const GatherTask& task) {
  if (task.stride == 1) return gather_narrow<float, 1>(task);
  if (task.stride == 2) return gather_narrow<VectorOf<8>::type, 1>(task);
  if (task.stride == 4) return gather_narrow<VectorOf<16>::type, 1>(task);
  if (task.stride == 8 && kFloats >= 8) return gather_narrow<VectorOf<kBytes >= 32 ? 32 : 16>::type, 1>(task);
  gather_of<1>(task);
}

}  // namespace

const Loops GAT_BENCH_LEVEL = {GAT_BENCH_NAME, triad, multiply_add, read, gather};

}  // namespace gat::app
