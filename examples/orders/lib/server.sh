# The demo's server, on a temporary folder that is removed when the demo ends, also by a signal.

folder=''
server=''
keep=false
clients=()   # The background clients of clients.sh.

# Starts the server on the folder and $1, an address to listen on, and waits until it serves. Sets CAIRN_URL. The server
# is a job of this shell, so that `wait` can wait for its end; bash cannot wait for an earlier process substitution.
start_server() {
  local line=''
  rm -f "$folder/announcement"
  mkfifo "$folder/announcement"
  cairn serve --data "$folder/data" --listen "$1" >"$folder/announcement" 2>>"$folder/server.log" &
  server=$!
  exec {announcement}<"$folder/announcement"   # Stays open: the server's output has a reader as long as the demo runs.
  read -r line <&"$announcement" || true
  CAIRN_URL="${line##* on }"
  [[ "$CAIRN_URL" == http* ]] || give_up "the server did not start: $(tail -n 1 "$folder/server.log")"
  export CAIRN_URL
}

# Shuts the server down as `kill` and Ctrl-C do, and waits for its end.
stop_server() {
  local stopping="$server"
  server=''
  kill -TERM "$stopping"
  wait "$stopping" || give_up "the server ended with exit code $?: $(tail -n 1 "$folder/server.log")"
}

# Runs at every exit: ends all processes that the demo started and removes the folder, unless --keep was given. The
# folder is removed last: a process that is still running could create a file in it meanwhile, and `rm` would fail.
# The clients of clients.sh end by themselves: they see the file `closed`, and a server that is gone refuses their last
# request at once. Killing them would leave the command that each one is running. SIGKILL is enough for the rest,
# because the data are not needed any more.
clean_up() {
  local code=$? job
  trap '' INT TERM HUP
  $keep && [[ $code -eq 0 ]] && return
  [[ -z "$folder" ]] || touch "$folder/closed"
  for job in $(jobs -p); do
    [[ " ${clients[*]:-} " == *" $job "* ]] || kill -KILL "$job" 2>/dev/null || true
  done
  wait 2>/dev/null || true
  [[ -z "$folder" ]] || rm -rf "$folder"
}

trap clean_up EXIT
# The line feed ends the line of a progress bar.
trap 'echo; exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

unset CAIRN_TOKEN CAIRN_CA_FILE   # They belong to another server.
folder="$(mktemp -d "${TMPDIR:-/tmp}/cairn-demo.XXXXXX")"
