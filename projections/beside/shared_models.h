#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "eventstore/base/mutex.h"
#include "projections/readmodel/read_model.h"

namespace cairn {

// Read models that another process writes, open for reading. Each is open once in this process, however many
// views use it: LMDB's locks belong to the process, and closing one of two environments of the same file
// would release the locks of the other. Thread-safe.
class SharedModels {
 public:
  // The model in `folder`, which closes with its last reference; waits while another thread closes it.
  // kNotFound: there is none. Else fails as LmdbReadModel::open() does.
  Result<std::shared_ptr<ReadModel>> open(const std::filesystem::path& folder);

 private:
  // Device and inode: a folder that was removed and created again is another model.
  using Key = std::pair<std::uint64_t, std::uint64_t>;

  struct State {
    Mutex mutex;
    CondVar closed;
    std::map<Key, std::weak_ptr<ReadModel>> models CAIRN_GUARDED_BY(mutex);  // until they are closed
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace cairn
