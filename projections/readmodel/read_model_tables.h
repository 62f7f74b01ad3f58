#pragma once

#include <array>
#include <string>
#include <string_view>

#include "eventstore/tables/table_store.h"
#include "projections/readmodel/stored_forms.h"

// The tables of a read model, and the way from a record to what it says.
namespace cairn::readmodel {

inline constexpr std::array<const char*, 4> kTableNames = {"meta", "rows", "parked", "waiting"};
inline constexpr TableId kMeta{0};
inline constexpr TableId kRows{1};
inline constexpr TableId kParked{2};
inline constexpr TableId kWaiting{3};

inline constexpr std::string_view kIdentityKey = "identity";
inline constexpr std::string_view kStateKey = "state";

// The payload of a record of `table`, or kCorruption, naming it.
Result<std::string_view> unseal(TableId table, std::string_view key, std::string_view sealed);

// What stands in `meta`. kCorruption when it is missing or no such thing.
Result<ReadModelIdentity> read_identity(const TableSnapshot& tables);
Result<stored::State> read_state(const TableSnapshot& tables);
Result<stored::State> read_state(TableWriter& tables);

Result<stored::Parked> read_parked(std::string_view place_key, std::string_view sealed);

// Reads all there is: every record matches its checksum, and as many rows are there, and events wait, as the
// counts say. A changed key could otherwise make a row vanish without a trace. kCorruption where not.
Status check_all(const TableSnapshot& tables);

}  // namespace cairn::readmodel
