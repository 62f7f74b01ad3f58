#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

class FieldRecorder;

// A loaded script that returned upcaster {type, from, to, upcast}. Not thread-safe.
class UpcasterScript {
 public:
  // `file` is its name in errors. `recorder` is attached to the state.
  static ScriptResult<UpcasterScript> load(std::string_view source, const std::string& file,
                                           LuaHost::Log log = {}, FieldRecorder* recorder = nullptr);

  const UpcasterHeader& header() const { return header_; }
  LuaHost& host() const { return *host_; }

  // Pushes the function upcast. REQUIRES: inside LuaHost::run().
  void push_function() const;
  bool takes_event() const { return takes_event_; }  // whether it has a second parameter

 private:
  UpcasterScript(std::unique_ptr<LuaHost> host, UpcasterHeader header, bool takes_event)
      : host_(std::move(host)), header_(std::move(header)), takes_event_(takes_event) {}

  std::unique_ptr<LuaHost> host_;
  UpcasterHeader header_;
  bool takes_event_;
};

// Whether the text is a valid name of an event type.
bool can_be_type_name(std::string_view name);

// The size limit of a script.
inline constexpr std::size_t kScriptBytesMax = 1u << 20;

}  // namespace cairn
