#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/event_store.h"
#include "tools/bench/temp_folder.h"

namespace cairn::bench {

// A store that a benchmark works on, with the folder it lies in. A temporary folder is removed with it.
class BenchStore {
 public:
  // A new, empty store in `folder`, or in a temporary folder when that is empty. Refuses a folder that
  // already has something in it: a benchmark must never write into somebody's store.
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

  // Declared before the store, so that the store is closed before its folder goes.
  std::optional<TempFolder> temporary_;
  std::filesystem::path folder_;
  std::unique_ptr<EventStore> store_;
};

}  // namespace cairn::bench
