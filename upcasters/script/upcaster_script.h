#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/script_error.h"
#include "upcasters/model/upcaster.h"

namespace cairn {

// A script that returned upcaster {type, from, to, upcast}, loaded and ready to be called. Belongs to one
// thread at a time.
class UpcasterScript {
 public:
  // `file` is how errors call it.
  static std::variant<UpcasterScript, ScriptError> load(std::string_view source, const std::string& file,
                                                        LuaHost::Log log = {});

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

// Whether events can be of a type of that name. Scripts can say anything.
bool can_be_type_name(std::string_view name);

// A script has at most this many bytes.
inline constexpr std::size_t kScriptBytesMax = 1u << 20;

}  // namespace cairn
