# Completes a command line as zsh would, and prints what it offers, a line each.
#   zsh -f completion.zsh PROGRAM DUMP LINE     DUMP: a file in which compinit keeps what it has found
# Completion works only at a prompt, so a second zsh runs in a terminal of its own, where the line is typed and a
# compadd of ours writes down what is added.
zmodload zsh/zpty
offered=$(mktemp)
dump=$2
typed=$3
export PATH=${1:h}:$PATH offered dump
zpty offering zsh -f -i
zpty -w offering "
    PS1= RPS1= PS2=
    unset zle_bracketed_paste
    autoload -U compinit && compinit -u -d \$dump
    source <(latchkey-cli completion zsh)
    compadd() {
        if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
            local -a hits
            builtin compadd -A hits \"\$@\"
            ((\$#hits)) && print -rl -- \$hits >>\$offered
        fi
        builtin compadd \"\$@\"
    }
    finish() { print -n '<complet''ed>' >/dev/tty }
    zle -C offer complete-word _main_complete
    comppostfuncs=(finish)
    bindkey '^I' offer
    print -n '<rea''dy>'"
zpty -r -m offering answer '*<ready>*'
zpty -w -n offering $typed$'\t'
zpty -r -m offering answer '*<completed>*'
zpty -d offering
sort -u $offered
rm -f $offered
