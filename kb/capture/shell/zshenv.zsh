# The .zshenv of a folder that stands in for the user's ZDOTDIR inside `kb shell`: the user's own is read from theirs.
__kb_folder=$ZDOTDIR
if [[ -n $KB_ZDOTDIR ]]; then ZDOTDIR=$KB_ZDOTDIR; else unset ZDOTDIR; fi
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then . "${ZDOTDIR:-$HOME}/.zshenv"; fi
KB_ZDOTDIR=${ZDOTDIR-}
ZDOTDIR=$__kb_folder
