#include "terminal/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "system/environment.hpp"

namespace gat::app {

namespace {

constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(30);

std::string time_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

// The number after this one in 1, 2, 5, 10, 20, 50, …
int next_in_series(int number) {
  int power = 1;
  while (number >= power * 10) power *= 10;
  const int digit = number / power;
  return digit == 1 ? 2 * power : digit == 2 ? 5 * power : 10 * power;
}

}  // namespace

Progress::Progress(Console& console, const std::string& how, int epochs, std::string score)
    : console_(console),
      score_(std::move(score)),
      epochs_(epochs),
      last_line_(Clock::now()),
      last_draw_(last_line_) {
  if (console.quiet()) return;
  moving_ = how == "bar" || (how == "auto" && console.can_move());
  plain_ = how == "plain" || (how == "auto" && !moving_);
}

bool Progress::is_due(int epoch) {
  const auto now = Clock::now();
  const bool in_series = epoch >= next_epoch_;
  while (epoch >= next_epoch_ && next_epoch_ < epochs_) next_epoch_ = next_in_series(next_epoch_);
  if (!in_series && now - last_line_ < kBetweenLines) return false;
  last_line_ = now;
  return true;
}

std::string Progress::line(const EpochRecord& record) const {
  std::string text = fmt::format("epoch {}/{}  loss {:.4f}", record.epoch, epochs_, record.train_loss);
  if (!std::isnan(record.validation_accuracy)) {
    text += fmt::format("  val {} {:.4f} (best {:.4f})", score_, record.validation_accuracy, best_);
  }
  if (!std::isnan(record.validation_roc_auc))
    text += fmt::format("  ROC-AUC {:.4f} (best {:.4f})", record.validation_roc_auc, best_roc_auc_);
  const double rate = record.seconds > 0 ? record.epoch / record.seconds : 0;
  text += fmt::format("  {:.1f} epochs/s", rate);
  // Early stopping may come sooner.
  if (rate > 0) text += "  at most " + time_text((epochs_ - record.epoch) / rate) + " left";
  return text + "  " + memory_text(resident_bytes());
}

void Progress::say_last() {
  said_ = last_.epoch;
  if (plain_) console_.note(line(last_));
  else console_.log_only(line(last_));
}

void Progress::finish() {
  if (last_.epoch != said_) say_last();
}

void Progress::epoch_finished(const EpochRecord& record, const Weights&, TrainControl&) {
  if (record.validation_accuracy > best_) best_ = record.validation_accuracy;
  if (record.validation_roc_auc > best_roc_auc_) best_roc_auc_ = record.validation_roc_auc;
  last_ = record;
  if (is_due(record.epoch)) say_last();
  const auto now = Clock::now();
  if (!moving_ || (now - last_draw_ < kBetweenDraws && record.epoch < epochs_)) return;
  last_draw_ = now;
  console_.draw_line(line(record));
}

}  // namespace gat::app
