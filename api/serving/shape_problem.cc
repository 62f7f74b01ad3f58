#include "api/serving/shape_problem.h"

#include "api/serving/store_problem.h"
#include "eventstore/json/json_text.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

Problem shape_problem(const ShapeFault& fault) {
  switch (fault.kind) {
    case ShapeFault::Kind::kCorruption:
      return store_problem(make_error(Errc::kCorruption, describe(fault)));
    case ShapeFault::Kind::kNoVersion:
      return invalid_request("The event at position " + std::to_string(fault.position.value) +
                                 " cannot be had in this shape: " + fault.message + ".",
                             "shape");
    case ShapeFault::Kind::kNoWay:
    case ShapeFault::Kind::kScript:
    case ShapeFault::Kind::kLimit:
    case ShapeFault::Kind::kResult:
      break;
  }
  return Problem(422, "upcaster-failed", "An event cannot be brought into the shape",
                 "The event at " + describe(fault) + ". With shape=stored it is read as it is.")
      .with_json("failures", failures_json({&fault, 1}))
      .with("checked", 1)
      .with("failed", 1);
}

std::string describe(const ShapeFault& fault) {
  return "position " + std::to_string(fault.position.value) + " (" + fault.stream + ", version " +
         std::to_string(fault.version.value) + "): " + fault.message;
}

std::string failures_json(std::span<const ShapeFault> failures) {
  std::string json = "[";
  for (const ShapeFault& fault : failures) {
    if (json.size() > 1) json += ',';
    json += R"({"position":)";
    append_number(json, fault.position.value);
    json += R"(,"stream":)";
    append_json_string(json, fault.stream);
    json += R"(,"version":)";
    append_number(json, fault.version.value);
    json += R"(,"error":)";
    append_json_string(json, fault.message);
    json += '}';
  }
  return json + "]";
}

}  // namespace cairn::api
