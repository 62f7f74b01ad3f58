#pragma once

#include <cstddef>
#include <cstdint>

// The limits on requests and names. Limits that an operator may change are in StoreOptions instead.
namespace cairn::limits {

inline constexpr std::size_t kStreamNameBytesMax = 200;  // leaves room for a suffix in an LMDB key
inline constexpr std::size_t kTypeNameBytesMax = 200;
inline constexpr std::size_t kTagBytesMax = 200;
inline constexpr std::size_t kTagsPerEventMax = 64;
inline constexpr std::size_t kContentTypeBytesMax = 200;
inline constexpr std::size_t kCommandIdBytesMax = 200;
inline constexpr std::size_t kNoteBytesMax = 1u << 20;
inline constexpr std::size_t kEventBytesMax = 8u << 20;     // data + metadata of one event
inline constexpr std::size_t kRequestBytesMax = 16u << 20;  // all events of one append
inline constexpr std::size_t kRequestEventsMax = 10'000;
inline constexpr std::size_t kRequestStreamsMax = 1'000;
inline constexpr std::size_t kPageEventsMax = 10'000;
inline constexpr std::size_t kPageBytesMax = 64u << 20;  // a page ends early rather than hold more
// A filtered page ends after so many entries of the index (without an index: names in blocks), some 10 ms,
// rather than search the whole log for events that match.
inline constexpr std::uint64_t kPageStepsMax = 1'000'000;
inline constexpr std::size_t kFilterTermsMax = 64;  // categories, or types, of one request
inline constexpr std::size_t kQueryItemsMax = 64;
inline constexpr std::size_t kQueryNameBytesMax = 32u << 10;  // a follower keeps them as long as it follows
inline constexpr std::size_t kItemTermsMax = 64;  // types, tags and categories of one item together
// Deciding a condition may take so many entries of the index.
inline constexpr std::uint64_t kConditionStepsMax = 1'000'000;
inline constexpr std::size_t kSnapshotBytesMax = 4u << 20;

}  // namespace cairn::limits
