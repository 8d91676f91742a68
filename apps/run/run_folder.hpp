/// The folder that a training run fills.
#pragma once

#include <filesystem>
#include <string>

#include "settings.hpp"

namespace gat::app {

/// Made before training, so that a folder that cannot be written is known at once. Removed again unless
/// something worth keeping came into it. With --force an old run folder stays as it is until the new one
/// is complete; folders that hold anything but runs are never replaced.
class RunFolder {
 public:
  /// \throws FileError when the folder exists (without --force), holds other things, or cannot be made
  RunFolder(const Settings& settings, const std::string& data_name);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Where files go now.
  const std::filesystem::path& path() const { return path_; }
  /// Where they are in the end.
  const std::filesystem::path& final_path() const { return final_path_; }

  /// The folder stays, whatever happens next; a folder that is to replace another does not.
  void keep() { keep_ = true; }
  bool kept() const { return keep_; }
  /// The run is complete; an old folder gives way.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path final_path_;
  bool made_ = false;  // by us, not found empty
  bool keep_ = false;
};

}  // namespace gat::app
