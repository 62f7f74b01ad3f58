#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/compare/bench_engine.h"
#include "tools/bench/compare/purchases.h"
#include "tools/bench/process_memory.h"

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

  // Rebuilds a read model. Returns events per second, from the command until the new rows are live.
  Result<double> rebuild(const std::string& projection);

  // The rows by customer; kCorruption when there is one too many.
  Result<std::vector<Purchases::Totals>> totals(const std::string& projection);

  // The growth of this process's memory by the first build of a read model.
  struct Growth {
    std::int64_t anonymous = 0;
    std::int64_t file = 0;
  };
  Growth growth_lua() const { return growth_lua_; }
  Growth growth_cpp() const { return growth_cpp_; }

 private:
  PurchaseStore(std::unique_ptr<Engine> engine, const Purchases& purchases)
      : engine_(std::move(engine)), purchases_(purchases) {}
  Status fill();
  Result<Growth> start_cpp();
  Result<Growth> deploy_lua();
  Status wait_until_built(const std::string& projection, std::uint64_t generation);

  std::unique_ptr<Engine> engine_;
  const Purchases purchases_;
  Growth growth_lua_;
  Growth growth_cpp_;
};

}  // namespace cairn::bench
