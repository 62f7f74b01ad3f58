#include "tests/support/crash_plan.h"

#include <sstream>

#include "tests/support/numbered_events.h"

namespace cairn::test {

AppendRequest CrashOp::request() const {
  const std::uint64_t first = ((std::uint64_t{cycle} * kCrashWriters + writer) * 1'000'000 + number) * 16;
  auto events = [&](std::uint64_t from, std::uint64_t count, std::size_t bytes) {
    std::vector<NewEvent> made;
    for (std::uint64_t i = 0; i < count; ++i) made.push_back(numbered_event(first + from + i, bytes));
    return made;
  };
  const std::string own = "own-" + std::to_string(writer);
  const std::string shared = "shared-" + std::to_string(number % 3);
  switch (number % 5) {
    case 0:
      return test::request({to(shared, ExpectedVersion::any(), events(0, 1 + number % 3, 40))});
    case 1:
      return test::request({to(own, ExpectedVersion::exactly(own_version), events(0, 2, 300))});
    case 2:
      return test::request({to(own, ExpectedVersion::exactly(own_version), events(0, 1, 10)),
                            to(shared, ExpectedVersion::any(), events(8, 2, 10))});
    case 3:
      return test::request({to("hot-1", ExpectedVersion::exactly(hot_version), events(0, 1, 20))});
    default:
      return test::request({to(shared, ExpectedVersion::any(), events(0, 1, 6'000))});
  }
}

std::string CrashOp::intent() const {
  std::ostringstream out;
  out << "I " << cycle << ' ' << writer << ' ' << number << ' ' << own_version << ' ' << hot_version;
  return out.str();
}

std::optional<CrashOp> CrashOp::parse_intent(const std::string& line) {
  std::istringstream words(line);
  std::string kind;
  CrashOp op;
  if (!(words >> kind >> op.cycle >> op.writer >> op.number >> op.own_version >> op.hot_version) ||
      kind != "I")
    return std::nullopt;
  return op;
}

std::string answer_line(const CrashOp& op, const Result<AppendResult>& result) {
  std::ostringstream out;
  const std::string writer =
      std::to_string(op.cycle) + " " + std::to_string(op.writer) + " " + std::to_string(op.number);
  if (result.ok()) {
    out << "A " << writer;
    for (const StreamAppendResult& part : result->streams)
      out << ' ' << part.first_version.value << ' ' << part.first_position.value;
  } else if (result.error().code == Errc::kVersionConflict) {
    out << "C " << writer;
  } else {
    out << "F " << writer << ' ' << to_string(result.error().code) << ' ' << result.error().message;
  }
  return out.str();
}

void CrashHistory::hear(const std::string& line) {
  if (auto op = CrashOp::parse_intent(line)) {
    entries_[op->key()] = {*op, Outcome::kUnknown, {}};
    return;
  }
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  if (kind == "R") {
    std::uint64_t position = 0, number = 0;
    words >> position >> number;
    shown_[position] = number;
    return;
  }
  if (kind == "F" && failures_expected_) return;
  CrashOp op;
  words >> op.cycle >> op.writer >> op.number;
  auto found = entries_.find(op.key());
  if (kind == "F" || words.fail() || found == entries_.end()) {
    fault_ = "a writer said: " + line;
    return;
  }
  found->second.outcome = kind == "A" ? Outcome::kApplied : Outcome::kRefused;
  acknowledged_ += kind == "A" ? 1 : 0;
  std::uint64_t version = 0, position = 0;
  while (words >> version >> position) found->second.numbers.emplace_back(version, position);
}

void CrashHistory::record(const CrashOp& op, const Result<AppendResult>& result) {
  hear(answer_line(op, result));
}

std::vector<CrashOp> CrashHistory::unanswered() const {
  std::vector<CrashOp> ops;
  for (const auto& [key, entry] : entries_) {
    if (entry.outcome == Outcome::kUnknown) ops.push_back(entry.op);
  }
  return ops;
}

// Checks one request against the log: it is there whole, where it was acknowledged, or not at all.
std::string CrashHistory::check_entry(const Entry& entry, const std::map<Uuid, const Event*>& by_id) const {
  const std::string writer = " (" + entry.op.intent() + ")";
  std::size_t expected = 0, found = 0;
  std::uint64_t next_position = 0;
  const AppendRequest request = entry.op.request();
  for (std::size_t s = 0; s < request.streams.size(); ++s) {
    const StreamAppend& stream = request.streams[s];
    for (std::size_t i = 0; i < stream.events.size(); ++i, ++expected) {
      auto event = by_id.find(*stream.events[i].id);
      if (event == by_id.end()) continue;
      ++found;
      const Event& stored = *event->second;
      if (stored.stream != stream.stream) return "C3: an event is in " + stored.stream + writer;
      if (next_position != 0 && stored.position != next_position)
        return "C4: a batch is not adjacent at " + std::to_string(stored.position) + writer;
      next_position = stored.position + 1;
      if (entry.outcome == Outcome::kApplied && s < entry.numbers.size() &&
          (stored.version != entry.numbers[s].first + i || stored.position != entry.numbers[s].second + i)) {
        return "C1: acknowledged as version " + std::to_string(entry.numbers[s].first + i) + " position " +
               std::to_string(entry.numbers[s].second + i) + ", found at " + std::to_string(stored.version) +
               " and " + std::to_string(stored.position) + writer;
      }
    }
  }
  if (entry.outcome == Outcome::kRefused && found > 0) return "C3: a refused request is in the log" + writer;
  if (entry.outcome == Outcome::kApplied && found < expected)
    return "C1: an acknowledged event is lost" + writer;
  if (found != 0 && found != expected) return "C4: half a batch is in the log" + writer;
  return "";
}

std::string CrashHistory::broken_promise(const std::vector<Event>& log) const {
  if (!fault_.empty()) return fault_;
  std::map<Uuid, const Event*> by_id;
  std::map<std::string, std::uint64_t> versions;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Event& event = log[i];
    const std::string where = " at position " + std::to_string(event.position);
    if (event.position != i + 1) return "C6: a gap or a repeated position" + where;
    if (event.version != ++versions[event.stream])
      return "C5: a gap in the versions of " + event.stream + where;
    if (!by_id.emplace(event.id, &event).second) return "C2: an event id occurs twice" + where;
    if (!is_as_numbered(event)) return "C1: an event is not what was sent" + where;
    const std::uint64_t serial = number_of(event.id) / 16;
    const auto key = std::tuple(static_cast<std::uint32_t>(serial / 1'000'000 / kCrashWriters),
                                static_cast<std::uint32_t>(serial / 1'000'000 % kCrashWriters),
                                static_cast<std::uint32_t>(serial % 1'000'000));
    if (!entries_.contains(key)) return "C3: no writer sent the event" + where;
  }
  for (const auto& [position, number] : shown_) {
    if (position > log.size() || number_of(log[position - 1].id) != number)
      return "C7: an event that was read at position " + std::to_string(position) + " is missing";
  }
  for (const auto& [key, entry] : entries_) {
    std::string broken = check_entry(entry, by_id);
    if (!broken.empty()) return broken;
  }
  return "";
}

}  // namespace cairn::test
