#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eventstore/base/result.h"
#include "eventstore/index/term.h"

// The records of a run: a sorted, immutable part of the postings. All terms of the events of some consecutive
// positions, with the positions of each, by term and position, cut into records of about half an LMDB page.
// docs/format.md describes the bytes.
namespace cairn::term_records {

struct Record {
  std::string key;
  std::string value;
};

// Keys are in the order of run, term and position.
std::string key_of(std::uint32_t run, const TermView& term, std::uint64_t position);

// Encodes the pairs of one run.
class Encoder {
 public:
  explicit Encoder(std::uint32_t run) : run_(run) {}

  // Begins the next term. `total`: how many positions it gets in this run. REQUIRES: terms ascend.
  void begin(const TermView& term, std::uint64_t total);

  // REQUIRES: positions ascend, and there are `total` of them.
  void add(std::uint64_t position);

  // Completes the last record. May be called again.
  void finish();

  // The records that are complete, and not taken yet.
  std::vector<Record> take() { return std::exchange(records_, {}); }
  std::size_t complete() const { return records_.size(); }

 private:
  void close_entry();
  void close_record();
  void find_room();

  const std::uint32_t run_;
  std::vector<Record> records_;

  // The record being filled.
  std::string key_;
  std::string payload_;
  std::uint64_t key_position_ = 0;
  std::string previous_;  // kind and bytes of the entry before, as the next one is compared with it

  // The term being encoded.
  std::string term_;  // kind and bytes
  std::uint64_t total_ = 0;
  std::uint64_t before_ = 0;  // its positions in earlier records
  // Its entry in this record.
  std::string positions_;
  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;
  std::size_t room_ = 0;  // for the bytes of its positions
};

// Reads the entries of a record in order. Fails with kCorruption for anything but what Encoder writes.
class Decoder {
 public:
  // `key` and `value` must outlive the decoder.
  static Result<Decoder> open(std::string_view key, std::string_view value);

  std::uint32_t run() const { return run_; }

  // Moves to the next entry; false after the last one. Its positions are decoded by positions().
  Result<bool> next();

  TermView term() const { return {static_cast<TermKind>(term_[0]), std::string_view(term_).substr(1)}; }
  std::uint64_t count() const { return count_; }
  std::uint64_t total() const { return total_; }
  std::uint64_t before() const { return before_; }
  std::uint64_t first() const { return first_; }

  // REQUIRES: next() was true; at most once for each entry.
  Result<std::vector<std::uint64_t>> positions();

 private:
  Decoder() = default;
  Result<std::uint64_t> number();
  Error damaged() const;

  std::string_view key_;
  std::string_view payload_;  // the rest
  std::uint32_t run_ = 0;
  std::uint64_t key_position_ = 0;
  bool begun_ = false;
  std::string term_;
  std::uint64_t count_ = 0, total_ = 0, before_ = 0, first_ = 0;
  bool positions_left_ = false;
};

}  // namespace cairn::term_records
