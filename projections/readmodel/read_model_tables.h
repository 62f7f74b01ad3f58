#pragma once

#include <array>
#include <string>
#include <string_view>

#include "eventstore/tables/table_store.h"
#include "projections/readmodel/stored_forms.h"

// The tables of a read model, and functions that decode their records.
namespace cairn::readmodel {

inline constexpr std::array<const char*, 4> kTableNames = {"meta", "rows", "parked", "waiting"};
inline constexpr TableId kMeta{0};
inline constexpr TableId kRows{1};
inline constexpr TableId kParked{2};
inline constexpr TableId kWaiting{3};

inline constexpr std::string_view kIdentityKey = "identity";
inline constexpr std::string_view kStateKey = "state";
inline constexpr std::string_view kPassedOverKey = "passedOver";

// The payload of a record of `table`, or kCorruption with the name of the record.
Result<std::string_view> unseal(TableId table, std::string_view key, std::string_view sealed);

// The records of `meta`. kCorruption when one is missing or cannot be decoded.
Result<ReadModelIdentity> read_identity(const TableSnapshot& tables);
Result<stored::State> read_state(const TableSnapshot& tables);
Result<stored::State> read_state(TableWriter& tables);
// 0 when there is none: a program of version 0.1 wrote the read model.
Result<std::uint64_t> read_passed_over(const TableSnapshot& tables);

Result<stored::Parked> read_parked(std::string_view place_key, std::string_view sealed);

// Checks that every record matches its checksum, and that the numbers of rows and of waiting events match the
// stored counts. Without the counts, a damaged key could make a row disappear unnoticed. Else kCorruption.
Status check_all(const TableSnapshot& tables);

}  // namespace cairn::readmodel
