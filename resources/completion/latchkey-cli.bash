# bash completion for latchkey-cli, made from the program's own table of commands by: latchkey-cli completion bash

# What a command takes; of "", what may stand before one. Options are --name, or --name=VALUE where a value follows;
# positionals are VALUEs. A VALUE is FILE, DIR, COMMAND (the words of any command), alternatives as a|b|c, or the name of
# something that cannot be completed.
_latchkey_cli_describe()
{
    options=(@COMMON_OPTIONS@)
    case $1 in
@COMMANDS@
    *) options=() positionals=() ;;
    esac
}

# What follows the option $1; nothing where no value does.
_latchkey_cli_value_of()
{
    local option
    value=
    for option in "${options[@]}"; do
        [[ $option == "$1="* ]] && value=${option#*=}
    done
}

# Completes the text $2 as the VALUE $1.
_latchkey_cli_reply()
{
    local text=${2#[\"\']}
    text=${text//\\/}
    case $1 in
    FILE)
        compopt -o filenames 2>/dev/null # Outside of a completion there is nothing to set.
        mapfile -t COMPREPLY < <(compgen -f -- "$text")
        ;;
    DIR)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$text")
        ;;
    --) mapfile -t COMPREPLY < <(compgen -W -- -- "$text") ;;
    *'|'*) mapfile -t COMPREPLY < <(compgen -W "${1//|/ }" -- "$text") ;;
    esac
    # Readline replaces only what follows the last : or =, so what stands before that must not come again.
    local breaks=${COMP_WORDBREAKS//[^:=]/}
    if [[ $breaks ]]; then
        local kept=${text%"${text##*["$breaks"]}"}
        COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    fi
}

# Completes a command line of its own that begins with COMP_WORDS[$1].
_latchkey_cli_command_line()
{
    if declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset "$1"
    elif declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
    else
        _latchkey_cli_reply FILE "${words[-1]}"
    fi
}

_latchkey_cli()
{
    # Readline cuts words at : and =, which keys and URLs are full of. words has them whole, up to the cursor; starts
    # says where in COMP_WORDS each begins.
    local words=() starts=() rest=${COMP_LINE:0:COMP_POINT} piece i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        if ((i == 0)) || [[ $rest == [[:blank:]]* ]]; then
            words+=('')
            starts+=("$i")
        fi
        rest=${rest#"${rest%%[![:blank:]]*}"}
        piece=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && piece=$rest
        words[-1]+=$piece
        rest=${rest#"$piece"}
    done

    COMPREPLY=()
    local options=() positionals=() command='' value='' count=0
    _latchkey_cli_describe ''
    for ((i = 1; i < ${#words[@]} - 1; i++)); do
        if [[ $value ]]; then
            value=
        elif [[ ${words[i]} == -- ]]; then
            [[ " ${positionals[*]} " == *' COMMAND '* ]] && _latchkey_cli_command_line "${starts[i + 1]}"
            return
        elif [[ ${words[i]} == -?* ]]; then
            _latchkey_cli_value_of "${words[i]}"
        elif [[ -z $command ]]; then
            command=${words[i]}
            _latchkey_cli_describe "$command"
        else
            count=$((count + 1))
        fi
    done

    local current=${words[-1]}
    if [[ $value ]]; then
        _latchkey_cli_reply "$value" "$current"
    elif [[ $current == --*=* ]]; then
        _latchkey_cli_value_of "${current%%=*}"
        _latchkey_cli_reply "$value" "${current#*=}"
    elif [[ $current == -* ]] || ((count >= ${#positionals[@]})); then
        mapfile -t COMPREPLY < <(compgen -W "${options[*]%%=*}" -- "$current")
    else
        _latchkey_cli_reply "${positionals[count]}" "$current"
    fi
}

complete -F _latchkey_cli latchkey-cli
