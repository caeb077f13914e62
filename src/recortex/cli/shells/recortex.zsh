#compdef recortex
# Completes `recortex` in zsh. Made by `recortex completion zsh`; make it again after an upgrade.

_recortex_words() {
  REPLY=
  case "$1" in
# TABLE
  esac
}

_recortex_verbs=(
# SUMMARIES
)

_recortex() {
  local i word REPLY verb= option= key place=1
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $option ]]; then
      option=
    elif [[ $word == -* ]]; then
      _recortex_words "$verb ="
      [[ " $REPLY " == *" $word "* ]] && option=$word
    elif [[ -z $verb ]]; then
      verb=$word
    else
      ((place++))
    fi
  done
  if [[ -z $option && $PREFIX == --*=* ]]; then
    option=${PREFIX%%=*}
    compset -P '*='
  fi
  key=$place
  if [[ -n $option ]]; then
    key=$option
    _recortex_words "$verb ,"
    [[ " $REPLY " == *" $option "* ]] && compset -P '*,'
  elif [[ $PREFIX == -* ]]; then
    key=-
  elif [[ -z $verb ]]; then
    _describe -t verbs verb _recortex_verbs
    return
  fi
  _recortex_words "$verb $key"
  if [[ -n $REPLY ]]; then
    compadd -- ${=REPLY}
  else
    _files
  fi
}

if [[ $funcstack[1] == _recortex ]]; then
  _recortex "$@"
else
  compdef _recortex recortex
fi
