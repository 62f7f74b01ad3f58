#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <lua.hpp>

#include "schemaregistry/codec/decode_plan.h"
#include "tests/schemaregistry/codec/codec_fixture.h"
#include "upcasters/lua/lua_host.h"
#include "upcasters/lua/sandbox.h"
#include "upcasters/values/lua_reader.h"
#include "upcasters/values/lua_writer.h"

namespace cairn::test {

// A host whose values a test checks with Lua expressions.
class LuaBench {
 public:
  explicit LuaBench(const LuaLimits& limits = {}) : host_(LuaHost::make(limits)) {}

  LuaHost& host() { return *host_; }

  // Runs the body; a Lua error is a failure of the test.
  template <typename Body>
  void run(Body&& body) {
    if (const auto ran = host_->run(body); !ran) ADD_FAILURE() << ran.error().message;
  }

  // The message of the error that ends the body; "" when none does.
  template <typename Body>
  std::string error_of(Body&& body) {
    const auto ran = host_->run(body);
    return ran ? "" : ran.error().message;
  }

  // Inside run(): pushes what a chunk of Lua returns, run in the environment of scripts. `arguments` are
  // popped from the stack and become its `...`.
  static void push(lua_State* state, const std::string& chunk, int arguments = 0) {
    if (luaL_loadbufferx(state, chunk.data(), chunk.size(), "=test", "t") != LUA_OK) {
      ADD_FAILURE() << lua_tostring(state, -1);
      lua_error(state);
    }
    sandbox::push_environment(state);
    lua_setupvalue(state, -2, 1);
    lua_insert(state, -1 - arguments);
    lua_call(state, arguments, 1);
  }

  // Inside run(): whether an expression is true of `v`, the value on top of the stack.
  static bool holds(lua_State* state, const std::string& expression) {
    lua_pushvalue(state, -1);
    push(state, "local v = ...; return (" + expression + ")", 1);
    const bool is_true = lua_isboolean(state, -1) && lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
    return is_true;
  }

 private:
  std::unique_ptr<LuaHost> host_;
};

// One schema with a reader and a writer of Lua values.
class LuaCodec : public LuaBench {
 public:
  explicit LuaCodec(std::string_view schema, const LuaLimits& limits = {})
      : LuaBench(limits), codec_(schema), plan_(plan_of(codec_.schema(), codec_.schema())) {
    auto writer = LuaWriter::make(host(), codec_.schema());
    EXPECT_THAT(writer, succeeds());
    writer_ = *std::move(writer);
    reader_ = std::make_unique<LuaReader>(host(), plan_);
  }

  const Codec& codec() const { return codec_; }
  LuaReader& reader() { return *reader_; }
  LuaWriter& writer() { return *writer_; }

  static DecodePlan plan_of(const Schema& from, const Schema& to) {
    auto plan = DecodePlan::compile(from, to);
    EXPECT_THAT(plan, succeeds());
    return *std::move(plan);
  }

  // Whether the expression is true of `v`, the Lua value of the JSON, encoded as Avro and decoded.
  bool reads(std::string_view json, const std::string& expression) {
    bool is_true = false;
    run([&](lua_State* state) {
      EXPECT_THAT(reader_->push(codec_.encode(json)), succeeds());
      is_true = holds(state, expression);
    });
    return is_true;
  }

  // The encoded value that a chunk returns, as JSON and as hexadecimal bytes. A fault is a failure of the
  // test.
  std::string writes(const std::string& chunk) {
    const std::string bytes = written(chunk);
    return bytes == "?" ? bytes : codec_.decode(bytes);
  }
  std::string hex(const std::string& chunk) { return to_hex(written(chunk)); }

  // "path: expected, found" of each fault.
  std::vector<std::string> complaints(const std::string& chunk) {
    std::vector<std::string> texts;
    run([&](lua_State* state) {
      push(state, chunk);
      std::string bytes = "kept";
      const int top = lua_gettop(state);
      for (const DataFault& fault : writer_->write(-1, bytes)) {
        texts.push_back(fault.path + ": " + fault.expected + ", " + fault.found);
      }
      EXPECT_EQ(lua_gettop(state), top);
      EXPECT_TRUE(texts.empty() || bytes == "kept") << "a failure leaves the output alone";
    });
    return texts;
  }

  // Reads the Avro bytes into Lua, lets a chunk change `v`, and writes it again.
  std::string rewritten(std::string_view avro, const std::string& chunk = "return ...") {
    std::string bytes;
    run([&](lua_State* state) {
      EXPECT_THAT(reader_->push(avro), succeeds());
      push(state, chunk, 1);
      for (const DataFault& fault : writer_->write(-1, bytes)) {
        ADD_FAILURE() << fault.path << ": " << fault.expected << ", " << fault.found;
      }
    });
    return bytes;
  }

  // JSON to Avro to Lua to Avro to JSON.
  std::string round_trip(std::string_view json) { return codec_.decode(rewritten(codec_.encode(json))); }

 private:
  std::string written(const std::string& chunk) {
    std::string bytes;
    run([&](lua_State* state) {
      push(state, chunk);
      for (const DataFault& fault : writer_->write(-1, bytes)) {
        ADD_FAILURE() << chunk << ": " << fault.path << ": " << fault.expected << ", " << fault.found;
        bytes = "?";
      }
    });
    return bytes;
  }

  Codec codec_;
  DecodePlan plan_;
  std::unique_ptr<LuaWriter> writer_;
  std::unique_ptr<LuaReader> reader_;
};

// The faults of the value that the chunk returns, encoded with the schema.
inline std::vector<std::string> complaints(std::string_view schema, const std::string& chunk) {
  return LuaCodec(schema).complaints(chunk);
}

}  // namespace cairn::test
