/// What the program's exit codes mean, and how an exception becomes one.
#pragma once

#include <string>

namespace gat::app {

enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,    ///< a bug of the program
  kUsage = 2,            ///< command line or configuration
  kBadData = 3,          ///< bytes from outside are wrong
  kFileSystem = 4,       ///< missing file, no permission, disk full
  kOverLimit = 5,        ///< memory, size or nesting
  kNumericFailure = 6,   ///< the numbers left the finite range
  kThresholdMissed = 7,  ///< --fail-under
  kSignalBase = 128,     ///< 130 after SIGINT, 143 after SIGTERM
  kBrokenPipe = 141      ///< whoever reads the results has gone
};

/// Thrown by the result stream when its reader has gone; ends the program without a message.
struct BrokenPipe {};

struct Failure {
  int code = kInternalError;
  std::string message;  ///< one line; empty = say nothing
};

/// The current exception as a failure. \pre called inside a catch block
Failure describe_current_exception();

}  // namespace gat::app
