#include "run/metrics_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "gat/core/error.hpp"
#include "output/json.hpp"

namespace gat::app {

MetricsLog::MetricsLog(const std::filesystem::path& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail();
}

MetricsLog::~MetricsLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MetricsLog::fail() const {
  throw FileError("cannot write " + path_.string() + ": " + std::generic_category().message(errno) +
                  "; free some space or choose another folder with --out");
}

void MetricsLog::epoch_finished(const EpochRecord& record, const Weights&, TrainControl& control) {
  const Json json{{"epoch", record.epoch},
                  {"train_loss", record.train_loss},
                  {"validation_loss", record.validation_loss},
                  {"validation_accuracy", record.validation_accuracy},
                  {"validation_roc_auc", record.validation_roc_auc},
                  {"kept", control.keep_weights},
                  {"seconds", record.seconds}};
  const std::string line = json_line(json) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace gat::app
