#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::api {

// Splits bytes that arrive in pieces into lines. A line ends with \n or \r\n. Not thread-safe.
class LineSplitter {
 public:
  // Above every event, so that only a server that is not Cairn sends a longer line.
  static constexpr std::size_t kLineBytesMax = 64u << 20;

  // Calls `on_line(std::string_view)` for each line that ends in `bytes`. Stops and returns false when the
  // callback returns false, or when a line is longer than kLineBytesMax.
  template <typename OnLine>
  bool feed(std::string_view bytes, const OnLine& on_line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (end == std::string_view::npos) {
        begun_ += bytes;
        return begun_.size() <= kLineBytesMax;
      }
      bool go_on = false;
      if (begun_.empty()) {
        go_on = on_line(without_return(bytes.substr(0, end)));
      } else {
        begun_ += bytes.substr(0, end);
        go_on = on_line(without_return(begun_));
        begun_.clear();
      }
      if (!go_on) return false;
      bytes.remove_prefix(end + 1);
    }
    return true;
  }

  // The bytes after the last line end.
  std::string_view rest() const { return begun_; }

 private:
  static std::string_view without_return(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  std::string begun_;
};

}  // namespace cairn::api
