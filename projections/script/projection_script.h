#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/script_error.h"

namespace cairn {

class FieldRecorder;

// What a script declares: the events that it processes.
struct ProjectionHeader {
  std::vector<std::string> categories;  // in the order of the script, each once; empty = all
  std::vector<std::string> types;       // the handled types in ascending order; at least one
  bool has_key = false;                 // it has a key function; otherwise the key is the stream
};

// A script that returned projection {from, key, on}, loaded and ready to be called. Not thread-safe: one
// thread at a time.
class ProjectionScript {
 public:
  // `file` is its name in error messages. `recorder` is attached to the state.
  static ScriptResult<ProjectionScript> load(std::string_view source, const std::string& file,
                                             LuaHost::Log log = {}, FieldRecorder* recorder = nullptr);

  const ProjectionHeader& header() const { return header_; }
  const std::string& file() const { return file_; }
  LuaHost& host() const { return *host_; }

  // Push the function key, or nil when there is none; and the table of handlers by type.
  // REQUIRES: inside LuaHost::run().
  void push_key() const;
  void push_handlers() const;

 private:
  ProjectionScript(std::unique_ptr<LuaHost> host, ProjectionHeader header, std::string file)
      : host_(std::move(host)), header_(std::move(header)), file_(std::move(file)) {}

  std::unique_ptr<LuaHost> host_;
  ProjectionHeader header_;
  std::string file_;
};

}  // namespace cairn
