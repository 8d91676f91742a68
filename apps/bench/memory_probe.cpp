#include "bench/memory_probe.hpp"

#include <malloc.h>

#include <fstream>
#include <string>

namespace gat::app {

namespace {

// A number of kB in /proc/self/status, in bytes.
Index status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    Index kilobytes = 0;
    if (word == key && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

MemoryProbe::MemoryProbe() {
  restart_peak();
  held_ = status_bytes("VmRSS:");
}

void MemoryProbe::restart_peak() {
#ifdef __GLIBC__
  // Memory that was freed and not returned would count as held, and hide what comes.
  ::malloc_trim(0);
#endif
  // Sets the process's peak back to what it holds now.
  std::ofstream file("/proc/self/clear_refs");
  works_ = static_cast<bool>(file << "5" << std::flush);
}

Index MemoryProbe::peak_bytes() const { return works_ ? status_bytes("VmHWM:") - held_ : 0; }

}  // namespace gat::app
