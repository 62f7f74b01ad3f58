#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "eventstore/tables/table_store.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// A read model in an LMDB environment, which has its own folder.
class LmdbReadModel final : public ReadModel {
 public:
  using Access = TableStore::Access;

  // create() makes the folder with this suffix and renames it when it is durable. A folder that still has the
  // suffix was never finished and can be removed.
  static constexpr const char* kUnfinishedSuffix = ".new";

  // Makes an empty read model at position 0. kFailedPrecondition: `folder` exists and is not empty.
  static Result<std::unique_ptr<LmdbReadModel>> create(const std::filesystem::path& folder,
                                                       const ReadModelIdentity& identity);

  // kNotFound: there is none. kFailedPrecondition: its format is unknown. kCorruption: it is damaged. Opening
  // for writing verifies all rows, unless they are so many that it would take long; damage in those is
  // reported when they are read. Other processes may read while one writes, and see each of its commits.
  static Result<std::unique_ptr<LmdbReadModel>> open(const std::filesystem::path& folder, Access access);

  const ReadModelIdentity& identity() const override { return identity_; }
  Status commit(const ReadModelChange& change) override;
  Result<GlobalPosition> checkpoint() override;
  Status load(const std::vector<std::string_view>& keys,
              const std::function<void(std::size_t, std::string_view)>& found) override;
  Result<std::pair<GlobalPosition, std::optional<std::string>>> row(std::string_view key) override;
  Result<SavedRows> rows(const SavedRowsQuery& query) override;
  Result<std::vector<ParkedEntry>> parked(const std::optional<ParkedPlace>& after,
                                          std::size_t limit) override;
  Result<std::optional<ParkedEntry>> find_parked(const ParkedPlace& place) override;
  Result<std::vector<GlobalPosition>> waiting(const ParkedPlace& place, GlobalPosition from,
                                              std::size_t limit) override;
  Result<ReadModelSize> size() override;

 private:
  LmdbReadModel() = default;

  std::unique_ptr<TableStore> tables_;
  ReadModelIdentity identity_;
  std::atomic<std::uint64_t> commits_ = 0;
};

}  // namespace cairn
