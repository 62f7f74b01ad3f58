#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "upcasters/chain/chain.h"
#include "upcasters/chain/type_history.h"

namespace cairn {

// The chains in use, each made once. What was made before something changed is forgotten. Any thread.
class Chains {
 public:
  // REQUIRES: `source` outlives it.
  explicit Chains(HistorySource& source) : source_(source) {}

  std::uint64_t changes() const { return source_.changes(); }

  // How events of `type` that were stored with a schema come into a shape. kNotFound as make_chain(), and
  // when there is no such schema.
  Result<std::shared_ptr<const Chain>> find(std::string_view type, SchemaId stored, Shape shape);

  // The version of a type which an upcaster that was made at this change of the registry turns events into,
  // or kNotFound.
  Result<SubjectVersion> target_of(std::string_view type, std::uint64_t registry_changes);

 private:
  using Key = std::tuple<std::string, std::uint32_t, Shape::Kind, std::uint32_t>;

  HistorySource& source_;
  std::mutex mutex_;
  std::uint64_t made_at_ = 0;
  std::map<Key, std::shared_ptr<const Chain>> chains_;
};

}  // namespace cairn
