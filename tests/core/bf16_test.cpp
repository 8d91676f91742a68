#include "gat/core/bf16.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace gat;

namespace {

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
float bf16_of(int pattern) { return to_float(Bf16{static_cast<std::uint16_t>(pattern)}); }

constexpr int kPatterns = 1 << 16;

}  // namespace

TEST_CASE("every bf16 is the float whose upper half it is, and rounds to itself", "[core][bf16]") {
  CHECK(to_float({0x3f80}) == 1.0F);
  CHECK(to_float({0xc040}) == -3.0F);
  CHECK(to_float({0x7f80}) == std::numeric_limits<float>::infinity());
  for (int p = 0; p < kPatterns; ++p) {
    const float value = bf16_of(p);
    REQUIRE(std::bit_cast<std::uint32_t>(value) == static_cast<std::uint32_t>(p) << 16);
    if (!std::isnan(value)) REQUIRE(to_bf16(value).bits == p);
  }
}

TEST_CASE("NaN of any payload stays NaN, quiet, with its sign", "[core][bf16]") {
  int count = 0;
  for (int p = 0; p < kPatterns; ++p) {
    // The second one would be infinity if its lower half were cut off.
    for (const std::uint32_t low : {0U, 1U, 0x8000U, 0xffffU}) {
      const float value = float_of(static_cast<std::uint32_t>(p) << 16 | low);
      if (!std::isnan(value)) continue;
      ++count;
      const int bits = to_bf16(value).bits;
      REQUIRE((bits & 0x7fc0) == 0x7fc0);
      REQUIRE((bits & 0x8000) == (p & 0x8000));
    }
  }
  CHECK(count == 2 * (127 * 4 + 3));
}

TEST_CASE("floats between two bf16 round to the nearer one, halfway to the even one", "[core][bf16]") {
  for (int p = 0; p < kPatterns; ++p) {
    const float below = bf16_of(p);
    if (!std::isfinite(below)) continue;
    // The neighbour away from zero; beyond the largest finite one infinity stands for it.
    const auto bits = static_cast<std::uint32_t>(p) << 16;
    REQUIRE(to_bf16(float_of(bits | 0x0001)).bits == p);
    REQUIRE(to_bf16(float_of(bits | 0x7fff)).bits == p);
    REQUIRE(to_bf16(float_of(bits | 0x8000)).bits == (p % 2 == 0 ? p : p + 1));
    REQUIRE(to_bf16(float_of(bits | 0x8001)).bits == p + 1);
    REQUIRE(to_bf16(float_of(bits | 0xffff)).bits == p + 1);
  }
  CHECK(std::isinf(to_float(to_bf16(std::numeric_limits<float>::max()))));
}

TEST_CASE("rounding moves a normal number by at most one part in 256", "[core][bf16]") {
  for (const float value : {1.0F, 1.00390625F, 1.99999F, 3.14159265F, -2.71828F, 1e-30F, 3e38F})
    CHECK(std::abs(to_float(to_bf16(value)) - value) <= std::abs(value) / 256);
  CHECK(to_float(to_bf16(3.14159265F)) == 3.140625F);
}

TEST_CASE("rows of bf16 lie in the memory of a matrix", "[core][bf16]") {
  CHECK(Bf16Rows().empty());
  Matrix memory(3, Bf16Rows::memory_cols(17));
  CHECK(memory.cols() * Index(sizeof(Real)) >= 17 * Index(sizeof(Bf16)));
  const Bf16Rows rows(memory, 17);
  CHECK_FALSE(rows.empty());
  CHECK(rows.rows == 3);
  CHECK(rows.cols == 17);
  rows.row(2)[16] = to_bf16(2);
  CHECK(to_float(rows.row(2)[16]) == 2);
  CHECK(static_cast<void*>(rows.row(1)) == static_cast<void*>(memory.row(1)));
  CHECK(static_cast<void*>(rows.row(2) + 17) <= static_cast<void*>(memory.data() + memory.size()));
}
