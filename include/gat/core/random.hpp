/// Counter-based random numbers: every number is a pure function of (seed, path, index).
///
/// There is no state to advance, so results do not depend on threads, on the order of calls or on
/// which part of a graph is computed. The generator is SplitMix64 (Steele, Lea, Flood 2014): the
/// output for index k is its finaliser applied to key + (k + 1) · 0x9e3779b97f4a7c15.
#pragma once

#include <cstdint>
#include <span>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

/// A branch of the tree of random streams that grows from one seed.
class RandomStream {
 public:
  RandomStream() = default;
  explicit RandomStream(std::uint64_t seed) : key_(mix(seed ^ 0x6a09e667f3bcc909ULL)) {}

  /// The stream below this one with the given tag; different tags give unrelated streams.
  RandomStream derive(std::uint64_t tag) const {
    RandomStream child;
    child.key_ = mix(key_ ^ mix(tag + 0xbb67ae8584caa73bULL));
    return child;
  }

  /// 64 random bits for an index.
  std::uint64_t bits(std::uint64_t index) const { return mix(key_ + (index + 1) * 0x9e3779b97f4a7c15ULL); }

  /// Uniform in [0, 1), with 53 random bits.
  double uniform(std::uint64_t index) const { return static_cast<double>(bits(index) >> 11) * 0x1.0p-53; }

  /// Uniform in {0, …, bound − 1}; the bias is below bound / 2^64. \pre bound > 0
  std::uint64_t below(std::uint64_t index, std::uint64_t bound) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * bound) >> 64);
  }

  /// What `bits` mixes with the index, for kernels that draw many numbers at once.
  std::uint64_t key() const { return key_; }

  /// Standard normal, by Box and Muller's transform of two uniform numbers.
  double normal(std::uint64_t index) const;

  /// Puts the ids in a random order (Fisher and Yates).
  void shuffle(std::span<NodeId> ids) const;

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  std::uint64_t key_ = 0;
};

/// An inverted dropout mask that is never stored: the factor of element k is 0 or 1/(1 − p).
///
/// The decision uses 16 random bits, so the drop probability is rounded to a multiple of 1/65536 and
/// the scale belongs to the rounded value. A default mask drops nothing.
class DropoutMask {
 public:
  DropoutMask() = default;
  /// \param probability of dropping, in [0, 1)
  DropoutMask(RandomStream stream, double probability);

  bool active() const { return threshold_ > 0; }
  /// 1/(1 − p) of the rounded p; 1 when nothing is dropped.
  Real scale() const { return scale_; }
  /// An element is dropped when its 16 random bits are below this number. The bits of element e are
  /// number e mod 4, lowest first, in word e / 4 of the stream.
  std::uint32_t threshold() const { return threshold_; }
  const RandomStream& stream() const { return stream_; }
  Real factor(std::uint64_t element) const {
    return threshold_ == 0 ? Real(1) : decide(stream_.bits(element >> 2), element);
  }

 private:
  friend class DropoutReader;

  // Four elements share 64 random bits.
  Real decide(std::uint64_t word, std::uint64_t element) const {
    const auto lane = static_cast<std::uint32_t>(word >> (16 * (element & 3))) & 0xffffU;
    return lane >= threshold_ ? scale_ : Real(0);
  }

  RandomStream stream_;
  std::uint32_t threshold_ = 0;
  Real scale_ = 1;
};

/// Reads a mask element by element; elements next to each other cost a quarter of the random bits.
class DropoutReader {
 public:
  explicit DropoutReader(const DropoutMask& mask) : mask_(mask) {}

  Real factor(std::uint64_t element) {
    if (!mask_.active()) return Real(1);
    if (element >> 2 != position_) {
      position_ = element >> 2;
      word_ = mask_.stream_.bits(position_);
    }
    return mask_.decide(word_, element);
  }

 private:
  DropoutMask mask_;
  std::uint64_t position_ = ~std::uint64_t(0);
  std::uint64_t word_ = 0;
};

}  // namespace gat::inline GAT_PRECISION
