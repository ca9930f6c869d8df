// Owns the script for bash, from version 3.2 on.

import { PROGRAM } from '../kit/help.ts';
import { PREFIX, placeFunction } from './shell-text.ts';
import type { PlaceSpec } from './spec.ts';

export function bashScript(places: readonly PlaceSpec[]): string {
  return `# Completes the command lines of ${PROGRAM} in bash.

${placeFunction(places)}

${PREFIX}_values() {
  local kind="$1" current="$2" program="$3" home="$4"
  case "$kind" in
    any) ;;
    file | folder)
      # Only here: elsewhere a folder of the same name would change the word.
      compopt -o filenames 2>/dev/null
      [[ "$kind" == file ]] && COMPREPLY=($(compgen -f -- "$current"))
      [[ "$kind" == folder ]] && COMPREPLY=($(compgen -d -- "$current")) ;;
    peer) COMPREPLY=($(compgen -W "$("$program" completion --peers \${home:+--home "$home"} 2>/dev/null)" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "\${kind//,/ }" -- "$current")) ;;
  esac
}

${PREFIX}() {
  local commands options takes kinds parameters
  local place='' waiting='' home='' position=0 at word kind
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  ${PREFIX}_place ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    if [[ -n "$waiting" ]]; then
      [[ "$waiting" == --home ]] && home="$word"
      waiting=''
    elif [[ "$word" == -* ]]; then
      [[ " $takes " == *" $word "* ]] && waiting="$word"
    elif [[ -n "$commands" ]]; then
      place="\${place:+$place }$word"
      [[ "$place" == help ]] && place=''
      ${PREFIX}_place "$place"
    else
      position=$((position + 1))
    fi
  done
  if [[ -n "$waiting" ]]; then
    for kind in $kinds; do
      [[ "$kind" == "$waiting="* ]] && ${PREFIX}_values "\${kind#*=}" "$current" "\${COMP_WORDS[0]}" "$home"
    done
  elif [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n "$commands" ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  else
    parameters=($parameters)
    kind="\${parameters[position]}"
    [[ -n "$kind" ]] && ${PREFIX}_values "$kind" "$current" "\${COMP_WORDS[0]}" "$home"
  fi
  return 0
}

complete -F ${PREFIX} ${PROGRAM}
`;
}
