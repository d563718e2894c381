# The start-up file of bash inside `kb shell` (bash 4.4 or newer): the user's own, and marks before and after each
# command. PS0 is expanded when a command was entered, right before it runs; no DEBUG trap, one fork, no program.
if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi

__kb_nonce=$KB_NONCE
unset KB_NONCE

# What the history does not take, kb does not take: a line that begins with a space keeps the history's last number.
# Repeated lines must be taken, or they would look the same.
HISTCONTROL=ignorespace
set -o history

__kb_say() {
  local HISTTIMEFORMAT=
  builtin printf '\e]7770;%s;%s;' "$__kb_nonce" "$1"
  builtin history 1
  builtin printf '\a'
}

__kb_ended() {
  local status=$?
  builtin printf '\e]7770;%s;D;%s;%s\a' "$__kb_nonce" "$status" "${PWD//[[:cntrl:]]/?}"
  return "$status"
}

PS0='$(__kb_say H)'"${PS0-}"
if ((BASH_VERSINFO[0] > 5 || (BASH_VERSINFO[0] == 5 && BASH_VERSINFO[1] >= 1))); then
  PROMPT_COMMAND=(__kb_ended "${PROMPT_COMMAND[@]}")
else
  PROMPT_COMMAND="__kb_ended${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
fi
__kb_say N
