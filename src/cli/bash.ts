import {
  argumentValues,
  type Branch,
  contextFlags,
  flagValues,
  listCommand,
  steps,
  valuedFlags,
} from "./cases.ts";
import type { Place, Values } from "./places.ts";

/** The script for bash 3.2 and newer. */
export const bashScript = (
  places: readonly Place[],
): string => `# bash completion for innkeep, written by \`innkeep completion bash\`
_innkeep() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place="" flag="" word="" at=0 list="" files=""
  local -a given=()
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    if [[ -n "$flag" ]]; then
      [[ "$word" == "=" ]] && continue
      case "$flag" in ${contextFlags.join("|")}) given+=("$flag" "$word") ;; esac
      flag=""
      continue
    fi
    case "$word" in
      -*) case "$place/$word" in
${caseOf([{ patterns: valuedFlags(places), action: 'flag="$word"' }], 8)}
      esac ;;
      *) case "$place/$word" in
${caseOf(
  steps(places, (path) => `place="${path}"`),
  8,
)}
      esac ;;
    esac
  done
  [[ "$current" == "=" ]] && current=""
  if [[ -n "$flag" ]]; then
    case "$place/$flag" in
${caseOf(flagValues(places, valuesAction), 6)}
    esac
  elif [[ "$current" == -* ]]; then
    case "$place" in
${caseOf(
  places.map(({ path, flags }) => ({
    patterns: [`"${path}"`],
    action: listOf(flags.map(({ word }) => word)),
  })),
  6,
)}
    esac
  else
    case "$place" in
${caseOf(
  [
    ...places
      .filter(({ next }) => next.length > 0)
      .map(({ path, next }) => ({
        patterns: [`"${path}"`],
        action: listOf(next.map(({ word }) => word)),
      })),
    ...argumentValues(
      places.filter(({ next }) => next.length === 0),
      valuesAction,
    ),
  ],
  6,
)}
    esac
  fi
  if [[ -n "$files" ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$list" -- "$current"))
  fi
}
complete -F _innkeep innkeep
`;

const listOf = (words: readonly string[]): string => `list="${words.join(" ")}"`;

function valuesAction(values: Values): string {
  if ("words" in values) return listOf(values.words);
  if ("files" in values) return "files=yes";
  return `list="$(${listCommand(values.listing)} "\${given[@]}" 2>/dev/null </dev/null | cut -f1)"`;
}

const caseOf = (branches: readonly Branch[], indent: number): string =>
  branches
    .map(({ patterns, action }) => `${" ".repeat(indent)}${patterns.join("|")}) ${action} ;;`)
    .join("\n");
