#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/term_records.h"
#include "eventstore/index/term_runs.h"
#include "eventstore/lmdb/lmdb_env.h"

namespace cairn {

// Merges adjacent runs into one, some records at a time: each step has a read transaction of its own and goes on
// behind the last pair of the step before. Writes nothing. Not thread-safe.
class RunMerge {
 public:
  // REQUIRES: `inputs` are adjacent, in the order of positions.
  RunMerge(std::span<const TermRun> inputs, std::uint32_t number)
      : inputs_(inputs.begin(), inputs.end()), number_(number), encoder_(number) {}

  // The next records of the new run: about `records_min`, or what is left. Empty when there are no more.
  // Fails with kCorruption when an input is damaged.
  Result<std::vector<term_records::Record>> next(const lmdb::ReadTxn& txn, MDB_dbi table,
                                                 std::size_t records_min);

  std::span<const TermRun> inputs() const { return inputs_; }
  TermRun output() const;

 private:
  const std::vector<TermRun> inputs_;
  const std::uint32_t number_;
  term_records::Encoder encoder_;
  std::optional<Term> term_;    // that is being written
  std::uint64_t position_ = 0;  // the last one written of it
};

}  // namespace cairn
