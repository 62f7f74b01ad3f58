#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "projections/daemon/projection_daemon.h"
#include "schemaregistry/registry/schema_registry.h"
#include "tools/bench/bench_store.h"
#include "tools/bench/compare/purchases.h"
#include "tools/bench/process_memory.h"
#include "upcasters/event_shapes.h"

namespace cairn::bench {

// A store of purchases, and a daemon of two threads that counts and adds them up by customer, with a
// projection in Lua and with one in C++.
class PurchaseStore {
 public:
  static constexpr const char* kLua = "lua";
  static constexpr const char* kCpp = "cpp";

  // Both read models are built once when it returns.
  static Result<std::unique_ptr<PurchaseStore>> make_new(const std::filesystem::path& folder,
                                                         const Purchases& purchases);

  // Builds a read model anew. Returns events a second, from the command until the new rows answer.
  Result<double> rebuild(const std::string& projection);

  // The rows by customer; kCorruption when there is one too many.
  Result<std::vector<Purchases::Totals>> totals(const std::string& projection);

  // What this process had more when a read model was built for the first time than before.
  struct Growth {
    std::int64_t anonymous = 0;
    std::int64_t file = 0;
  };
  Growth growth_lua() const { return growth_lua_; }
  Growth growth_cpp() const { return growth_cpp_; }

 private:
  PurchaseStore(BenchStore bench, const Purchases& purchases)
      : bench_(std::move(bench)), purchases_(purchases) {}
  Status fill();
  Result<Growth> start_cpp();
  Result<Growth> deploy_lua();
  Status wait_until_built(const std::string& projection, std::uint64_t generation);

  BenchStore bench_;
  const Purchases purchases_;
  std::unique_ptr<SchemaRegistry> registry_;
  std::unique_ptr<EventShapes> shapes_;
  std::unique_ptr<ProjectionDaemon> daemon_;
  Growth growth_lua_;
  Growth growth_cpp_;
};

}  // namespace cairn::bench
