#include "upcasters/deploy/verification.h"

#include <utility>

#include "upcasters/model/unreadable.h"
#include "upcasters/shaping/pipeline.h"

namespace cairn {

namespace {

// Small, so that progress is reported often while a script is slow.
constexpr std::size_t kRangePositions = 4'096;

void count(VerificationReport& report, ShapeFault fault) {
  ++report.failed;
  const bool many_kinds = report.kinds.size() >= kFailureKinds && !report.kinds.contains(fault.group);
  ++report.kinds[many_kinds ? "others" : fault.group];
  if (report.failures.size() < kFailuresListed) report.failures.push_back(std::move(fault));
}

}  // namespace

class Verification::Range final : public ReplayRange {
 public:
  Range(Shaper& shaper, ShaperPool& now, const Upcaster& upcaster, const IsCancelled& cancelled)
      : shaper_(shaper), now_(now), upcaster_(upcaster), cancelled_(cancelled) {
    shaper.watch(&upcaster);
  }

  bool take(const EventView& stored, std::span<const ShapedEvent> parts) override {
    if (!shaper_.reached_watched()) return true;
    for (const ShapedEvent& part : parts) {
      NullSink nothing;
      if (const Status status = part.read(nothing); !status)
        return fail(stored, unreadable(stored, part, status.error()));
    }
    ++report_.checked;
    return !(cancelled_ && cancelled_());
  }

  bool fail(const EventView& stored, const ShapeFault& fault) override {
    if (!shaper_.reached_watched()) return true;
    if (fault.upcaster != &upcaster_ && failed_already(stored)) return true;
    ++report_.checked;
    report_.complete = fault.kind != ShapeFault::Kind::kLimit;
    count(report_, fault);
    // A script that exceeds the limits for one event will do so for others: the verification stops here.
    return report_.complete;
  }

  VerificationReport& report() { return report_; }

 private:
  bool failed_already(const EventView& stored) {
    const ShaperPool::Lease shaper = now_.lease();
    const auto shaped = shaper->shape(stored, Shape::latest());
    return !shaped && shaped.error().kind != ShapeFault::Kind::kNoWay;
  }

  Shaper& shaper_;
  ShaperPool& now_;
  const Upcaster& upcaster_;
  const IsCancelled& cancelled_;
  VerificationReport report_;
};

Verification::Verification(LogReader& log, HistorySource& history, ShaperPool& shapers, TypeHistory candidate,
                           std::shared_ptr<const Upcaster> upcaster, std::vector<std::string> stored_types)
    : log_(log),
      now_(shapers),
      history_(history, std::move(candidate)),
      upcaster_(std::move(upcaster)),
      types_(std::move(stored_types)) {}

Status Verification::run(GlobalPosition to, unsigned threads, const OnVerificationProgress& progress,
                         const IsCancelled& cancelled) {
  if (to <= report_.through) return {};
  bool given_up = false;
  const ReplayQuery query{.from = {report_.through.value + 1},
                          .to = to,
                          .filter = {{}, types_},
                          .threads = threads,
                          .range_positions = kRangePositions};
  const ReplayConsumer consumer{
      [&](Shaper& shaper) { return std::make_unique<Range>(shaper, now_, *upcaster_, cancelled); },
      [&](std::unique_ptr<ReplayRange> made, GlobalPosition through) {
        VerificationReport& part = static_cast<Range&>(*made).report();
        report_.checked += part.checked;
        report_.complete = part.complete;
        report_.through = through;
        report_.failed += part.failed;
        for (ShapeFault& fault : part.failures) {
          if (report_.failures.size() < kFailuresListed) report_.failures.push_back(std::move(fault));
        }
        for (const auto& [kind, times] : part.kinds) {
          const bool many = report_.kinds.size() >= kFailureKinds && !report_.kinds.contains(kind);
          report_.kinds[many ? "others" : kind] += times;
        }
        given_up = (progress && !progress({through, to, report_.checked, report_.failed})) ||
                   (cancelled && cancelled());
        return report_.complete && !given_up;
      }};
  CAIRN_CHECK(replay(log_, candidate_, query, consumer));
  if (given_up) return make_error(Errc::kFailedPrecondition, "given up before the end");
  return {};
}

}  // namespace cairn
