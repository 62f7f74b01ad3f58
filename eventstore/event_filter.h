#pragma once

#include <string>
#include <vector>

namespace cairn {

// Selects events of the whole log: those that satisfy each of the members. An empty member excludes nothing.
struct EventFilter {
  std::vector<std::string> categories = {};  // the stream is of any of these
  std::vector<std::string> types = {};       // the type is any of these
  std::vector<std::string> tags = {};        // the event has all of these
  std::string correlation = {};              // metadata.correlationId is this string
  bool system = true;                        // false: without the events of system streams

  bool matches_all() const { return !has_terms() && system; }

  // Whether the index has lists of what it asks for.
  bool has_terms() const { return !categories.empty() || !types.empty() || looks_at_events(); }

  // Whether names of stream and type are not enough to decide.
  bool looks_at_events() const { return !tags.empty() || !correlation.empty(); }
};

// Selects the events that satisfy any of the items.
using EventQuery = std::vector<EventFilter>;

}  // namespace cairn
