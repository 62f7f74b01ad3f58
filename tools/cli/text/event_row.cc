#include "tools/cli/text/event_row.h"

#include <algorithm>
#include <utility>

#include "eventstore/json/json_check.h"
#include "eventstore/json/json_cursor.h"
#include "tools/cli/text/cell_text.h"

namespace cairn::cli {

namespace {

// Rows are printed as events arrive, so the widths of the columns are fixed.
constexpr std::size_t kNumberWidth = 9;
constexpr std::size_t kTimeWidth = 23;
constexpr std::size_t kTimeWidthSmall = 19;  // without milliseconds
constexpr std::size_t kSmallTerminal = 110;
constexpr std::size_t kNameWidthMin = 12;
constexpr std::size_t kNameWidthMax = 28;
constexpr std::size_t kDataWidthMin = 8;

struct Columns {
  std::string position, version, time, stream, type, data;
  std::string part = {};  // stands behind the version
};

// The column of a field; nullptr for a field that is not shown.
std::string* column_of(Columns& columns, std::string_view field) {
  if (field == "position") return &columns.position;
  if (field == "version") return &columns.version;
  if (field == "recordedAt") return &columns.time;
  if (field == "stream") return &columns.stream;
  if (field == "type") return &columns.type;
  if (field == "data") return &columns.data;
  if (field == "part") return &columns.part;
  return nullptr;
}

std::size_t name_width(std::size_t width) { return std::clamp(width / 6, kNameWidthMin, kNameWidthMax); }

// Numbers are never shortened; a long one moves the rest of its row.
std::string number_cell(const std::string& text) {
  const std::size_t used = text_width(text);
  return std::string(used < kNumberWidth ? kNumberWidth - used : 0, ' ') + on_one_line(text);
}

std::string line_of(const Columns& columns, std::size_t width) {
  const std::size_t name = name_width(width);
  const std::size_t time = width < kSmallTerminal ? kTimeWidthSmall : kTimeWidth;
  std::string line = number_cell(columns.position) + number_cell(columns.version) + "  " +
                     cell(columns.time.substr(0, time), time) + "  " + cell(columns.stream, name) + "  " +
                     cell(columns.type, name) + "  ";
  const std::size_t used = text_width(line);
  line += shortened(columns.data, std::max(kDataWidthMin, width > used ? width - used : 0));
  return line;
}

// "2026-11-16T20:55:35.123456Z" -> "2026-11-16 20:55:35.123456Z"; the column cuts it.
std::string readable_time(std::string text) {
  if (text.size() > 10 && text[10] == 'T') text[10] = ' ';
  return text;
}

}  // namespace

std::string event_heading(std::size_t width) {
  return line_of({"POSITION", "VERSION", "TIME (UTC)", "STREAM", "TYPE", "DATA"}, width);
}

std::string event_row(std::string_view event_json, std::size_t width) {
  if (check_json(event_json)) return shortened(event_json, width);
  JsonCursor cursor(event_json);
  if (cursor.kind() != JsonKind::kObject) return shortened(event_json, width);
  Columns columns;
  cursor.enter_object();
  while (const auto name = cursor.next_name()) {
    const bool is_text = cursor.kind() == JsonKind::kString && *name != "data";
    std::string value = is_text ? cursor.take_string() : std::string(cursor.take_raw());
    if (std::string* column = column_of(columns, *name)) *column = std::move(value);
  }
  columns.time = readable_time(std::move(columns.time));
  if (!columns.part.empty() && columns.part != "null") columns.version += "." + columns.part;
  return line_of(columns, width);
}

}  // namespace cairn::cli
