"""Keys for the prompt of a shell: the last command that failed is explained, or what made it fail is mended.

A hook keeps the command and its exit code. A key puts an ordinary command into the line and enters it: what
is asked is seen, stands in the history, and is stopped like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

EXPLAIN = "fails with exit code $_tripletick_code. Explain why, and say what to type instead."
MEND = "fails with exit code $_tripletick_code. Find out why and fix it."
BASH = r"""# tripletick keys for bash, at the end of ~/.bashrc: eval "$(tripletick completion bash --keys)"
# Alt+E explains the last failed command, Alt+M mends what made it fail.
_tripletick_command= _tripletick_code=
_tripletick_keep() {
    local code=$? last
    last=$(HISTTIMEFORMAT= builtin history 1)
    [[ $last =~ ^[[:space:]]*[0-9]+[*[:space:]]+(.*)$ ]] && last=${BASH_REMATCH[1]}
    case "$code,$last" in
    0,* | 130,* | *,tripletick\ *) ;;
    *) _tripletick_command=$last _tripletick_code=$code ;;
    esac
    return "$code"
}
_tripletick_ask() {
    local quote="'\\''"
    [ -n "$_tripletick_command" ] || { READLINE_LINE= READLINE_POINT=0; return; }
    READLINE_LINE="tripletick '\`${_tripletick_command//\'/"$quote"}\` $1'"
    READLINE_POINT=${#READLINE_LINE}
}
_tripletick_explain() { _tripletick_ask "@EXPLAIN@"; }
_tripletick_mend() { _tripletick_ask "@MEND@"; }
PROMPT_COMMAND="_tripletick_keep${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
bind -x '"\C-x\C-t1": _tripletick_explain'
bind -x '"\C-x\C-t2": _tripletick_mend'
bind '"\ee": "\C-x\C-t1\C-m"'
bind '"\em": "\C-x\C-t2\C-m"'
"""
ZSH = r"""# tripletick keys for zsh, at the end of ~/.zshrc: eval "$(tripletick completion zsh --keys)"
# Alt+E explains the last failed command, Alt+M mends what made it fail.
typeset -g _tripletick_typed= _tripletick_command= _tripletick_code=
_tripletick_begin() { _tripletick_typed=$1 }
_tripletick_keep() {
    local code=$?
    case "$code,$_tripletick_typed" in
    0,* | 130,* | *,tripletick\ * | *,) ;;
    *) _tripletick_command=$_tripletick_typed _tripletick_code=$code ;;
    esac
    _tripletick_typed=
}
_tripletick_ask() {
    [[ -n $_tripletick_command ]] || return 0
    local asked="\`$_tripletick_command\` $1"
    BUFFER="tripletick ${(qq)asked}"
    zle accept-line
}
_tripletick_explain() { _tripletick_ask "@EXPLAIN@" }
_tripletick_mend() { _tripletick_ask "@MEND@" }
preexec_functions+=(_tripletick_begin)
precmd_functions=(_tripletick_keep $precmd_functions)
zle -N _tripletick_explain
zle -N _tripletick_mend
bindkey '^[e' _tripletick_explain
bindkey '^[m' _tripletick_mend
"""
FISH = r"""# tripletick keys for fish, in config.fish: tripletick completion fish --keys | source
# Alt+E explains the last failed command, Alt+M mends what made it fail.
function _tripletick_keep --on-event fish_postexec
    set -l code $status
    if test $code -ne 0 -a $code -ne 130; and not string match -q 'tripletick *' -- $argv[1]
        set -g _tripletick_command $argv[1]
        set -g _tripletick_code $code
    end
end
function _tripletick_ask
    set -q _tripletick_command; or return
    commandline -r -- "tripletick "(string escape -- "`$_tripletick_command` $argv[1]")
    commandline -f execute
end
function _tripletick_explain
    _tripletick_ask "@EXPLAIN@"
end
function _tripletick_mend
    _tripletick_ask "@MEND@"
end
bind \ee _tripletick_explain
bind \em _tripletick_mend
"""


def _fill_script(script: str) -> str:
    return script.replace("@EXPLAIN@", EXPLAIN).replace("@MEND@", MEND)


SCRIPTS: Mapping[str, str] = {
    "bash": _fill_script(BASH),
    "zsh": _fill_script(ZSH),
    "fish": _fill_script(FISH),
}
