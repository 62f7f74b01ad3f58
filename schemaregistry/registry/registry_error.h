#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "eventstore/base/assert.h"
#include "eventstore/base/error.h"
#include "eventstore/types.h"

namespace cairn {

// Why the registry refuses. Clients of schema registries decide by the code (40401: no such subject), so the
// code is the meaning; the message is what they show to people.
struct RegistryError {
  int code = 0;    // 40401, …
  int status = 0;  // of HTTP
  std::string message;
};

// What went wrong in the store below the registry.
RegistryError store_failed(const Error& error);

RegistryError subject_not_found(std::string_view subject);
RegistryError version_not_found(std::string_view version);
RegistryError schema_not_found();
RegistryError schema_not_found(std::string_view id);
RegistryError subject_soft_deleted(std::string_view subject);
RegistryError subject_not_soft_deleted(std::string_view subject);
RegistryError version_soft_deleted(std::string_view subject, std::uint32_t version);
RegistryError version_not_soft_deleted(std::string_view subject, std::uint32_t version);
RegistryError config_not_found(std::string_view subject);
RegistryError mode_not_found(std::string_view subject);
RegistryError incompatible_schema(std::string_view subject, std::string_view messages);
RegistryError invalid_schema(std::string_view reason);
RegistryError invalid_version(std::string_view version);
RegistryError invalid_compatibility_level();
RegistryError invalid_mode();
RegistryError not_permitted(std::string message);
RegistryError reference_exists(std::string_view subject, std::uint32_t version);
RegistryError id_does_not_match(SchemaId known, SchemaId given);
RegistryError invalid_subject(std::string_view subject);
RegistryError schema_too_large(std::string_view reason);
RegistryError context_not_empty(std::string_view context);

// A value, or why the registry refuses. CAIRN_TRY and CAIRN_CHECK work with it as with Result.
template <typename T>
class [[nodiscard]] RegistryResult {
 public:
  RegistryResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  RegistryResult(RegistryError error) : state_(std::in_place_index<1>, std::move(error)) {}
  RegistryResult(const Error& error) : RegistryResult(store_failed(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() & {
    CAIRN_ASSERT(ok(), error_message());
    return std::get<0>(state_);
  }
  const T& operator*() const& {
    CAIRN_ASSERT(ok(), error_message());
    return std::get<0>(state_);
  }
  T&& operator*() && {
    CAIRN_ASSERT(ok(), error_message());
    return std::get<0>(std::move(state_));
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  const RegistryError& error() const& {
    CAIRN_ASSERT(!ok());
    return std::get<1>(state_);
  }
  RegistryError&& error() && {
    CAIRN_ASSERT(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  const char* error_message() const { return ok() ? "" : std::get<1>(state_).message.c_str(); }

  std::variant<T, RegistryError> state_;
};

}  // namespace cairn
