#include "api/projections/row_question.h"

#include <utility>

#include "api/projections/projection_problem.h"

namespace cairn::api {

RowQuestion::Sight RowQuestion::look(ProjectionDaemon& daemon) const {
  auto found = read(daemon);
  if (found) {
    // After a rollback the rows may be behind what somebody has waited for.
    if (min_position && found->position < *min_position) {
      return {rows_behind(found->position, *min_position).to_response(), true};
    }
    return {std::move(found->response), false};
  }
  if (found.error().code == Errc::kFailedPrecondition) {
    if (const auto status = daemon.status(name)) {
      return {rows_being_built(*status, min_position).to_response(), true};
    }
  }
  return {projection_problem(daemon, name, found.error(), "key").to_response(), false};
}

void answer_when_there(ProjectionService& service, const std::shared_ptr<const RowQuestion>& question,
                       const Responder& respond) {
  const auto look = [&service, question, respond] {
    service.readers().answer(
        respond, [&daemon = service.daemon(), question] { return question->look(daemon).response; });
  };
  if (!question->waits()) return look();
  // Reached or not: what the rows are like when they are read is what counts.
  service.daemon().wait_for(question->name, *question->min_position, question->wait,
                            [look](bool) { look(); });
}

}  // namespace cairn::api
