#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "eventstore/base/mutex.h"
#include "upcasters/chain/chain.h"
#include "upcasters/chain/type_history.h"

namespace cairn {

// A cache of chains, each compiled once. Emptied whenever a schema or an upcaster changes. Thread-safe.
class Chains {
 public:
  // REQUIRES: `source` outlives it.
  explicit Chains(HistorySource& source) : source_(source) {}

  std::uint64_t changes() const { return source_.changes(); }

  // The chain that brings events of `type`, stored with a schema, into a shape. kNotFound as make_chain(),
  // and when there is no such schema.
  Result<std::shared_ptr<const Chain>> find(std::string_view type, SchemaId stored, Shape shape);

  // The version of a type that was the newest when the registry had this many changes: the one that an
  // upcaster deployed then produces. kNotFound when the type has no schema.
  Result<SubjectVersion> target_of(std::string_view type, std::uint64_t registry_changes);

 private:
  using Key = std::tuple<std::string, std::uint32_t, Shape::Kind, std::uint32_t>;

  HistorySource& source_;
  Mutex mutex_;
  std::uint64_t made_at_ CAIRN_GUARDED_BY(mutex_) = 0;  // source_.changes() when the chains were made
  std::map<Key, std::shared_ptr<const Chain>> chains_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
