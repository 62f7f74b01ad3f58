# The demo's server, on a folder of its own that goes when the demo ends, however it ends.

folder=''
server=''
keep=false

# Starts it on the folder and $1, an address to listen on, and waits until it serves. Sets CAIRN_URL.
start_server() {
  local line=''
  exec {announcement}< <(exec cairn serve --data "$folder/data" --listen "$1" 2>>"$folder/server.log")
  server=$!
  read -r line <&"$announcement" || true
  CAIRN_URL="${line##* on }"
  [[ "$CAIRN_URL" == http* ]] || give_up "the server did not start: $(tail -n 1 "$folder/server.log")"
  export CAIRN_URL
}

# Ends it in order, as `kill` and Ctrl-C do.
stop_server() {
  local stopping="$server"
  server=''
  kill -TERM "$stopping"
  wait "$stopping" || give_up "the server ended with exit code $?: $(tail -n 1 "$folder/server.log")"
}

# Called at every end: nothing that the demo started is left, unless it is asked to --keep it.
clean_up() {
  local code=$?
  trap '' INT TERM HUP
  $keep && [[ $code -eq 0 ]] && return
  # What still runs beside the script; some of it may be gone already. Nobody needs the data, so nobody waits for an end in order.
  local others
  mapfile -t others < <(jobs -p)
  [[ -z "$server" ]] || others+=("$server")
  kill -KILL "${others[@]}" 2>/dev/null || true
  wait "${others[@]}" 2>/dev/null || true
  [[ -z "$folder" ]] || rm -rf "$folder"
}

trap clean_up EXIT
# Not into the line of a bar that was being drawn.
trap 'echo; exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

unset CAIRN_TOKEN CAIRN_CA_FILE   # They are for another server.
folder="$(mktemp -d "${TMPDIR:-/tmp}/cairn-demo.XXXXXX")"
