/// Memory of the yardsticks, in 2 MiB pages where the system gives them. It holds zeros; what is measured
/// must be written first, since pages without content of their own share one page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace gat::app {

class HugeBuffer {
 public:
  /// \param count  of floats. \throws std::bad_alloc
  explicit HugeBuffer(std::int64_t count);
  ~HugeBuffer();
  HugeBuffer(const HugeBuffer&) = delete;
  HugeBuffer& operator=(const HugeBuffer&) = delete;

  float* data() const { return data_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  float* data_ = nullptr;
};

/// Buffers that yardsticks of several thread counts share.
class HugeBuffers {
 public:
  /// The buffer of this name and size, made when it is first asked for.
  HugeBuffer& get(const std::string& name, std::int64_t count) {
    return buffers_.try_emplace({name, count}, count).first->second;
  }

 private:
  std::map<std::pair<std::string, std::int64_t>, HugeBuffer> buffers_;
};

}  // namespace gat::app
