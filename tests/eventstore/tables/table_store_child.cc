// Writes to tables while its parent process reads them.
//
//   table_store_child FOLDER
//
// For each line N it puts N records of 1,000 bytes that begin with N, and prints "ok" or an error. Exits at
// the end of its input.

#include <cstdio>
#include <iostream>
#include <string>

#include <unistd.h>

#include "eventstore/tables/table_store.h"

int main(int argc, char** argv) {
  using namespace cairn;
  if (argc != 2) return 2;
  ::alarm(60);
  auto store = TableStore::open(argv[1], {.tables = {"one", "two"}, .map_bytes = 1u << 20});
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::string value = line + std::string(1'000, '.');
    const Status status = !store.ok() ? store.error() : (*store)->write([&](TableWriter& writer) -> Status {
      for (int i = 0; i < std::stoi(line); ++i) {
        CAIRN_CHECK(writer.put({0}, "key-" + std::to_string(i), value));
      }
      return {};
    });
    std::printf("%s\n", status.ok() ? "ok" : status.error().message.c_str());
    std::fflush(stdout);
  }
  return 0;
}
