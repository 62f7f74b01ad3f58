#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/script_error.h"

namespace cairn {

// What a script says of itself: which events it makes rows of.
struct ProjectionHeader {
  std::vector<std::string> categories;  // as they are given, each once; empty = all
  std::vector<std::string> types;       // those it has handlers for, rising; at least one
  bool has_key = false;                 // it says itself which row an event belongs to
};

// A script that returned projection {from, key, on}, loaded and ready to be called. Belongs to one thread at
// a time.
class ProjectionScript {
 public:
  // `file` is how errors call it.
  static std::variant<ProjectionScript, ScriptError> load(std::string_view source, const std::string& file,
                                                          LuaHost::Log log = {});

  const ProjectionHeader& header() const { return header_; }
  const std::string& file() const { return file_; }
  LuaHost& host() const { return *host_; }

  // Pushes the function key, or nil where there is none; the table of handlers by type.
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
