/// Damages bytes in systematic ways and checks that a reader refuses them in an orderly way.
#pragma once

#include <cstdint>
#include <string>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "gat/core/random.hpp"

/// Whether read() throws InputError or LimitError; any other exception fails the test.
template <class Read>
bool refuses(Read read) {
  try {
    read();
  } catch (const gat::InputError&) {
    return true;
  } catch (const gat::LimitError&) {
    return true;
  }
  return false;
}

/// The message of the InputError that read() throws; empty when it throws none.
template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const gat::InputError& error) {
    return error.what();
  }
  return {};
}

/// read(first n bytes) must be refused for every n below the size.
template <class Read>
void check_every_truncation(const std::string& bytes, Read read) {
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    INFO("cut to " << n << " of " << bytes.size() << " bytes");
    REQUIRE(refuses([&] { read(bytes.substr(0, n)); }));
  }
}

/// read(bytes with a few changed bits) may succeed or be refused, nothing else.
template <class Read>
void check_bit_flips(const std::string& bytes, int rounds, Read read) {
  const gat::RandomStream random(7);
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = bytes;
    const gat::RandomStream draw = random.derive(static_cast<std::uint64_t>(round));
    const std::uint64_t flips = 1 + draw.below(0, 4);
    for (std::uint64_t k = 0; k < flips; ++k) {
      const std::uint64_t bit = draw.below(k + 1, 8 * bytes.size());
      damaged[bit / 8] = static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ (1U << (bit % 8)));
    }
    INFO("round " << round);
    REQUIRE_NOTHROW(refuses([&] { read(damaged); }));
  }
}
