#pragma once

#include <map>
#include <string>

#include "eventstore/base/result.h"
#include "eventstore/index/index.h"
#include "eventstore/verify.h"
#include "eventstore/verify/expected_index.h"
#include "eventstore/verify/findings.h"

namespace cairn {

// Stream heads in the index that know more than the index as a whole: a flush is under way, or was cut short.
// They are compared when the walk over the log has come that far.
using HeadsAhead = ExpectedIndex::ByName<StreamHead>;

// Compares every record of the index with what the log says it should be at the index's own position.
class IndexWalk {
 public:
  IndexWalk(const IndexReader& index, VerifyReport& report, const VerifyProgress& progress)
      : index_(index), report_(report), progress_(progress), findings_(report) {}

  // `expected` may be null when the log itself could not be followed: then only the records' own checksums
  // count. Fails when the progress gave up.
  Status walk(ExpectedIndex* expected);

  HeadsAhead& ahead() { return ahead_; }

 private:
  Status walk_streams(ExpectedIndex* expected);
  Status walk_postings(ExpectedIndex* expected);
  Status walk_ids(ExpectedIndex* expected);
  Status walk_snapshots();
  void compare_lists(char kind, const ExpectedIndex::ByName<ExpectedIndex::ListDigest>& expected);
  void count_record();

  const IndexReader& index_;
  VerifyReport& report_;
  const VerifyProgress& progress_;
  Findings findings_;
  HeadsAhead ahead_;
  bool given_up_ = false;
  std::map<std::string, ExpectedIndex::ListDigest> lists_;  // by kind and name
};

}  // namespace cairn
