#include "eventstore/copy/pages_check.h"

#include "eventstore/lmdb/file_check.h"
#include "eventstore/lmdb/lmdb_env.h"

namespace cairn {
namespace {

// The two meta pages are read one after the other, so a writer may commit, or enlarge the map, between the
// reads. Only a failure that persists is reported.
constexpr int kPageCheckAttemptsMax = 20;

// While a read transaction is open, LMDB does not reuse pages of its commit or of later ones. So the pages of
// whichever commit the check finds to be the newest do not change during the check.
Status check_pages_once(const std::filesystem::path& folder) {
  CAIRN_TRY(const auto env, lmdb::Env::open(folder, {.access = lmdb::Access::kReadOnly}));
  CAIRN_TRY(const lmdb::ReadTxn pinned, env->begin_read());
  return lmdb::check_trees(folder / "data.mdb", lmdb::TreeCheck::kAtOpen);
}

}  // namespace

Status check_pages_beside(const std::filesystem::path& folder) {
  Status status = check_pages_once(folder);
  for (int attempt = 1; attempt < kPageCheckAttemptsMax && !status.ok(); ++attempt)
    status = check_pages_once(folder);
  return status;
}

}  // namespace cairn
