#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "projections/readmodel/read_model.h"

namespace cairn {

// Read models that other processes write, open for reading. One is open once, however many use it, because
// LMDB takes its locks for the whole process: closing one of two would end those of the other. Any thread.
class SharedModels {
 public:
  // The model in `folder`, which closes when nobody has it any more. Fails as LmdbReadModel::open() does.
  Result<std::shared_ptr<ReadModel>> open(const std::filesystem::path& folder);

 private:
  // By device and inode: a folder that was removed and made anew is another one.
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  struct State {
    std::mutex mutex;
    std::condition_variable closed;
    std::map<Key, std::weak_ptr<ReadModel>> models;  // until they are closed
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace cairn
