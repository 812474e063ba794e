"""Keys for a shell prompt: explain the last failed command, or fix its cause.

A hook keeps the command and its exit code. A key puts an ordinary command into the line and enters it: what
is asked is seen, stands in the history, and is stopped like any other.
"""

from __future__ import annotations

from collections.abc import Mapping

EXPLAIN = "fails with exit code $_tripletick_code. Explain why, and say what to type instead."
MEND = "fails with exit code $_tripletick_code. Find out why and fix it."
BASH = (
    '# tripletick keys for bash, at the end of ~/.bashrc: eval "$(tripletick completion bash '
    '--keys)"\n# Alt+E explains the last failed command, Alt+M fixes its cause.\n'
    "_tripletick_command= _tripletick_code=\n_tripletick_keep() {\n    local code=$? last\n    "
    "last=$(HISTTIMEFORMAT= builtin history 1)\n    [[ $last =~ "
    '^[[:space:]]*[0-9]+[*[:space:]]+(.*)$ ]] && last=${BASH_REMATCH[1]}\n    case "$code,$last" '
    "in\n    0,* | 130,* | *,tripletick\\ *) ;;\n    *) _tripletick_command=$last "
    '_tripletick_code=$code ;;\n    esac\n    return "$code"\n}\n_tripletick_ask() {\n    local '
    'quote="\'\\\\\'\'"\n    [ -n "$_tripletick_command" ] || { READLINE_LINE= READLINE_POINT=0; '
    'return; }\n    READLINE_LINE="tripletick \'\\`${_tripletick_command//\\\'/"$quote"}\\` '
    "$1'\"\n    READLINE_POINT=${#READLINE_LINE}\n}\n_tripletick_explain() { _tripletick_ask "
    '"@EXPLAIN@"; }\n_tripletick_mend() { _tripletick_ask "@MEND@"; }\n'
    'PROMPT_COMMAND="_tripletick_keep${PROMPT_COMMAND:+;$PROMPT_COMMAND}"\nbind -x '
    "'\"\\C-x\\C-t1\": _tripletick_explain'\nbind -x '\"\\C-x\\C-t2\": _tripletick_mend'\nbind "
    '\'"\\ee": "\\C-x\\C-t1\\C-m"\'\nbind \'"\\em": "\\C-x\\C-t2\\C-m"\'\n'
)
ZSH = (
    '# tripletick keys for zsh, at the end of ~/.zshrc: eval "$(tripletick completion zsh '
    '--keys)"\n# Alt+E explains the last failed command, Alt+M fixes its cause.\ntypeset -g '
    "_tripletick_typed= _tripletick_command= _tripletick_code=\n_tripletick_begin() { "
    "_tripletick_typed=$1 }\n_tripletick_keep() {\n    local code=$?\n    case "
    '"$code,$_tripletick_typed" in\n    0,* | 130,* | *,tripletick\\ * | *,) ;;\n    *) '
    "_tripletick_command=$_tripletick_typed _tripletick_code=$code ;;\n    esac\n    "
    "_tripletick_typed=\n}\n_tripletick_ask() {\n    [[ -n $_tripletick_command ]] || return "
    '0\n    local asked="\\`$_tripletick_command\\` $1"\n    BUFFER="tripletick '
    '${(qq)asked}"\n    zle accept-line\n}\n_tripletick_explain() { _tripletick_ask "@EXPLAIN@" '
    '}\n_tripletick_mend() { _tripletick_ask "@MEND@" }\npreexec_functions+=(_tripletick_begin)\n'
    "precmd_functions=(_tripletick_keep $precmd_functions)\nzle -N _tripletick_explain\nzle -N "
    "_tripletick_mend\nbindkey '^[e' _tripletick_explain\nbindkey '^[m' _tripletick_mend\n"
)
FISH = (
    "# tripletick keys for fish, in config.fish: tripletick completion fish --keys | source\n# "
    "Alt+E explains the last failed command, Alt+M fixes its cause.\nfunction _tripletick_keep "
    "--on-event fish_postexec\n    set -l code $status\n    if test $code -ne 0 -a $code -ne 130; "
    "and not string match -q 'tripletick *' -- $argv[1]\n        set -g _tripletick_command "
    "$argv[1]\n        set -g _tripletick_code $code\n    end\nend\nfunction _tripletick_ask\n    "
    'set -q _tripletick_command; or return\n    commandline -r -- "tripletick "(string escape -- '
    '"`$_tripletick_command` $argv[1]")\n    commandline -f execute\nend\nfunction '
    '_tripletick_explain\n    _tripletick_ask "@EXPLAIN@"\nend\nfunction _tripletick_mend\n    '
    '_tripletick_ask "@MEND@"\nend\nbind \\ee _tripletick_explain\nbind \\em _tripletick_mend\n'
)


def _fill_script(script: str) -> str:
    return script.replace("@EXPLAIN@", EXPLAIN).replace("@MEND@", MEND)


SCRIPTS: Mapping[str, str] = {
    "bash": _fill_script(BASH),
    "zsh": _fill_script(ZSH),
    "fish": _fill_script(FISH),
}
