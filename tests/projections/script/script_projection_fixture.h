#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "projections/script_projection.h"

namespace cairn::test {

// The text of a failure.
inline std::string text_of(const ApplyFault& fault) {
  if (const auto* script = std::get_if<ScriptError>(&fault)) return script->text();
  return "store: " + std::get<Error>(fault).message;
}

// Fixture of these tests: a script, some of its rows, and a sequence of events with JSON data.
class ScriptProjectionTest : public ::testing::Test {
 protected:
  void use(const std::string& source) {
    projection_ = made(source);
    rows_ = new_rows();
  }
  // A projection with one handler, for events of type "Added".
  void use_handler(const std::string& body, const std::string& more = "") {
    use("return projection {" + more + " on = { Added = function(row, event)\n" + body + "\nend } }");
  }

  const Projection& projection() { return *projection_; }
  ProjectionRows& rows() { return *rows_; }

  std::unique_ptr<ProjectionRows> new_rows() {
    auto made = projection_->make_rows();
    if (!made) {
      ADD_FAILURE() << made.error().text();
      return nullptr;
    }
    return *std::move(made);
  }

  // An event, which lives as long as the test; its position is the next one.
  struct Given {
    std::string stream;
    std::string type;
    std::string json;
    EventView event;
    ShapedEvent part;
  };
  const Given& given(std::string json, std::string type = "Added", std::string stream = "order-1") {
    auto& one = *given_.emplace_back(std::make_unique<Given>());
    one.stream = std::move(stream);
    one.type = std::move(type);
    one.json = std::move(json);
    one.event.position = {given_.size()};
    one.event.version = {given_.size()};
    one.event.stream = one.stream;
    one.event.type = one.type;
    one.event.recorded_at = {1'700'000'000'000'000};
    one.event.data = one.json;
    one.part.type = one.type;
    one.part.data = one.json;
    return one;
  }

  // "" on success, else the error.
  std::string apply(std::uint32_t slot, const Given& one) { return apply(rows(), slot, one); }
  static std::string apply(ProjectionRows& rows, std::uint32_t slot, const Given& one) {
    const auto applied = rows.apply(slot, one.event, one.part);
    return applied ? "" : text_of(applied.error());
  }
  std::string apply(std::uint32_t slot, const std::string& json) { return apply(slot, given(json)); }

  // The key, or the error.
  std::string key_of(const Given& one) { return key_of(rows(), one); }
  static std::string key_of(ProjectionRows& rows, const Given& one) {
    std::string key = "untouched";
    const auto keyed = rows.key_of(one.event, one.part, key);
    return keyed ? key : text_of(keyed.error());
  }

  // The bytes, or the error.
  std::string saved(std::uint32_t slot) { return saved(rows(), slot); }
  static std::string saved(ProjectionRows& rows, std::uint32_t slot) {
    std::string bytes = "before";
    if (const auto kept = rows.save(slot, bytes); !kept) {
      EXPECT_EQ(bytes, "before");
      return text_of(kept.error());
    }
    EXPECT_TRUE(bytes.starts_with("before"));
    return bytes.substr(6);
  }
  // The JSON, "" for no row, or the error.
  std::string row(std::uint32_t slot) {
    std::string bytes;
    if (const auto kept = rows().save(slot, bytes); !kept) return text_of(kept.error());
    if (bytes.empty()) return "";
    std::string json;
    const Status status = projection().append_json(bytes, json);
    return status ? json : status.error().message;
  }

  static std::shared_ptr<const Projection> made(const std::string& source) {
    ProjectionDefinition definition;
    definition.name = "test";
    definition.source = source;
    auto made = make_script_projection(definition);
    if (!made) {
      ADD_FAILURE() << made.error().text();
      return nullptr;
    }
    return *std::move(made);
  }

 private:
  std::shared_ptr<const Projection> projection_;
  std::unique_ptr<ProjectionRows> rows_;
  std::vector<std::unique_ptr<Given>> given_;
};

}  // namespace cairn::test
