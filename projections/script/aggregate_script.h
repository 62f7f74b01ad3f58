#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/script_error.h"

namespace cairn {

class FieldRecorder;

// What a script declares.
struct AggregateHeader {
  std::string category;
  std::uint64_t snapshot_every = 0;  // events between automatic snapshots; 0 = none
};

// If the script does not set it. Folding this many events takes less than a millisecond.
inline constexpr std::uint64_t kSnapshotEveryDefault = 100;
inline constexpr std::uint64_t kSnapshotEveryMax = 1'000'000;

// A script that returned aggregate {category, snapshot_every, initial, on}, loaded and ready to be called.
// Not thread-safe: one thread at a time.
class AggregateScript {
 public:
  // `file` is its name in error messages. `recorder` is attached to the state.
  static ScriptResult<AggregateScript> load(std::string_view source, const std::string& file,
                                            LuaHost::Log log = {}, FieldRecorder* recorder = nullptr);

  const AggregateHeader& header() const { return header_; }
  const std::string& file() const { return file_; }
  LuaHost& host() const { return *host_; }

  // Push the function initial, or nil when there is none; and the table of handlers by type.
  // REQUIRES: inside LuaHost::run().
  void push_initial() const;
  void push_handlers() const;

 private:
  AggregateScript(std::unique_ptr<LuaHost> host, AggregateHeader header, std::string file)
      : host_(std::move(host)), header_(std::move(header)), file_(std::move(file)) {}

  std::unique_ptr<LuaHost> host_;
  AggregateHeader header_;
  std::string file_;
};

}  // namespace cairn
