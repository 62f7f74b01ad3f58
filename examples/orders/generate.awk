# Generates the events of a shop's orders as lines for `cairn import`, one file for each version of OrderPlaced.
#
#   awk -v events=1000000 -v folder=/tmp -f generate.awk       makes /tmp/1.ndjson, 2.ndjson and 3.ndjson
#
# Half of the events have version 1, three tenths version 2. The output is deterministic: values that look random are
# remainders.

BEGIN {
  customers = events < 10000 ? 100 : int(events / 100)
  odd_order = int(events / 5) + 1   # The one whose total somebody wrote with a comma.
  patience = 200                    # How many orders come in before one is shipped or cancelled.

  version = 1
  last_of[1] = int(events * 0.5)
  last_of[2] = int(events * 0.8)
  last_of[3] = events

  for (order = 1; written < events; ++order) {
    placed(order)
    if (order > patience) closed(order - patience)
  }
}

function placed(order,    cents, total) {
  cents = 500 + order * 7907 % 20000
  if (version == 1) {
    total = sprintf("\"total\":\"%d%s%02d\"", int(cents / 100), order == odd_order ? "," : ".", cents % 100)
  } else if (version == 2) {
    total = sprintf("\"total_cents\":%d", cents)
  } else {
    total = sprintf("\"total_cents\":%d,\"currency\":\"EUR\"", cents)
  }
  event(order, "OrderPlaced", sprintf("\"customer_id\":\"c%d\",%s", 1 + order * 7919 % customers, total))
}

# Of ten orders eight are shipped and one is cancelled; the tenth stays open.
function closed(order) {
  if (order % 10 == 9) return
  if (order % 10 == 4) {
    event(order, "OrderCancelled", "\"reason\":\"too late\"")
  } else {
    event(order, "OrderShipped", "\"carrier\":\"" (order % 3 ? "post" : "bike") "\"")
  }
}

function event(order, type, data) {
  if (written >= events) return
  printf "{\"stream\":\"order-%d\",\"type\":\"%s\",\"data\":{\"order_id\":\"%d\",%s}}\n", order, type, order, data \
    > (folder "/" version ".ndjson")
  if (++written == last_of[version]) ++version
}
