# The output of the demo: titles, sentences, and commands with their output. Colour on a terminal only.

if [[ -t 1 && -z "${NO_COLOR:-}" ]]; then
  bold=$'\e[1m' faint=$'\e[2m' plain=$'\e[0m'
else
  bold='' faint='' plain=''
fi

scene=0

title() {
  scene=$((scene + 1))
  printf '\n%s%d. %s%s\n' "$bold" "$scene" "$*" "$plain"
}

# Prints a sentence. It is wrapped for a terminal only, so that a script finds it in one line.
if [[ -t 1 ]]; then
  say() { printf '\n%s\n' "$*" | fold -s -w 100 | sed 's/ $//'; }
else
  say() { printf '\n%s\n' "$*"; }
fi

# Prints a command, quoted for a shell.
show_command() {
  local word line='$'
  for word in "$@"; do
    [[ "$word" =~ ^[[:alnum:]_./:=,+-]+$ ]] || word="'${word//\'/\'\\\'\'}'"
    line+=" $word"
  done
  printf '\n%s%s%s\n' "$bold" "$line" "$plain"
}

# Shows a command and runs it; sets `took` to its duration in microseconds. The command runs in the background and the script
# waits for it, so that a trap runs at once and not after the command. stderr is part of the output. Returns the exit code.
# There is no $(...) before the command's end: bash 5.2 cannot run a trap while it reads one ("looking for matching `)'").
attempt() {
  local from code=0
  show_command "$@"
  from="${EPOCHREALTIME/[.,]/}"
  "$@" 2>&1 &
  wait "$!" || code=$?
  took=$((${EPOCHREALTIME/[.,]/} - from))
  [[ $took -lt 1000000 ]] || printf '%s(%s)%s\n' "$faint" "$(seconds "$took")" "$plain"
  return $code
}

# Runs a command that must succeed.
run() { attempt "$@" || give_up "exit code $?, where 0 was expected"; }

# Runs a command that must be refused, with exit code 1.
refused() {
  local code=0
  attempt "$@" || code=$?
  [[ $code -eq 1 ]] || give_up "exit code $code, where 1 was expected"
  printf '%s(exit code 1)%s\n' "$faint" "$plain"
}

give_up() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

# --- Times and numbers --------------------------------------------------------------------------------------------

# 1234567 becomes 1,234,567.
grouped() { printf '%s' "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/' -e 'tagain'; }

# seconds <microseconds>: "12.3 s".
seconds() { printf '%d.%d s' "$(($1 / 1000000))" "$(($1 / 100000 % 10))"; }

# rate <count> <microseconds>: "81,234/s".
rate() { printf '%s/s' "$(grouped "$(($1 * 1000000 / ($2 + 1)))")"; }
