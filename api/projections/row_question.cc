#include "api/projections/row_question.h"

#include <utility>

#include "api/projections/projection_problem.h"

namespace cairn::api {

RowQuestion::Sight RowQuestion::look(ReadModels& models) const {
  auto found = read(models);
  if (found) {
    // A rollback may move the rows back to before min_position.
    if (min_position && found->position < *min_position) {
      return {rows_behind(found->position, *min_position).to_response(), true};
    }
    return {std::move(found->response), false};
  }
  if (found.error().code == Errc::kFailedPrecondition) {
    if (const auto status = models.status(name)) {
      return {rows_being_built(*status, min_position).to_response(), true};
    }
  }
  return {projection_problem(models, name, found.error(), "key").to_response(), false};
}

void answer_when_there(ProjectionService& service, const std::shared_ptr<const RowQuestion>& question,
                       const Responder& respond) {
  respond.set_cancellable();
  const auto look = [&service, question, respond] {
    service.readers().answer(
        respond, [&models = service.models(), question] { return question->look(models).response; });
  };
  if (!question->waits()) return look();
  // Whether the position was reached does not matter: look() checks the rows when they are read.
  service.models().wait_for(question->name, *question->min_position, question->wait,
                            [look](bool) { look(); });
}

}  // namespace cairn::api
