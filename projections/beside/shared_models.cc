#include "projections/beside/shared_models.h"

#include "projections/beside/file_mark.h"
#include "projections/readmodel/lmdb_read_model.h"

namespace cairn {

Result<std::shared_ptr<ReadModel>> SharedModels::open(const std::filesystem::path& folder) {
  const auto mark = FileMark::of(folder / "data.mdb");
  if (!mark) return make_error(Errc::kNotFound, "there is no read model in " + folder.string());
  const Key key(mark->device, mark->inode);
  State& state = *state_;
  MutexLock lock(state.mutex);
  while (true) {
    const auto known = state.models.find(key);
    if (known == state.models.end()) break;
    if (auto model = known->second.lock()) return model;
    state.closed.wait(lock);  // Its last reference is gone, and another thread is about to close it.
  }
  CAIRN_TRY(auto opened, LmdbReadModel::open(folder, LmdbReadModel::Access::kReadOnly));
  const auto close = [shared = state_, key](ReadModel* gone) {
    State& from = *shared;
    const MutexLock closing(from.mutex);
    delete gone;
    from.models.erase(key);
    from.closed.notify_all();
  };
  std::shared_ptr<ReadModel> model(opened.release(), close);
  state.models[key] = model;
  return model;
}

}  // namespace cairn
