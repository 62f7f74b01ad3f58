#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::cli {

// A progress bar on stderr. Draws nothing when stderr is not a terminal. Not thread-safe.
class ProgressBar {
 public:
  ProgressBar();

  // Clears the line of the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Cheap to call often: redraws a few times a second and when the stage changes.
  void update(std::string_view stage, std::uint64_t done, std::uint64_t total);

  // The same with the caller's text instead of a bar. REQUIRES: the text is one line.
  void show(std::string_view text);

  // Writes a line above the bar, also when no bar is drawn.
  void note(std::string_view line);

 private:
  void draw(std::string_view text);

  const bool shown_;
  bool drawn_ = false;
  std::string stage_;
  std::chrono::steady_clock::time_point next_draw_;
};

// "index  [##########..........]  50 %"
std::string share_text(std::string_view stage, std::uint64_t done, std::uint64_t total);

// "index  [##########..........]  50 %  1,000 of 2,000"
std::string bar_text(std::string_view stage, std::uint64_t done, std::uint64_t total);

}  // namespace cairn::cli
