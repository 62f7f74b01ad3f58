#pragma once

#include <map>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/verify.h"
#include "eventstore/verify/expected_index.h"
#include "eventstore/verify/findings.h"

namespace cairn {

// Stream heads in the index that are newer than the index's state, because a flush is running or was
// interrupted. They are compared when the log has been read up to them.
using HeadsAhead = ExpectedIndex::ByName<StreamHead>;

// Compares every record of the index with the index computed from the log up to the index's position. Not
// thread-safe.
class IndexWalk {
 public:
  IndexWalk(const IndexReader& index, VerifyReport& report, const VerifyProgress& progress)
      : index_(index), report_(report), progress_(progress), findings_(report) {}

  // With a null `expected`, because the log is damaged, only the records' checksums are checked. Fails when
  // the progress callback cancels the verification.
  Status walk(ExpectedIndex* expected);

  HeadsAhead& ahead() { return ahead_; }

 private:
  Status walk_streams(ExpectedIndex* expected);
  Status walk_postings();
  Status walk_terms(ExpectedIndex* expected);
  Status walk_run(const TermRun& run, bool counts);
  void add(const RunCursor::Entry& entry);
  Status walk_ids(ExpectedIndex* expected);
  Status walk_snapshots();
  void compare_lists(char kind, const ExpectedIndex::ByName<ExpectedIndex::ListDigest>& expected);
  void count_record();

  const IndexReader& index_;
  VerifyReport& report_;
  const VerifyProgress& progress_;
  Findings findings_;
  HeadsAhead ahead_;
  bool cancelled_ = false;
  std::map<std::string, ExpectedIndex::ListDigest> lists_;  // by kind and name
  std::map<TermKind, ExpectedIndex::SetDigest> others_;
};

}  // namespace cairn
