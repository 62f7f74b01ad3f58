#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "eventstore/types.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// Finds the schema versions that version 0.1 deleted when it withdrew their upcasters, although events are
// stored with them: these can be read again once the same schema is registered again. Not thread-safe.
class LostVersionSearch {
 public:
  struct Found {
    std::string type;
    std::uint32_t version = 0;
    SchemaId schema;
    std::uint64_t events = 0;  // stored with it
    GlobalPosition first;      // of these
  };

  // Takes the events of a log, one after the other. Schemas and definitions that cannot be read are skipped.
  void take(const EventView& event);

  std::vector<Found> found() const;

 private:
  struct Uses {
    std::string type;
    std::uint64_t events = 0;
    GlobalPosition first;
  };

  void take_schema(const EventView& event);
  void take_definition(const EventView& event);

  std::map<std::string, std::map<std::uint32_t, SchemaId>> versions_;  // by subject, those there are
  std::vector<Upcaster> with_schema_;
  std::vector<Upcaster> withdrawn_;
  std::unordered_map<std::uint32_t, std::vector<Uses>> uses_;  // by schema; most are used by one type
};

}  // namespace cairn
