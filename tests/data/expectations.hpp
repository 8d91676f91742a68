/// Short ways to state what messages and notes must hold; they work with every version of Catch2.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

#include "gat/core/error.hpp"
#include "gat/data/dataset.hpp"
#include "gat/data/load.hpp"

/// Writes a file as it is; tests that write thousands need no promise that they are on the disk.
inline void write_plainly(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The message of the error of this library that call() throws; empty when it throws none.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const gat::Error& error) {
    return error.what();
  }
  return {};
}

/// Empty when a message holds all parts; else the part that it lacks, and the message.
inline std::string lacking(const std::string& message, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    if (message.find(part) == std::string::npos) return "\"" + part + "\" is not in \"" + message + "\"";
  }
  return {};
}

/// The same for the message with which a path is refused.
inline std::string lacking_in_refusal(const std::string& path, std::initializer_list<std::string> parts) {
  return lacking(message_of([&] { gat::load_dataset(path); }), parts);
}

inline bool has_note(const gat::Dataset& dataset, const std::string& note) {
  return std::find(dataset.notes.begin(), dataset.notes.end(), note) != dataset.notes.end();
}
