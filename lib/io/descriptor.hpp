/// An open file that closes itself, and reading from it at a position.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <utility>

#include "gat/core/real.hpp"

namespace gat::inline GAT_PRECISION {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  /// Gives the number away; the caller closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// Throws `FileError`, also for a folder.
Descriptor open_for_reading(const std::filesystem::path& path);

/// The size of a regular file, 0 for anything else.
std::uint64_t size_of(const Descriptor& descriptor, const std::filesystem::path& path);

/// Reads up to `count` bytes at `offset`, fewer only at the file's end; returns how many.
std::size_t read_at(int descriptor, std::uint64_t offset, char* to, std::size_t count,
                    const std::filesystem::path& path);

}  // namespace gat::inline GAT_PRECISION
