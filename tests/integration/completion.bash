# Completes a command line as bash would, and prints what it offers, a line each.
#   bash --norc --noprofile completion.bash PROGRAM LINE WORD...     the words as readline cuts them
source <("$1" completion bash)
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
shift 2
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_latchkey_cli "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
