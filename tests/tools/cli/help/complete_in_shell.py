"""Types command lines into an interactive shell, each with a Tab before its Enter.

usage: complete_in_shell.py bash|zsh COMPLETION_FILE LINE...

In the shell `cairn` is a function that prints its arguments, each between < and >; the completion calls the
program by its path. Prints what the shell printed for each line.
"""

import os
import pty
import select
import sys
import time

shell, completion, *lines = sys.argv[1:]
start = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}[shell]
setup = {
    "bash": [f"source '{completion}'", "bind 'set bell-style none'", "bind 'set enable-bracketed-paste off'"],
    "zsh": ["autoload -Uz compinit && compinit -u -D", f"source '{completion}'", "unsetopt zle_bracketed_paste",
            "zstyle ':completion:*' menu no"],
}[shell]

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.environ["PS1"] = "READY> "
    os.environ["PROMPT"] = "READY> "
    os.execvp(start[0], start)

read_so_far = b""


def read_until(mark):
    """Reads until `mark` was printed, and returns what came before it."""
    global read_so_far
    give_up = time.monotonic() + 30
    while mark not in read_so_far:
        if time.monotonic() > give_up:
            sys.exit(f"no {mark!r} in {read_so_far!r}")
        if select.select([terminal], [], [], 0.1)[0]:
            read_so_far += os.read(terminal, 65536)
    before, _, read_so_far = read_so_far.partition(mark)
    return before


def enter(line):
    os.write(terminal, line.encode() + b"\r")


for number, line in enumerate(setup):
    enter(f"{line}; echo set''up{number}")
    read_until(f"setup{number}\r\n".encode())
enter("cairn() { printf '<%s>' \"$@\"; echo; echo EN''D; }; echo de''fined")
read_until(b"defined\r\n")
for line in lines:
    # The shell has read the Tab, and the program has answered, when the next key is echoed.
    os.write(terminal, line.encode() + b"\t")
    os.write(terminal, b" x\r")
    printed = read_until(b"END\r\n").split(b"\r\n")
    print(next(text for text in reversed(printed) if text.startswith(b"<")).decode())
os.close(terminal)
