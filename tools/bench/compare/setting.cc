#include "tools/bench/compare/setting.h"

namespace cairn::bench {

Scale full_scale() { return {}; }

Scale quick_scale() {
  Scale scale;
  scale.full = false;
  scale.turn = std::chrono::duration<double>(1.2);
  scale.replay_events = 200'000;
  scale.big_streams = 100'000;
  scale.small_streams = 1'000;
  return scale;
}

Result<BigStore*> Setting::big_store() {
  if (!big) {
    CAIRN_TRY(big, BigStore::fill(folder / "big", scale.big_streams, payloads));
  }
  return big.get();
}

}  // namespace cairn::bench
