#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/event_store.h"
#include "tools/bench/temp_folder.h"

namespace cairn::bench {

// Fails with kFailedPrecondition when the folder has something in it: a benchmark writes to new folders only.
Status check_new_folder(const std::filesystem::path& folder);

// A store for a benchmark, with its folder. A temporary folder is removed with it.
class BenchStore {
 public:
  // A new, empty store in `folder`, or in a temporary folder when `folder` is "". Fails when the folder is
  // not empty: a benchmark must not write into an existing store.
  static Result<BenchStore> make_new(const std::filesystem::path& folder, const StoreOptions& options = {});

  static Result<BenchStore> open_existing(const std::filesystem::path& folder,
                                          const StoreOptions& options = {});

  // Closes and opens again, as after a restart: the tail is empty if the index was flushed.
  Status reopen(const StoreOptions& options = {});
  void close() { store_.reset(); }

  // REQUIRES: not closed.
  EventStore& store() const { return *store_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  BenchStore() = default;

  // Declared before the store, so that the store is closed before its folder is removed.
  std::optional<TempFolder> temporary_;
  std::filesystem::path folder_;
  std::unique_ptr<EventStore> store_;
};

}  // namespace cairn::bench
