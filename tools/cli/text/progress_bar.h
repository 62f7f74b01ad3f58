#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::cli {

// A bar on stderr while long work goes on. Draws nothing when stderr is no terminal. Belongs to one thread.
class ProgressBar {
 public:
  ProgressBar();

  // Leaves an empty line where the bar was.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Cheap to call often: it redraws a few times a second and when the stage changes.
  void update(std::string_view stage, std::uint64_t done, std::uint64_t total);

  // The same with a text of one's own, which should be on one line.
  void show(std::string_view text);

  // Writes a line of its own above the bar, also when there is no bar to be seen.
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
