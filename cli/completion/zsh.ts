// Owns the script for zsh.

import { PROGRAM } from '../kit/help.ts';
import { PREFIX, placeFunction } from './shell-text.ts';
import type { PlaceSpec } from './spec.ts';

export function zshScript(places: readonly PlaceSpec[]): string {
  return `#compdef ${PROGRAM}
# Completes the command lines of ${PROGRAM} in zsh.

${placeFunction(places)}

${PREFIX}_values() {
  local kind="$1" home="$2"
  local -a names
  case "$kind" in
    any) ;;
    file) _files ;;
    folder) _files -/ ;;
    peer)
      names=("\${(@f)$(\${words[1]} completion --peers \${home:+--home} \${home:+"$home"} 2>/dev/null)}")
      compadd -a names ;;
    *)
      names=("\${(@s:,:)kind}")
      compadd -a names ;;
  esac
}

${PREFIX}() {
  local commands options takes kinds parameters
  local place='' waiting='' home='' word kind
  local -i position=1 at
  local -a names
  ${PREFIX}_place ''
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
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
    for kind in \${=kinds}; do
      [[ "$kind" == "$waiting="* ]] && ${PREFIX}_values "\${kind#*=}" "$home"
    done
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    names=(\${=options})
    compadd -a names
  elif [[ -n "$commands" ]]; then
    names=(\${=commands})
    compadd -a names
  else
    names=(\${=parameters})
    kind="\${names[position]}"
    [[ -n "$kind" ]] && ${PREFIX}_values "$kind" "$home"
  fi
  return 0
}

if [[ "\${funcstack[1]}" == _${PROGRAM} ]]; then
  ${PREFIX} "$@"
else
  compdef ${PREFIX} ${PROGRAM}
fi
`;
}
