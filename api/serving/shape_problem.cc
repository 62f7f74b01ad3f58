#include "api/serving/shape_problem.h"

#include <fmt/format.h>

#include "api/serving/store_problem.h"
#include "eventstore/json/json_writer.h"

namespace cairn::api {

Problem shape_problem(const ShapeFault& fault) {
  switch (fault.kind) {
    case ShapeFault::Kind::kCorruption:
      return store_problem(make_error(Errc::kCorruption, describe(fault)));
    case ShapeFault::Kind::kNoVersion:
      return invalid_request(fmt::format("The event at position {} cannot be read in this shape: {}.",
                                         fault.position.value, fault.message),
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
  return fmt::format("position {} ({}, version {}): {}", fault.position.value, fault.stream,
                     fault.version.value, fault.message);
}

std::string failures_json(std::span<const ShapeFault> failures) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const ShapeFault& fault : failures) {
    json.begin_object();
    json.number("position", fault.position.value);
    json.text("stream", fault.stream);
    json.number("version", fault.version.value);
    json.text("error", fault.message);
    json.end_object();
  }
  json.end_array();
  return text;
}

}  // namespace cairn::api
