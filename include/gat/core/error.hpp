/// The exceptions that this library throws; all derive from `gat::Error`.
///
/// A message is one sentence with the place and the fix. The types do not depend on the precision,
/// so a program that links both builds catches one set of types.
#pragma once

#include <stdexcept>
#include <string>

namespace gat {

/// Base of every exception of this library.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bytes from outside are wrong: the message starts with the place (`file:line:column` or
/// `file: byte offset`), then says what was found, what was expected and how to mend it.
class InputError : public Error {
 public:
  /// \param place  `path`, `path:line`, `path:line:column` or `path: byte n`
  InputError(const std::string& place, const std::string& message)
      : Error(place + ": " + message), place_(place) {}

  /// The place alone, as given to the constructor.
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// Two shapes that must fit do not; the message names both.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A call or an option that makes no sense: wrong value, unknown name, wrong order of calls.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The file system refused: missing file, no permission, disk full.
class FileError : public Error {
 public:
  using Error::Error;
};

/// A limit on memory, size or nesting would be passed.
class LimitError : public Error {
 public:
  using Error::Error;
};

/// The numbers left the finite range (a loss or a weight is NaN or infinite).
class NumericError : public Error {
 public:
  using Error::Error;
};

}  // namespace gat
