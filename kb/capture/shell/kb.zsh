# Marks before and after each command of zsh inside `kb shell`; read after the user's own start-up files.
typeset -g __kb_nonce=$KB_NONCE
unset KB_NONCE

__kb_began() {
  # $1 is the line as it was typed; one that begins with a space is not recorded.
  [[ -z $1 || $1 == [[:space:]]* ]] && return
  builtin printf '\e]7770;%s;C;%s\a' "$__kb_nonce" "${${1//$'\e'/?}//$'\a'/?}"
}

__kb_ended() {
  local code=$?
  builtin printf '\e]7770;%s;D;%s;%s\a' "$__kb_nonce" "$code" "${PWD//[[:cntrl:]]/?}"
  return $code
}

typeset -ga preexec_functions precmd_functions
preexec_functions=($preexec_functions __kb_began)
precmd_functions=(__kb_ended $precmd_functions)
