#include "projections/beside/shared_models.h"

#include "projections/beside/file_mark.h"
#include "projections/readmodel/lmdb_read_model.h"

namespace cairn {

Result<std::shared_ptr<ReadModel>> SharedModels::open(const std::filesystem::path& folder) {
  const auto mark = FileMark::of(folder / "data.mdb");
  if (!mark) return make_error(Errc::kNotFound, "there is no read model in " + folder.string());
  const Key key(mark->device, mark->inode);
  std::unique_lock lock(state_->mutex);
  while (true) {
    const auto known = state_->models.find(key);
    if (known == state_->models.end()) break;
    if (auto model = known->second.lock()) return model;
    state_->closed.wait(lock);  // The last one who had it is just closing it.
  }
  CAIRN_TRY(auto opened, LmdbReadModel::open(folder, LmdbReadModel::Access::kReadOnly));
  const auto close = [state = state_, key](ReadModel* model) {
    const std::lock_guard closing(state->mutex);
    delete model;
    state->models.erase(key);
    state->closed.notify_all();
  };
  std::shared_ptr<ReadModel> model(opened.release(), close);
  state_->models[key] = model;
  return model;
}

}  // namespace cairn
