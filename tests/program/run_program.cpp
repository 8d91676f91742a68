#include "program/run_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "io/temporary_folder.hpp"

namespace {

void redirect(int number, const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags, 0600);
  if (descriptor < 0 || ::dup2(descriptor, number) < 0) ::_exit(127);
}

// A pipe whose other end is closed.
void redirect_to_nobody(int number) {
  int ends[2];
  if (::pipe(ends) != 0 || ::dup2(ends[1], number) < 0) ::_exit(127);
  ::close(ends[0]);
  ::close(ends[1]);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_of(const ProgramCall& call) {
  std::map<std::string, std::string> variables{
      {"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}, {"TERM", "dumb"}};
  for (const auto& [name, value] : call.environment) variables[name] = value;
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  return texts;
}

}  // namespace

ProgramResult run_program(const ProgramCall& call) {
  const TemporaryFolder scratch;
  std::ofstream(scratch / "in") << call.input;
  std::vector<std::string> words{GAT_PROGRAM};
  words.insert(words.end(), call.words.begin(), call.words.end());
  std::vector<std::string> environment = environment_of(call);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start " GAT_PROGRAM);
  if (child == 0) {
    redirect(0, scratch / "in", O_RDONLY);
    if (call.closed_output) redirect_to_nobody(1);
    else redirect(1, scratch / "out", O_WRONLY | O_CREAT);
    redirect(2, scratch / "err", O_WRONLY | O_CREAT);
    if (!call.folder.empty() && ::chdir(call.folder.c_str()) != 0) ::_exit(127);
    ::execve(GAT_PROGRAM, argv.data(), envp.data());
    ::_exit(127);
  }
  if (call.meanwhile) call.meanwhile(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  ProgramResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = call.closed_output ? "" : read_text(scratch / "out");
  result.err = read_text(scratch / "err");
  return result;
}

ProgramResult gat(const std::string& line, const std::filesystem::path& folder, const std::string& input) {
  ProgramCall call;
  std::istringstream words(line);
  for (std::string word; words >> word;) call.words.push_back(word);
  call.input = input;
  call.folder = folder;
  return run_program(call);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string rows_without(const std::string& csv, const std::vector<std::size_t>& left_out) {
  std::string text;
  for (const std::string& line : lines_of(csv)) {
    std::vector<std::string> cells{""};
    for (const char c : line) {
      if (c == ',') cells.emplace_back();
      else cells.back() += c;
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (std::find(left_out.begin(), left_out.end(), k) == left_out.end()) text += cells[k] + ",";
    }
    text += "\n";
  }
  return text;
}
