// Opens the store in FOLDER, reads everything by every path, appends one event, reads it, and prints a
// digest.
//
//   read_all_child FOLDER
//
// Prints "DIGEST" and exits with 0; or prints the error and exits with 10. Anything else is a fault of the
// store.

#include <cstdio>
#include <memory>
#include <string>

#include <unistd.h>

#include "eventstore/event_store.h"
#include "tests/support/events.h"
#include "tests/support/small_store.h"
#include "tests/support/store_digest.h"

namespace {

using namespace cairn;
using namespace cairn::test;

constexpr int kCleanError = 10;

int report(const char* when, const Error& error) {
  std::printf("%s: %s: %s\n", when, std::string(to_string(error.code)).c_str(), error.message.c_str());
  return kCleanError;
}

int read_all(const char* folder) {
  StoreOptions options = small_store();
  options.create = CreateIfMissing::kNo;
  auto store = EventStore::open(folder, options);
  if (!store.ok()) return report("open", store.error());
  auto before = digest_of(**store);
  if (!before.ok()) return report("read", before.error());
  auto appended =
      (*store)->append(request({to("digest-1", ExpectedVersion::any(), {event(id(1'000'000), "Digest")})}));
  if (!appended.ok()) return report("append", appended.error());
  auto page = (*store)->read_stream("digest-1", {});
  if (!page.ok()) return report("read again", page.error());
  const StreamAppendResult& done = appended->streams.at(0);
  std::printf("%llu %llu %llu %zu\n", static_cast<unsigned long long>(*before),
              static_cast<unsigned long long>(done.last_version.value),
              static_cast<unsigned long long>(done.last_position.value), page->events.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ::alarm(60);
  return read_all(argv[1]);
}
