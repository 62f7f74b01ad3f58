#include "schemaregistry/codec/json_encoder.h"

#include "schemaregistry/codec/encode_program.h"
#include "schemaregistry/codec/encode_run.h"

namespace cairn {

struct JsonEncoder::Program {
  explicit Program(EncodeProgram compiled) : program(std::move(compiled)) {}
  EncodeProgram program;
};

JsonEncoder::JsonEncoder(std::unique_ptr<Program> program) : program_(std::move(program)) {}
JsonEncoder::JsonEncoder(JsonEncoder&&) noexcept = default;
JsonEncoder& JsonEncoder::operator=(JsonEncoder&&) noexcept = default;
JsonEncoder::~JsonEncoder() = default;

Result<JsonEncoder> JsonEncoder::make(const Schema& schema) {
  CAIRN_TRY(EncodeProgram program, EncodeProgram::compile(schema.root()));
  return JsonEncoder(std::make_unique<Program>(std::move(program)));
}

std::vector<DataFault> JsonEncoder::encode(std::string_view json, std::string& to) const {
  return EncodeRun(json, UnionStyle::kPlainOrTagged, to).encode(program_->program.root());
}

}  // namespace cairn
