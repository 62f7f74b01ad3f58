#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/io_record_format.h"
#include "tests/support/random.h"
#include "tests/support/temp_folder.h"

namespace cairn::test {

// Records what programs do to one folder, and makes images of that folder as a power cut could have left it.
//
// The model of the disk: a write is durable when a sync of its file that began after it has ended, or at once
// with O_DSYNC; a name when the same holds for its folder. Of what is not durable, any 512-byte sectors of
// the writes may be there and others not; of the changes of a file's size, and of the names in a folder, some
// first ones.
class DiskImages {
 public:
  // The folder that is recorded, empty at first.
  std::filesystem::path folder() const { return folder_ / "live"; }

  DiskImages();

  // Preloads the recorder into the child of `command`.
  void connect(ChildProcess::Command& command) const;
  // The child kills itself after its `records`-th record from now; 0 = never.
  void kill_after(std::uint64_t records);

  // Reads what was recorded. REQUIRES: no child runs.
  void load();
  std::size_t records() const { return records_.size(); }
  // The lines that were written to the output among the first `records` records.
  std::vector<std::string> lines_before(std::size_t records) const;

  // Makes in `target` the folder as it could be when the power is cut after the first `records` records.
  void make(std::size_t records, Random& random, const std::filesystem::path& target) const;
  // The same with everything written, as after a clean shutdown.
  void make_whole(const std::filesystem::path& target) const;

 private:
  struct Record {
    IoRecordHead head;
    std::string bytes;
    std::size_t durable_at;  // the number of records after which nothing undoes it
  };
  // Decides what of the changes that are not durable is in an image.
  class Survival;
  void make(std::size_t records, Survival& survival, const std::filesystem::path& target) const;
  std::string content_of(std::uint64_t node, std::size_t made_at, std::size_t records,
                         Survival& survival) const;

  TempFolder folder_;
  std::vector<Record> records_;
};

}  // namespace cairn::test
