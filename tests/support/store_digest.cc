#include "tests/support/store_digest.h"

#include <set>
#include <string>
#include <string_view>

#include "tests/support/reading.h"

namespace cairn::test {

namespace {

class Digest {
 public:
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (unsigned char byte : text) mix(byte);
  }
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) mix(static_cast<unsigned char>(number >> shift));
  }
  void add(const Event& event) {
    add(event.position);
    add(event.version);
    add(event.stream);
    add(event.type);
    add(event.id.high());
    add(event.id.low());
    add(std::uint64_t{event.schema});
    add(static_cast<std::uint64_t>(event.recorded_at));
    add(event.data);
    add(event.metadata);
    add(static_cast<std::uint64_t>(event.tags.size()));
    for (const std::string& tag : event.tags) add(tag);
  }
  void add(const std::vector<Event>& events) {
    add(static_cast<std::uint64_t>(events.size()));
    for (const Event& event : events) add(event);
  }
  void add(const StreamInfo& info) {
    add(info.stream);
    add(info.version.value);
    add(info.first_position.value);
    add(info.last_position.value);
    add(static_cast<std::uint64_t>(info.created_at.micros));
    add(static_cast<std::uint64_t>(info.updated_at.micros));
  }
  std::uint64_t value() const { return state_; }

 private:
  void mix(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3ull; }
  std::uint64_t state_ = 0xCBF29CE484222325ull;
};

constexpr Direction kBoth[] = {Direction::kForward, Direction::kBackward};

Status add_log(EventStore& store, const EventFilter& filter, Digest& digest) {
  for (Direction direction : kBoth) {
    CAIRN_TRY(auto events, read_all(store, {std::nullopt, direction, 64, filter}));
    digest.add(events);
  }
  return {};
}

}  // namespace

Result<std::uint64_t> digest_of(EventStore& store) {
  Digest digest;
  digest.add(store.head().value);
  CAIRN_TRY(auto scanned, scan_all(store));
  digest.add(scanned);
  std::set<std::string> categories, types;
  for (const Event& event : scanned) {
    categories.insert(std::string(category_of(event.stream)));
    types.insert(event.type);
  }
  CAIRN_CHECK(add_log(store, {}, digest));
  for (const std::string& category : categories) CAIRN_CHECK(add_log(store, {{category}, {}}, digest));
  for (const std::string& type : types) CAIRN_CHECK(add_log(store, {{}, {type}}, digest));
  if (!categories.empty())
    CAIRN_CHECK(add_log(store, {{*categories.begin()}, {*types.begin(), *types.rbegin()}}, digest));
  std::set<std::string> tags;
  for (const Event& event : scanned) tags.insert(event.tags.begin(), event.tags.end());
  for (const std::string& tag : tags) CAIRN_CHECK(add_log(store, {.tags = {tag}}, digest));
  for (const char* const correlation : {"c-1", "c-2", "c-20"})
    CAIRN_CHECK(add_log(store, {.correlation = correlation}, digest));
  for (const CountedTerm of : {CountedTerm::kCategory, CountedTerm::kType, CountedTerm::kTag}) {
    CAIRN_TRY(const CountList counts, store.count_terms({.of = of}));
    for (const auto& [term, events] : counts.terms) {
      digest.add(term);
      digest.add(events);
    }
  }
  CAIRN_TRY(auto listed, list_all(store, {.category = "", .prefix = "", .after = "", .limit = 10}));
  for (const StreamInfo& info : listed) {
    digest.add(info);
    CAIRN_TRY(auto alone, store.stream_info(info.stream));
    if (alone) digest.add(*alone);
    for (Direction direction : kBoth) {
      CAIRN_TRY(auto events, read_whole_stream(store, info.stream, {std::nullopt, direction, 20}));
      digest.add(events);
    }
  }
  for (const std::string& category : categories) {
    CAIRN_TRY(auto of_category,
              list_all(store, {.category = category, .prefix = "", .after = "", .limit = 10}));
    for (const StreamInfo& info : of_category) digest.add(info);
  }
  return digest.value();
}

}  // namespace cairn::test
