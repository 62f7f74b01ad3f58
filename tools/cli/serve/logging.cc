#include "tools/cli/serve/logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "tools/cli/text/choice_option.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

std::string without_control_characters(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      clean += c;
      continue;
    }
    static constexpr std::string_view kDigits = "0123456789abcdef";
    clean += "\\x";
    clean += kDigits[byte >> 4];
    clean += kDigits[byte & 15];
  }
  return clean;
}

void append(spdlog::memory_buf_t& to, std::string_view text) {
  to.append(text.data(), text.data() + text.size());
}

class TextFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    const std::string text = without_control_characters({message.payload.data(), message.payload.size()});
    spdlog::details::log_msg clean(message);
    clean.payload = spdlog::string_view_t(text.data(), text.size());
    pattern_.format(clean, to);
    message.color_range_start = clean.color_range_start;
    message.color_range_end = clean.color_range_end;
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<TextFormatter>(); }

 private:
  spdlog::pattern_formatter pattern_{"%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v", spdlog::pattern_time_type::utc};
};

std::string utc_time(std::chrono::system_clock::time_point time) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", std::string_view(text, size), millis % 1000);
}

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    const auto level = spdlog::level::to_string_view(message.level);
    nlohmann::ordered_json line;
    line["time"] = utc_time(message.time);
    line["level"] = std::string(level.data(), level.size());
    line["message"] = std::string(message.payload.data(), message.payload.size());
    append(to, line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    append(to, "\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }
};

}  // namespace

void add_log_format(CLI::App& command, LogFormat& format) {
  add_choice<LogFormat>(command, "--log-format", format, "The format of log lines: text or json",
                        {{"text", LogFormat::kText}, {"json", LogFormat::kJson}})
      ->type_name("FORMAT");
}

void start_logging(LogFormat format) {
  const bool colour = format == LogFormat::kText && wants_colour(STDERR_FILENO);
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(colour ? spdlog::color_mode::always
                                                                           : spdlog::color_mode::never);
  auto logger = std::make_shared<spdlog::logger>("cairn", std::move(sink));
  if (format == LogFormat::kJson) {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_formatter(std::make_unique<TextFormatter>());
  }
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace cairn::cli
