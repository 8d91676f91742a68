// The program `gat`: finds the verb, puts its settings together, runs it, turns failures into exit codes.
#include <exception>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "gat/core/error.hpp"
#include "options/assemble.hpp"
#include "options/command_line.hpp"
#include "options/help.hpp"
#include "output/sink.hpp"
#include "system/signals.hpp"
#include "system/waiting.hpp"
#include "terminal/console.hpp"
#include "verbs/verbs.hpp"

namespace gat::app {

namespace {

// Whether a help word is among the words before "--".
bool asks_for(const std::vector<std::string>& words, std::string_view help,
              std::string_view short_help = "") {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == help || (!short_help.empty() && word == short_help)) return true;
  }
  return false;
}

int print_help(const std::vector<std::string>& words) {
  if (words.empty()) {
    print(overview());
  } else {
    print(help_of(verb_named(words.front()), asks_for(words, "--help-all")));
  }
  return kDone;
}

int run(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    console.note_text(overview());
    return kUsage;
  }
  const std::string& first = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (first == "help") return print_help(rest);
  if (first == "-h" || first == "--help" || first == "--help-all") return print_help({});
  const Verb& verb = verb_named(first == "--version" ? "version" : first);
  if (asks_for(rest, "--help", "-h") || asks_for(rest, "--help-all")) {
    print(help_of(verb, asks_for(rest, "--help-all")));
    return kDone;
  }
  const Call call = assemble(parse_command_line(verb, rest), words, console);
  console.configure(call.settings.color, call.settings.quiet);
  return verb.run(call);
}

}  // namespace

}  // namespace gat::app

int main(int count, char** words) {
  using namespace gat::app;
  limit_spinning(words);
  ignore_write_signals();
  Console console;
  try {
    return run({words + 1, words + count}, console);
  } catch (...) {
    const Failure failure = describe_current_exception();
    if (!failure.message.empty()) console.error(failure.message);
    return failure.code;
  }
}
