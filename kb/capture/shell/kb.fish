# Marks before and after each command of fish inside `kb shell`; read after the user's own start-up files.
set -g __kb_nonce $KB_NONCE
set -e KB_NONCE

function __kb_began --on-event fish_preexec
    # The line as it was typed; one that begins with a space is not recorded.
    if string match -qr '^\s|^$' -- $argv[1]
        return
    end
    set -l line (string replace -ar '[\a\e]' '?' -- $argv[1] | string collect)
    printf '\e]7770;%s;C;%s\a' $__kb_nonce $line
end

function __kb_ended --on-event fish_postexec
    set -l code $status
    printf '\e]7770;%s;D;%s;%s\a' $__kb_nonce $code (string replace -ar '[[:cntrl:]]' '?' -- $PWD | string collect)
end
