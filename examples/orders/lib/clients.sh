# Clients that read and append in the background. Each sends one request after the other until the file $folder/closed
# exists, and logs each request in a file of the folder.

# Reads a customer's row. `reads` gets a line for each answer, with the generation that answered; `failed_reads` gets a
# line for each failure.
reader() {
  local last=false
  until $last; do
    [[ -e "$folder/closed" ]] && last=true   # One more, so that the last state is read too.
    cairn projection rows customer_totals "$1" 2>>"$folder/reads" >/dev/null || echo "$1" >>"$folder/failed_reads"
  done
}

# Places orders, with numbers from $1 on. `writes` gets a line for each, with its position.
writer() {
  local order="$1"
  until [[ -e "$folder/closed" ]]; do
    cairn append "order-$order" --expect 0 --type OrderPlaced --data \
      "{\"order_id\": \"$order\", \"customer_id\": \"c$((order % 40 + 1))\", \"total_cents\": 990, \"currency\": \"EUR\"}" \
      >>"$folder/writes" 2>>"$folder/complaints" || echo "order-$order" >>"$folder/failed_writes"
    order=$((order + 1))
  done
}

start_clients() {
  reader c1 & clients+=($!)
  reader c42 & clients+=($!)
  writer "$1" & clients+=($!)
  writer "$(($1 + 1000000))" & clients+=($!)
}

stop_clients() {
  touch "$folder/closed"
  wait "${clients[@]}"
  clients=()
}

# await_line <file> [pattern]: waits until that file of the folder has a line with the pattern. Without it a rebuild on
# a fast or a busy machine could begin or end between two requests of the clients.
await_line() {
  local tries=600
  until [[ $(counted "$@") -gt 0 ]]; do
    [[ $((tries -= 1)) -gt 0 ]] || give_up "no line '${2:-}' in $1 after a minute"
    sleep 0.1
  done
}

# counted <file> [pattern]: the number of lines with the pattern in that file of the folder.
counted() { [[ ! -e "$folder/$1" ]] && echo 0 || grep -c "${2:-}" "$folder/$1" || true; }
