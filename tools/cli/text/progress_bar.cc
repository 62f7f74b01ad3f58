#include "tools/cli/text/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "tools/cli/text/live_text.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::size_t kBarWidth = 30;
constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

std::string share_text(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  const double share =
      total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
  std::string text(stage);
  text += "  [" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]  ";
  return text + std::to_string(static_cast<int>(share * 100)) + " %";
}

std::string bar_text(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  return share_text(stage, done, total) + "  " + grouped(done) + " of " + grouped(total);
}

ProgressBar::ProgressBar() : shown_(can_redraw(STDERR_FILENO)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::cerr << kClearLine << std::flush;
}

void ProgressBar::update(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  if (!shown_ || (stage == stage_ && std::chrono::steady_clock::now() < next_draw_)) return;
  stage_ = stage;
  draw(bar_text(stage, done, total));
}

void ProgressBar::show(std::string_view text) {
  if (shown_ && std::chrono::steady_clock::now() >= next_draw_) draw(text);
}

void ProgressBar::note(std::string_view line) {
  if (drawn_) std::cerr << kClearLine;
  std::cerr << line << std::endl;
  drawn_ = false;
  next_draw_ = {};
}

void ProgressBar::draw(std::string_view text) {
  next_draw_ = std::chrono::steady_clock::now() + kRedraw;
  drawn_ = true;
  // Cut to the width: a wrapped line could not be cleared.
  std::cerr << kClearLine << cut_line(text, terminal_width(STDERR_FILENO) - 1) << std::flush;
}

}  // namespace cairn::cli
