#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemaregistry/registry/registry_queries.h"
#include "schemaregistry/registry/schema_registry.h"
#include "tests/support/store_fixture.h"

namespace cairn {

template <typename T>
void PrintTo(const RegistryResult<T>& result, std::ostream* out) {
  if (result.ok()) {
    *out << "success";
  } else {
    *out << result.error().code << " \"" << result.error().message << "\"";
  }
}

}  // namespace cairn

namespace cairn::test {

// A RegistryResult that was refused with this code, which also decides the status.
MATCHER_P(is_refused, code, "is refused with " + ::testing::PrintToString(code)) {
  return !arg.ok() && arg.error().code == code && arg.error().status == (code > 999 ? code / 100 : code);
}
MATCHER_P2(is_refused, code, message, "") {
  return !arg.ok() && arg.error().code == code && arg.error().message == message;
}
MATCHER_P(answers, value, "answers " + ::testing::PrintToString(value)) { return arg.ok() && *arg == value; }
MATCHER(is_taken, "is not refused") { return arg.ok(); }

// {"type":"record","name":"Order","fields":[{"name":"id","type":"long"},…]} with one optional long for each
// name.
inline std::string order(const std::vector<std::string>& optional_fields = {}) {
  std::string text = R"({"type":"record","name":"Order","fields":[{"name":"id","type":"long"})";
  for (const std::string& name : optional_fields)
    text += R"(,{"name":")" + name + R"(","type":"long","default":0})";
  return text + "]}";
}

// The same with a required field that earlier data does not have.
inline std::string incompatible_order() {
  return R"({"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"must","type":"string"}]})";
}

inline ReferenceInput refers(std::string name, std::string subject, std::optional<std::uint32_t> version) {
  return {std::move(name), std::move(subject), version};
}

using Numbers = std::vector<std::uint32_t>;

// The vocabulary of the registry's tests.
class RegistryTest : public StoreTest {
 protected:
  SchemaRegistry& registry() {
    if (!registry_) {
      auto opened = SchemaRegistry::open(store());
      EXPECT_THAT(opened, succeeds());
      registry_ = *std::move(opened);
    }
    return *registry_;
  }
  // The store is closed and opened, and everything read again.
  void restart() {
    registry_.reset();
    reopen();
  }

  RegistryResult<SchemaId> submit_schema(const std::string& subject, const std::string& text,
                                         std::vector<ReferenceInput> references = {},
                                         Normalize normalize = Normalize::kNo) {
    return registry().register_schema({subject,
                                       {text, std::move(references)},
                                       normalize,
                                       CheckCompatibility::kYes,
                                       std::nullopt,
                                       std::nullopt});
  }
  RegistryResult<SchemaId> import_schema(const std::string& subject, const std::string& text,
                                         std::uint32_t id,
                                         std::optional<std::uint32_t> version = std::nullopt) {
    return registry().register_schema(
        {subject, {text, {}}, Normalize::kNo, CheckCompatibility::kYes, SchemaId{id}, version});
  }
  // The id; 0 and a failure when it was refused.
  std::uint32_t registered(const std::string& subject, const std::string& text,
                           std::vector<ReferenceInput> references = {}) {
    const auto id = submit_schema(subject, text, std::move(references));
    EXPECT_THAT(id, is_taken());
    return id.ok() ? id->value : 0;
  }

  auto soft_delete(const std::string& subject) { return registry().delete_subject(subject, Permanent::kNo); }
  auto hard_delete(const std::string& subject) { return registry().delete_subject(subject, Permanent::kYes); }
  auto soft_delete(const std::string& subject, std::optional<std::uint32_t> version) {
    return registry().delete_version(subject, version, Permanent::kNo);
  }
  auto hard_delete(const std::string& subject, std::optional<std::uint32_t> version) {
    return registry().delete_version(subject, version, Permanent::kYes);
  }

  // The versions shown; none when the subject is not found.
  Numbers versions(const std::string& subject, Shown shown = Shown::kLive) {
    const auto found =
        registry().read([&](const RegistryState& state) { return list_versions(state, subject, shown); });
    Numbers numbers;
    if (!found.ok()) {
      EXPECT_THAT(found, is_refused(40401));
      return numbers;
    }
    for (const FoundVersion& one : *found) numbers.push_back(one.version);
    return numbers;
  }
  std::vector<std::string> subjects(Shown shown = Shown::kLive, const std::string& prefix = "") {
    return *registry().read([&](const RegistryState& state) -> RegistryResult<std::vector<std::string>> {
      return list_subjects(state, prefix, shown);
    });
  }
  RegistryResult<FoundVersion> find(const std::string& subject,
                                    std::optional<std::uint32_t> version = std::nullopt,
                                    Deleted hidden = Deleted::kLeftOut) {
    return registry().read(
        [&](const RegistryState& state) { return find_version(state, subject, version, hidden); });
  }
  std::uint32_t id_of(const std::string& subject, std::optional<std::uint32_t> version = std::nullopt) {
    const auto found = find(subject, version, Deleted::kIncluded);
    return found.ok() ? found->schema->id.value : 0;
  }
  RegistryResult<FoundVersion> look_up_schema(const std::string& subject, const std::string& text,
                                              Normalize normalize = Normalize::kNo,
                                              Deleted hidden = Deleted::kLeftOut) {
    return registry().read([&](const RegistryState& state) {
      return look_up(state, subject, {text, {}}, normalize, hidden);
    });
  }
  RegistryResult<std::shared_ptr<const StoredSchema>> served_by_id(std::uint32_t id) {
    return registry().read([&](const RegistryState& state) { return find_schema(state, SchemaId{id}); });
  }
  RegistryResult<std::vector<std::string>> test_with(const std::string& subject,
                                                     std::optional<std::uint32_t> version,
                                                     const std::string& text) {
    return registry().read([&](const RegistryState& state) {
      return test_compatibility_with(state, subject, version, {text, {}}, Normalize::kNo);
    });
  }

 private:
  std::unique_ptr<SchemaRegistry> registry_;
};

}  // namespace cairn::test
