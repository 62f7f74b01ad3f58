// Commits to a read model while the parent process kills it or reads the same files.
//
//   read_model_child FOLDER ROWS BYTES
//
// Opens the read model and commits without end, from its checkpoint on: commit N sets each of ROWS rows to N
// and BYTES further bytes, parks an event when N is odd and releases it when N is even. Prints "N" after
// each.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "projections/readmodel/lmdb_read_model.h"

int main(int argc, char** argv) {
  using namespace cairn;
  if (argc != 4) return 2;
  ::alarm(60);
  auto model = LmdbReadModel::open(argv[1], LmdbReadModel::Access::kReadWrite);
  if (!model.ok()) {
    std::printf("failed: %s\n", model.error().message.c_str());
    return 1;
  }
  const std::size_t rows = std::strtoull(argv[2], nullptr, 10);
  const std::string filler(std::strtoull(argv[3], nullptr, 10), '.');
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < rows; ++i) keys.push_back("key-" + std::to_string(1'000'000 + i));
  const ParkedPlace place{ParkedPlace::By::kKey, "parked"};
  for (std::uint64_t through = (*model)->checkpoint()->value + 1;; ++through) {
    const std::string saved = std::to_string(through) + filler;
    const ParkedEvent event{.position = {through}, .kind = "script", .message = "it failed"};
    ReadModelChange change;
    change.through = {through};
    for (const std::string& key : keys) change.rows.push_back({key, saved});
    if (through % 2 == 1) {
      change.parked.emplace_back(&place, &event);
      change.waiting.push_back({&place, {through + 1}});
    } else {
      change.released.push_back(&place);
    }
    if (const Status status = (*model)->commit(change); !status.ok()) {
      std::printf("failed: %s\n", status.error().message.c_str());
      return 1;
    }
    std::printf("%llu\n", static_cast<unsigned long long>(through));
    std::fflush(stdout);
  }
}
