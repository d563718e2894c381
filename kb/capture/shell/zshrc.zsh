# The .zshrc of the folder that stands in for the user's ZDOTDIR inside `kb shell`.
__kb_folder=$ZDOTDIR
if [[ -n $KB_ZDOTDIR ]]; then ZDOTDIR=$KB_ZDOTDIR; else unset ZDOTDIR; fi
unset KB_ZDOTDIR
# Where the system's start-up file put the history into this folder, it belongs into the user's.
if [[ ${HISTFILE-} == $__kb_folder/* ]]; then HISTFILE=${ZDOTDIR:-$HOME}/${HISTFILE:t}; fi
if [[ -r ${ZDOTDIR:-$HOME}/.zshrc ]]; then . "${ZDOTDIR:-$HOME}/.zshrc"; fi
. "$__kb_folder/kb.zsh"
unset __kb_folder
