# Completes `recortex` in bash. Made by `recortex completion bash`; make it again after an upgrade.

_recortex_words() {
  REPLY=
  case "$1" in
# TABLE
  esac
}

_recortex() {
  local i word key REPLY verb= option= lead= place=1 cur=${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == "=" ]]; then # bash parts --option=value in three
      continue
    elif [[ -n $option ]]; then
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
  [[ $cur == "=" ]] && cur=
  key=$place
  if [[ -n $option ]]; then
    key=$option
    _recortex_words "$verb ,"
    [[ " $REPLY " == *" $option "* && $cur == *,* ]] && lead=${cur%,*},
  elif [[ $cur == -* ]]; then
    key=-
  fi
  _recortex_words "$verb $key"
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$lead$word")
  done < <(compgen -W "$REPLY" -- "${cur#"$lead"}")
}

# Without words of ours, bash completes names of files.
complete -o default -F _recortex recortex
