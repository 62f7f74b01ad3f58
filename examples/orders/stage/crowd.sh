# People who read and write while something else goes on. They come in, do one thing after the other until the file
# $folder/closed is there, and note each in a file of the folder.

# Reads a customer's row. In `reads` there is a line for each answer, with the generation it came from; what failed is in
# `failed_reads`.
reader() {
  local last=false
  until $last; do
    [[ -e "$folder/closed" ]] && last=true   # One more, for what is there at the end.
    cairn projection rows customer_totals "$1" 2>>"$folder/reads" >/dev/null || echo "$1" >>"$folder/failed_reads"
  done
}

# Places orders, with numbers from $1 on. In `writes` there is a line for each, with its position.
writer() {
  local order="$1"
  until [[ -e "$folder/closed" ]]; do
    cairn append "order-$order" --expect 0 --type OrderPlaced --data \
      "{\"order_id\": \"$order\", \"customer_id\": \"c$((order % 40 + 1))\", \"total_cents\": 990, \"currency\": \"EUR\"}" \
      >>"$folder/writes" 2>>"$folder/complaints" || echo "order-$order" >>"$folder/failed_writes"
    order=$((order + 1))
  done
}

crowd=()

let_crowd_in() {
  reader c1 & crowd+=($!)
  reader c42 & crowd+=($!)
  writer "$1" & crowd+=($!)
  writer "$(($1 + 1000000))" & crowd+=($!)
}

send_crowd_home() {
  touch "$folder/closed"
  wait "${crowd[@]}"
}

# counted <file> [pattern]: how many lines of that file of the folder have the pattern.
counted() { [[ ! -e "$folder/$1" ]] && echo 0 || grep -c "${2:-}" "$folder/$1" || true; }
