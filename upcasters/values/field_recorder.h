#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

struct lua_State;

namespace cairn {

class LuaHost;

// Records which members of events a script reads, for a trial of the script. The script runs in a state of its own:
// there the tables of an event are proxies, empty tables whose metatables note each read and pass it on. The results
// of that state are not used, because a proxy is not a plain table everywhere: one that is put into a row cannot be
// saved. The state that gives the results has no proxies. Not thread-safe.
//
// A read is noted for [] and the dot, pairs, ipairs, next, #, rawget, rawlen, unpack and the functions of `table`. A
// function that takes a whole table counts as a read of each of its members.
class FieldRecorder {
 public:
  static constexpr std::size_t kTypesMax = 1'000;
  static constexpr std::size_t kPathsMax = 200;  // of one type: a map may have any number of names
  static constexpr std::size_t kPathBytesMax = 200;

  FieldRecorder() = default;
  FieldRecorder(const FieldRecorder&) = delete;
  FieldRecorder& operator=(const FieldRecorder&) = delete;

  // Prepares a new state. REQUIRES: no script is loaded yet; the recorder outlives the host.
  void attach(LuaHost& host);

  // The type of the event that is passed to the script next.
  void begin(std::string_view type) { type_ = type; }

  // Replaces the event's table on top of the stack by a proxy. REQUIRES: inside LuaHost::run(), after attach().
  void wrap_event(lua_State* state) { wrap(state, ""); }
  // The same for the data alone, which an upcaster gets as its first argument.
  void wrap_data(lua_State* state) { wrap(state, "data"); }

  // "data.customer", "data.items[].sku", "metadata.user", "stream", by type. Members of a path that was read
  // further are not listed on their own.
  std::map<std::string, std::set<std::string>> fields() const;

  // Members of `data` that were read, and that no event of the type had.
  std::map<std::string, std::set<std::string>> absent_fields() const;

 private:
  using Paths = std::map<std::string, bool, std::less<>>;  // whether an event had it

  static void push_proxy(lua_State* state, int table, const char* path, std::size_t size);
  static FieldRecorder& of(lua_State* state);
  static int read_member(lua_State* state);
  static int set_member(lua_State* state);
  static int length(lua_State* state);
  static int pairs(lua_State* state);
  static int call_with_tables(lua_State* state);
  static void note_member(lua_State* state, int path, int key, bool found);
  static void push_member_path(lua_State* state, int path, int key);

  void wrap(lua_State* state, std::string_view path);
  void note(std::string_view path, bool found);

  std::string type_;
  std::map<std::string, Paths> read_;
};

}  // namespace cairn
