/// A suite: cases that are measured in the same rounds, with what they work on.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/limits.hpp"

namespace gat::app {

/// One thing to time, once per round.
struct Case {
  std::string name;
  int threads = 1;
  std::function<void()> run;
  Work work = {};        ///< nothing: no limit is stated
  Index peak_bytes = 0;  ///< resident memory that it needed at most; 0 = not measured
  Index num_edges = 0;   ///< > 0: time per edge is stated too
};

/// A ratio of two cases' times, formed within each round.
struct CaseRatio {
  std::string name;  ///< "pruned / whole"
  std::size_t numerator = 0, denominator = 0;
};

class Suite {
 public:
  Suite() = default;
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  /// Makes something that the cases work on and keeps it as long as the suite.
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    auto held = std::make_unique<Held<T>>(std::forward<Arguments>(arguments)...);
    T& value = held->value;
    held_.push_back(std::move(held));
    return value;
  }
  /// Returns the number of the case.
  std::size_t add(Case added) {
    cases_.push_back(std::move(added));
    return cases_.size() - 1;
  }
  void compare(std::string name, std::size_t numerator, std::size_t denominator) {
    ratios_.push_back({std::move(name), numerator, denominator});
  }

  /// Something that readers of the figures must know; said once, however often it is added.
  void remark(const std::string& text) {
    if (std::find(remarks_.begin(), remarks_.end(), text) == remarks_.end()) remarks_.push_back(text);
  }

  const std::vector<std::string>& remarks() const { return remarks_; }
  const std::vector<Case>& cases() const { return cases_; }
  const std::vector<CaseRatio>& case_ratios() const { return ratios_; }

 private:
  struct Holder {
    virtual ~Holder() = default;
  };
  template <class T>
  struct Held final : Holder {
    template <class... Arguments>
    explicit Held(Arguments&&... arguments) : value(std::forward<Arguments>(arguments)...) {}
    T value;
  };

  std::vector<std::unique_ptr<Holder>> held_;
  std::vector<Case> cases_;
  std::vector<CaseRatio> ratios_;
  std::vector<std::string> remarks_;
};

}  // namespace gat::app
