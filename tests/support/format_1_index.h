#pragma once

#include <filesystem>
#include <span>

#include "eventstore/base/result.h"
#include "eventstore/index/term.h"
#include "eventstore/lmdb/lmdb_env.h"

namespace cairn::test {

// What version 0.1 did to add positions to a posting list (postings.h). Returns LMDB's code.
Result<int> append_postings(MDB_txn* txn, MDB_dbi table, const TermView& term,
                            std::span<const std::uint64_t> positions);

// Makes the index of a closed store what version 0.1 would have made of it: posting lists of categories and
// types, no runs.
Status make_format_1_index(const std::filesystem::path& store);

}  // namespace cairn::test
