/// Runs the built program the way a shell does, and keeps what it said.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct ProgramResult {
  int code = -1;  ///< exit code, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

struct ProgramCall {
  std::vector<std::string> words;
  std::string input;                               ///< standard input
  std::map<std::string, std::string> environment;  ///< added to a small, fixed environment
  std::filesystem::path folder;                    ///< working folder
  bool closed_output = false;                      ///< nobody reads standard output
  std::function<void(int)> meanwhile;              ///< called with the process id while it runs
};

/// \throws std::runtime_error when the program cannot be started
ProgramResult run_program(const ProgramCall& call);

/// The words of a line without quotes; "gat" itself is left out.
ProgramResult gat(const std::string& line, const std::filesystem::path& folder,
                  const std::string& input = "");

std::string read_text(const std::filesystem::path& path);
std::vector<std::string> lines_of(const std::string& text);
/// The rows of a CSV text without quotes, lacking some columns.
std::string rows_without(const std::string& csv, const std::vector<std::size_t>& left_out);
