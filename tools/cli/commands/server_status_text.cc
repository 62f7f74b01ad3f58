#include "tools/cli/commands/server_status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "tools/cli/text/cell_text.h"
#include "tools/cli/text/json_member.h"
#include "tools/cli/text/number_text.h"
#include "tools/cli/text/terminal.h"

namespace cairn::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kWidth = 80;
constexpr std::size_t kLabelWidth = 13;
// More would not fit on a screen; `cairn projection list` has all.
constexpr std::size_t kProjectionsShown = 20;

std::string labelled(const std::string& label, const std::string& text) {
  return cell(label, kLabelWidth) + shortened(text, kWidth - kLabelWidth) + "\n";
}

// `text` in lines of at most kWidth columns, each behind `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(on_one_line(text));
  std::string lines, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + text_width(line) + 1 + text_width(word) > kWidth) {
      lines += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + shortened(word, kWidth - indent);
  }
  return lines + std::string(indent, ' ') + line + "\n";
}

bool is_number(const json& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name].is_number();
}

std::string rates_text(const json& status) {
  const json events = object_member(status, "events"), appends = object_member(status, "appends");
  return fmt::format(
      "{} events/s, {} appends/s (10 s); {} and {} (1 min)", rate_text(real_member(events, "perSecond10s")),
      rate_text(real_member(appends, "perSecond10s")), rate_text(real_member(events, "perSecond1m")),
      rate_text(real_member(appends, "perSecond1m")));
}

std::string commits_text(const json& status) {
  const json commits = object_member(status, "commits");
  std::string text = "none in the last minute";
  if (number_member(commits, "lastMinute") > 0) {
    text = fmt::format("{:.2f} ms in the mean, 99 % within {:.2f} ms", real_member(commits, "meanMs"),
                       real_member(commits, "p99Ms"));
  }
  return text + "; " + counted(number_member(object_member(status, "appends"), "queued"), "append") +
         " queued";
}

std::string index_text(const json& index) {
  std::string text = byte_size(number_member(index, "bytes"));
  if (is_true(index, "complete")) return text + ", complete";
  return text + fmt::format(", rebuilt up to {} of {}", grouped(number_member(index, "done")),
                            grouped(number_member(index, "total")));
}

std::string disk_text(const json& disk) {
  if (!is_number(disk, "freeBytes")) return "unknown";
  std::string text = byte_size(number_member(disk, "freeBytes")) + " of " +
                     byte_size(number_member(disk, "bytes")) + " free";
  if (!is_number(disk, "growthBytesPerDay")) return text + "; too young to tell its growth";
  text += "; grows by " + byte_size(number_member(disk, "growthBytesPerDay")) + " a day";
  if (const double days = real_member(disk, "daysUntilFull");
      is_number(disk, "daysUntilFull") && days < 10'000)
    text += fmt::format(", full in {:.0f} days", days);
  return text;
}

std::string projections_text(const json& projections) {
  std::vector<std::vector<std::string>> rows = {{"  NAME", "STATE", "BEHIND", "PARKED"}};
  for (const json& projection : projections) {
    if (rows.size() > kProjectionsShown) break;
    const json lag = object_member(projection, "lag");
    const std::uint64_t behind = number_member(lag, "events");
    rows.push_back({"  " + shortened(text_member(projection, "name"), 32), text_member(projection, "state"),
                    behind == 0 ? "-" : grouped(behind) + ", " + duration_text(real_member(lag, "seconds")),
                    grouped(number_member(projection, "parkedKeys"))});
  }
  std::string text = table_text(rows);
  if (projections.size() > kProjectionsShown)
    text += fmt::format("  … and {} more: cairn projection list\n", projections.size() - kProjectionsShown);
  return text;
}

std::string attention_text(const json& status, bool colour) {
  const json list = list_member(status, "needsAttention");
  if (list.empty()) return coloured("Nothing needs attention.", Colour::kGreen, colour) + "\n";
  std::string text = coloured("Needs attention:", Colour::kRed, colour) + "\n";
  for (const json& found : list) {
    const std::string name = text_member(found, "name");
    const std::string lines =
        wrapped((name.empty() ? "" : "projection " + name + ": ") + text_member(found, "text"), 4);
    text += "  -" + lines.substr(3);
  }
  return text;
}

}  // namespace

bool needs_attention(const json& status) { return !list_member(status, "needsAttention").empty(); }

std::string server_status_text(const json& status, const std::string& url, bool colour) {
  std::string text =
      labelled("server", fmt::format("cairn {} at {}, up {}", text_member(status, "version"), url,
                                     duration_text(real_member(status, "uptimeSeconds"))));
  if (const std::string data = text_member(status, "data"); !data.empty()) text += labelled("data", data);
  text += labelled("log", fmt::format("head {}, {}", grouped(number_member(status, "head")),
                                      byte_size(number_member(object_member(status, "log"), "bytes"))));
  text += labelled("rate", rates_text(status));
  text += labelled("commits", commits_text(status));
  text += labelled("index", index_text(object_member(status, "index")));
  text += labelled("disk", disk_text(object_member(status, "disk")));
  text += labelled("schemas", fmt::format("{} in {}", counted(number_member(status, "schemas"), "schema"),
                                          counted(number_member(status, "subjects"), "subject")));
  text += labelled("upcasters", grouped(number_member(status, "upcasters")));
  text += labelled("aggregates", grouped(number_member(status, "aggregates")));
  const json projections = list_member(status, "projections");
  text += labelled("projections", status.is_object() && status.value("projections", json()).is_array()
                                      ? grouped(projections.size())
                                      : "not shown: off, or not for this token");
  if (!projections.empty()) text += projections_text(projections);
  return text + "\n" + attention_text(status, colour);
}

}  // namespace cairn::cli
