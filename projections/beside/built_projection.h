#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "projections/beside/file_mark.h"
#include "projections/beside/shared_models.h"
#include "projections/projection.h"
#include "projections/runner/projection_folder.h"

namespace cairn {

// One generation of a projection that another process builds, and what its rows are shown with.
struct BuiltGeneration {
  std::uint64_t number = 0;
  std::shared_ptr<ReadModel> model;
  std::shared_ptr<const Projection> projection;
  std::string shapes;  // shapes_mark() when it was begun
};

// A projection as its record was at one moment. Does not change.
struct BuiltView {
  ProjectionRecord record;
  std::optional<BuiltGeneration> live;
  std::optional<BuiltGeneration> building;
  std::string fault;  // why the live one cannot be read; empty when there is none
};

// The folder of a projection that another process builds: which generation is live there, and its rows. Any
// thread.
//
// What holds: a view names generations that were named by one record, and whoever has a view can read them
// for as long as he likes, also when the other process has removed their files.
class BuiltProjection {
 public:
  using Maker = std::function<std::shared_ptr<const Projection>(const ProjectionRecord::Code& code)>;

  // REQUIRES: `models` outlives it.
  BuiltProjection(SharedModels& models, std::filesystem::path folder, std::string store_id, Maker make)
      : models_(models), folder_(std::move(folder)), store_id_(std::move(store_id)), make_(std::move(make)) {}

  // How it is, or was some milliseconds ago. Never nullptr; an empty record when nothing was built yet.
  std::shared_ptr<const BuiltView> look();

 private:
  // So old may be what is said. A stat costs little, but each row that is asked for would pay it.
  static constexpr std::chrono::milliseconds kLookEvery{20};

  std::shared_ptr<const BuiltView> read();
  Result<BuiltGeneration> open(const ProjectionRecord& record, std::uint64_t number);

  SharedModels& models_;
  const std::filesystem::path folder_;
  const std::string store_id_;
  const Maker make_;

  std::mutex mutex_;
  std::shared_ptr<const BuiltView> view_;
  std::optional<FileMark> mark_;  // of the record that the view was made from
  bool is_certain_ = false;       // else it is read again at the next look
  std::chrono::steady_clock::time_point looked_at_;
};

}  // namespace cairn
