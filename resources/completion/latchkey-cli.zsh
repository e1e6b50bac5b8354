#compdef latchkey-cli
# zsh completion for latchkey-cli, made from the program's own table of commands by: latchkey-cli completion zsh

# A command line of its own, which stands behind a --.
_latchkey-cli-program()
{
    if (($typed[(Ie)--])); then
        _normal
    else
        compadd -- --
    fi
}

_latchkey-cli()
{
    local curcontext=$curcontext state line
    typeset -A opt_args
    local -a typed=("${(@)words[1,CURRENT - 1]}")
    local -a common=(@COMMON_OPTIONS@)
    local -a subcommands=(
@COMMANDS@
    )

    _arguments -C -A '-*' $common '1: :->command' '*:: :->arguments' && return
    case $state in
    command) _describe -t commands command subcommands ;;
    arguments)
        case $words[1] in
@ARGUMENTS@
        esac
        ;;
    esac
}

# Read as a file of fpath this is the function's body, which is called; else it is a script that defines it.
if [[ $funcstack[1] == _latchkey-cli ]]; then
    _latchkey-cli "$@"
else
    compdef _latchkey-cli latchkey-cli
fi
