#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eventstore/base/mutex.h"
#include "projections/beside/file_mark.h"
#include "projections/beside/shared_models.h"
#include "projections/projection.h"
#include "projections/runner/projection_folder.h"

namespace cairn {

// One generation of a projection that another process builds.
struct ReadOnlyGeneration {
  std::uint64_t number = 0;
  std::shared_ptr<ReadModel> model;
  std::shared_ptr<const Projection> projection;  // turns its rows into JSON
  std::string shapes;                            // shapes_mark() when it was started
};

// A projection as one version of its record describes it. Immutable.
struct ReadOnlyView {
  ProjectionRecord record;
  std::optional<ReadOnlyGeneration> live;
  std::optional<ReadOnlyGeneration> building;
  std::string fault;  // why the live generation cannot be read; empty when it can, or there is none
};

// The folder of a projection that another process builds: which generation is live there, and its rows.
// Thread-safe.
//
// Invariant: a view names generations of one version of the record, and they stay readable for as long as the
// view is held, also after the other process has removed their files.
class ReadOnlyProjection {
 public:
  // Compiles the projection that a generation was built with; nullptr when this program cannot.
  using Maker = std::function<std::shared_ptr<const Projection>(const ProjectionRecord::Code& code)>;

  // REQUIRES: `models` outlives it.
  ReadOnlyProjection(SharedModels& models, std::filesystem::path folder, std::string store_id, Maker make)
      : models_(models), folder_(std::move(folder)), store_id_(std::move(store_id)), make_(std::move(make)) {}

  // The projection as of at most 20 ms ago. Never nullptr; the record is empty before anything was built.
  std::shared_ptr<const ReadOnlyView> view() CAIRN_EXCLUDES(mutex_);

 private:
  // A view may be this old. A stat(2) is cheap, but every row that is queried would pay for it.
  static constexpr std::chrono::milliseconds kCheckEvery{20};

  std::shared_ptr<const ReadOnlyView> read() CAIRN_REQUIRES(mutex_);
  Result<ReadOnlyGeneration> open(const ProjectionRecord& record, std::uint64_t number);

  SharedModels& models_;
  const std::filesystem::path folder_;
  const std::string store_id_;
  const Maker make_;

  Mutex mutex_;
  std::shared_ptr<const ReadOnlyView> view_ CAIRN_GUARDED_BY(mutex_);
  std::optional<FileMark> mark_ CAIRN_GUARDED_BY(mutex_);  // of the record that the view was made from
  bool is_certain_ CAIRN_GUARDED_BY(mutex_) = false;       // else the record is read again at the next check
  std::chrono::steady_clock::time_point checked_at_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn
