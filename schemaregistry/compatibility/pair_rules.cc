#include "schemaregistry/compatibility/pair_rules.h"

#include <algorithm>

#include "schemaregistry/model/parse_schema.h"

namespace cairn {
namespace {

// Up to this number of branches a linear search costs less than an index.
constexpr std::size_t kBranchesWithoutIndex = 16;

bool is_primitive(SchemaKind kind) { return kind <= SchemaKind::kString; }

// Whether Avro turns a written value into another kind while reading.
bool promotes(SchemaKind reader, SchemaKind writer) {
  switch (reader) {
    case SchemaKind::kLong:
      return writer == SchemaKind::kInt;
    case SchemaKind::kFloat:
      return writer == SchemaKind::kInt || writer == SchemaKind::kLong;
    case SchemaKind::kDouble:
      return writer == SchemaKind::kInt || writer == SchemaKind::kLong || writer == SchemaKind::kFloat;
    case SchemaKind::kBytes:
      return writer == SchemaKind::kString;
    case SchemaKind::kString:
      return writer == SchemaKind::kBytes;
    default:
      return false;
  }
}

PairPart fault_at(PairFault fault, PathStep step, const SchemaNode& reader, const SchemaNode& writer,
                  std::uint32_t index = 0) {
  return PairPart{.fault = fault, .step = step, .index = index, .reader = &reader, .writer = &writer};
}

PairPart pair_at(PathStep step, const SchemaNode& reader, const SchemaNode& writer, std::uint32_t index = 0) {
  return fault_at(PairFault::kNone, step, reader, writer, index);
}

// Whether `text` is name.full(), without making that: a name can have a namespace of hundreds of kilobytes.
bool is_full_name(std::string_view text, const TypeName& name) {
  if (name.space.empty()) return text == name.name;
  const std::size_t bytes = name.space.size() + 1 + name.name.size();
  return text.size() == bytes && text.ends_with(name.name) && text[name.space.size()] == '.' &&
         text.starts_with(name.space);
}

}  // namespace

bool names_match(const SchemaNode& reader, const SchemaNode& writer) {
  if (reader.name.name == writer.name.name) return true;
  return std::any_of(reader.aliases.begin(), reader.aliases.end(),
                     [&writer](const std::string& alias) { return is_full_name(alias, writer.name); });
}

std::optional<bool> can_read_at_a_glance(const SchemaNode& reader, const SchemaNode& writer) {
  if (reader.kind == SchemaKind::kUnion || writer.kind == SchemaKind::kUnion) return std::nullopt;
  if (reader.kind != writer.kind) return promotes(reader.kind, writer.kind);
  if (is_primitive(reader.kind)) return true;
  return std::nullopt;
}

void PairRules::expand(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts) {
  parts.clear();
  ++work_;
  if (writer.kind == SchemaKind::kUnion) {
    work_ += writer.branches.size();
    for (std::uint32_t i = 0; i < writer.branches.size(); ++i) {
      parts.push_back(pair_at(PathStep::kBranch, reader, *writer.branches[i], i));
    }
    return;
  }
  switch (reader.kind) {
    case SchemaKind::kArray:
      parts.push_back(pair_at(PathStep::kItems, *reader.element, *writer.element));
      break;
    case SchemaKind::kMap:
      parts.push_back(pair_at(PathStep::kValues, *reader.element, *writer.element));
      break;
    case SchemaKind::kFixed:
      check_name(reader, writer, parts);
      if (reader.size != writer.size)
        parts.push_back(fault_at(PairFault::kSize, PathStep::kSize, reader, writer));
      break;
    case SchemaKind::kEnum:
      expand_enum(reader, writer, parts);
      break;
    case SchemaKind::kRecord:
      expand_record(reader, writer, parts);
      break;
    default:
      break;
  }
}

void PairRules::check_name(const SchemaNode& reader, const SchemaNode& writer, std::vector<PairPart>& parts) {
  work_ += reader.aliases.size();
  if (!names_match(reader, writer))
    parts.push_back(fault_at(PairFault::kName, PathStep::kName, reader, writer));
}

void PairRules::expand_enum(const SchemaNode& reader, const SchemaNode& writer,
                            std::vector<PairPart>& parts) {
  check_name(reader, writer, parts);
  if (reader.symbol_default || reader.symbols == writer.symbols) return;
  const SymbolIndex& known = symbols_of(reader);
  work_ += writer.symbols.size();
  const bool all_known = std::all_of(writer.symbols.begin(), writer.symbols.end(),
                                     [&known](const std::string& symbol) { return known.contains(symbol); });
  if (!all_known) parts.push_back(fault_at(PairFault::kSymbols, PathStep::kSymbols, reader, writer));
}

// Many enums of the writer may meet the same one of the reader.
const PairRules::SymbolIndex& PairRules::symbols_of(const SchemaNode& node) {
  SymbolIndex& known = symbols_[&node];
  if (known.empty()) known.insert(node.symbols.begin(), node.symbols.end());
  return known;
}

std::vector<std::string_view> PairRules::missing_symbols(const SchemaNode& reader, const SchemaNode& writer) {
  const SymbolIndex& known = symbols_of(reader);
  work_ += writer.symbols.size();
  std::vector<std::string_view> missing;
  for (const std::string& symbol : writer.symbols) {
    if (!known.contains(symbol)) missing.emplace_back(symbol);
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

void PairRules::expand_record(const SchemaNode& reader, const SchemaNode& writer,
                              std::vector<PairPart>& parts) {
  check_name(reader, writer, parts);
  for (std::uint32_t i = 0; i < reader.fields.size(); ++i) {
    const SchemaField& field = reader.fields[i];
    work_ += 1 + field.aliases.size();
    const SchemaField* found = find_field(writer, field.name, i);
    bool is_ambiguous = false;
    for (const std::string& alias : field.aliases) {
      const SchemaField* other = find_field(writer, alias, i);
      if (other == nullptr || other == found) continue;
      is_ambiguous = is_ambiguous || found != nullptr;
      found = other;
    }
    if (is_ambiguous) {
      parts.push_back(fault_at(PairFault::kFieldAmbiguous, PathStep::kField, reader, writer, i));
    } else if (found != nullptr) {
      parts.push_back(pair_at(PathStep::kFieldType, *field.type, *found->type, i));
    } else if (field.default_json) {
      continue;
    } else if (field.type->kind == SchemaKind::kEnum && field.type->symbol_default) {
      // An enum's default replaces symbols, not fields. Avro's checker compares the enum with the whole
      // record then, and what it reports is what clients know.
      parts.push_back(fault_at(PairFault::kTypes, PathStep::kFieldType, *field.type, writer, i));
    } else {
      parts.push_back(fault_at(PairFault::kFieldMissing, PathStep::kField, reader, writer, i));
    }
  }
}

const SchemaField* PairRules::find_field(const SchemaNode& record, std::string_view name,
                                         std::size_t likely_at) {
  // Most fields keep their position from one version to the next.
  if (likely_at < record.fields.size() && record.fields[likely_at].name == name)
    return &record.fields[likely_at];
  FieldIndex& index = fields_[&record];
  if (index.empty()) {
    for (const SchemaField& field : record.fields) index.emplace(field.name, &field);
  }
  const auto at = index.find(name);
  return at == index.end() ? nullptr : at->second;
}

void PairRules::candidates(const SchemaNode& reader, const SchemaNode& writer,
                           std::vector<const SchemaNode*>& branches) {
  branches.clear();
  ++work_;
  if (!is_named(writer.kind) || reader.branches.size() <= kBranchesWithoutIndex) {
    work_ += reader.branches.size();
    for (const SchemaNode* branch : reader.branches) {
      if (can_read_at_a_glance(*branch, writer) == false) continue;
      if (is_named(writer.kind)) {
        work_ += branch->aliases.size();
        if (!names_match(*branch, writer)) continue;
      }
      branches.push_back(branch);
    }
    return;
  }
  const BranchIndex& index = branches_by_name(reader);
  const bool has_space = !writer.name.space.empty();
  // Without a look at all aliases of the branch: a key is its name or one of them, and a full name is enough.
  const auto take = [&](const std::string& name, bool is_full) {
    work_ += name.size() / kSchemaBytesPerStep;
    for (auto [at, end] = index.equal_range(name); at != end; ++at) {
      ++work_;
      const SchemaNode* branch = at->second;
      const bool matches = is_full || branch->name.name == writer.name.name;
      if (branch->kind == writer.kind && matches) branches.push_back(branch);
    }
  };
  take(writer.name.name, !has_space);
  if (has_space) take(writer.name.full(), true);
}

// Indexed by unqualified names and aliases. A branch may be in the list of a name twice, which is harmless.
const PairRules::BranchIndex& PairRules::branches_by_name(const SchemaNode& choice) {
  BranchIndex& index = branches_[&choice];
  if (index.empty()) {
    for (const SchemaNode* branch : choice.branches) {
      if (!is_named(branch->kind)) continue;
      index.emplace(branch->name.name, branch);
      for (const std::string& alias : branch->aliases) index.emplace(alias, branch);
    }
  }
  return index;
}

}  // namespace cairn
