#!/usr/bin/env bash
# A client with bash and curl alone. README.md explains each step.
set -euo pipefail

url="${CAIRN_URL:-http://127.0.0.1:7878}"
headers=(-H 'Content-Type: application/json' ${CAIRN_TOKEN:+-H "Authorization: Bearer $CAIRN_TOKEN"})

# POSTs a second argument, or GETs without one, and adds the status. A conflict is an answer too; other refusals end
# the program.
ask() {
  local answer
  answer="$(curl -sS "${headers[@]}" "$url$1" ${2:+-d "$2"} -w '{"http":%{http_code}}')"
  [[ "$answer" =~ \"http\":(2..|409)\}$ ]] || { echo "$answer" >&2; exit 1; }
  echo "$answer"
}

# append STREAM EXPECTED_VERSION EVENT
append() { ask "/streams/$1/events" "{\"expectedVersion\": $2, \"events\": [$3]}"; }

# Prints the values of a field in JSON on standard input. Enough for answers as flat as these; jq does more.
field() { grep -o "\"$1\":[^,}]*" | cut -d: -f2 | tr -d '"'; }

new_id() { cat /proc/sys/kernel/random/uuid; }
item_added() { echo "{\"id\": \"$(new_id)\", \"type\": \"ItemAdded\", \"data\": {\"item\": \"$1\", \"cents\": $2}}"; }
cart="cart-$(new_id)" apple="$(item_added apple 40)" pear="$(item_added pear 55)"

# 1. An append to a stream that must not be there yet.
first="$(append "$cart" 0 "$apple")"
echo "apple: $(field http <<<"$first"), version $(field lastVersion <<<"$first")"

# 2. One that does not know of the first is refused, and told where the stream is.
conflict="$(append "$cart" 0 "$pear")"
current="$(field currentVersion <<<"$conflict")"
echo "pear: $(field http <<<"$conflict"), $(field type <<<"$conflict"), the cart is at $current"

# 3. The first once more, as if its answer had been lost: the same id, so nothing is added.
again="$(append "$cart" 0 "$apple")"
echo "apple again: $(field http <<<"$again"), version $(field lastVersion <<<"$again")"

# 4. Follow the stream, from its first event on and beyond its last. With a limit it ends by itself.
exec {following}< <(curl -sSN "${headers[@]}" -H 'Accept: text/event-stream' "$url/streams/$cart/events?limit=2")

# 5. The pear again, now that it is known where the stream is.
second="$(append "$cart" "$current" "$pear")"
echo "pear: $(field http <<<"$second"), version $(field lastVersion <<<"$second")"

# 6. Read back.
echo "read: $(ask "/streams/$cart/events" | field item | paste -sd, | sed 's/,/, /g')"

# 7. The row of the read model, once it has what was just written.
row="$(ask "/projections/carts/rows/$cart?minPosition=$(field lastPosition <<<"$second")&waitMs=30000")"
echo "row: $(field items <<<"$row") items, $(field cents <<<"$row") cents"

# 8. What has come to the follower meanwhile.
while read -r line <&"$following"; do
  if [[ "$line" == data:* ]]; then
    echo "followed: $(field version <<<"$line") $(field item <<<"$line")"
  fi
done
