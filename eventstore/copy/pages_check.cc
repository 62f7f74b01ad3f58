#include "eventstore/copy/pages_check.h"

#include "eventstore/lmdb/file_check.h"
#include "eventstore/lmdb/lmdb_env.h"

namespace cairn {
namespace {

// The two meta pages are read one after the other, and beside a writer they may be of different times; and it
// may enlarge the map just then. So a failure is believed when it stays.
constexpr int kPageLooksMax = 20;

// While a read transaction is open, LMDB does not use a page again that belongs to its commit or a later one:
// of whatever commit the check finds to be the newest, the pages stay as they are.
Status look_at_pages(const std::filesystem::path& folder) {
  CAIRN_TRY(const auto env, lmdb::Env::open(folder, {.access = lmdb::Access::kReadOnly}));
  CAIRN_TRY(const lmdb::ReadTxn pinned, env->begin_read());
  return lmdb::check_trees(folder / "data.mdb", lmdb::TreeCheck::kAtOpen);
}

}  // namespace

Status check_pages_beside(const std::filesystem::path& folder) {
  Status status = look_at_pages(folder);
  for (int look = 1; look < kPageLooksMax && !status.ok(); ++look) status = look_at_pages(folder);
  return status;
}

}  // namespace cairn
