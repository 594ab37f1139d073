import {
  argumentValues,
  type Branch,
  contextFlags,
  flagValues,
  listCommand,
  steps,
  valuedFlags,
} from "./cases.ts";
import type { Place, Values, Word } from "./places.ts";

/** The script for zsh: a file \`_innkeep\` of the fpath, or text for \`eval\`. */
export const zshScript = (places: readonly Place[]): string => `#compdef innkeep
# zsh completion for innkeep, written by \`innkeep completion zsh\`
_innkeep() {
  local current="\${words[CURRENT]}" place="" flag="" word="" line="" files=""
  local -a given list
  integer at
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    if [[ -n "$flag" ]]; then
      case "$flag" in (${contextFlags.join("|")}) given+=("$flag" "$word") ;; esac
      flag=""
      continue
    fi
    case "$word" in
      (-*=*) ;;
      (-*) case "$place/$word" in
${caseOf([{ patterns: valuedFlags(places), action: 'flag="$word"' }], 8)}
      esac ;;
      (*) case "$place/$word" in
${caseOf(
  steps(places, (path) => `place="${path}"`),
  8,
)}
      esac ;;
    esac
  done
  if [[ "$current" == --*=* ]]; then
    flag="\${current%%=*}"
    compset -P '*='
  fi
  if [[ -n "$flag" ]]; then
    case "$place/$flag" in
${caseOf(flagValues(places, valuesAction), 6)}
    esac
  elif [[ "$current" == -* ]]; then
    case "$place" in
${caseOf(
  places.map(({ path, flags }) => ({ patterns: [`"${path}"`], action: listOf(flags) })),
  6,
)}
    esac
  else
    case "$place" in
${caseOf(
  [
    ...places
      .filter(({ next }) => next.length > 0)
      .map(({ path, next }) => ({ patterns: [`"${path}"`], action: listOf(next) })),
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
    _files
  else
    _describe innkeep list
  fi
}
if [[ "\${funcstack[1]}" == "_innkeep" ]]; then
  _innkeep "$@"
elif (( $+functions[compdef] )); then
  compdef _innkeep innkeep
fi
`;

const listOf = (words: readonly Word[]): string => `list=(${words.map(described).join(" ")})`;

/** A word with its meaning, in single quotes. A colon parts the two. */
const described = ({ word, meaning }: Word): string =>
  `'${word.replaceAll(":", "\\:")}:${meaning.replaceAll("'", "'\\''")}'`;

function valuesAction(values: Values): string {
  if ("words" in values) return `list=(${values.words.join(" ")})`;
  if ("files" in values) return "files=yes";
  const lines = `\${(f)"$(${listCommand(values.listing)} $given 2>/dev/null </dev/null)"}`;
  return `for line in ${lines}; do list+=("\${line%%$'\\t'*}:\${line#*$'\\t'}"); done`;
}

const caseOf = (branches: readonly Branch[], indent: number): string =>
  branches
    .map(({ patterns, action }) => `${" ".repeat(indent)}(${patterns.join("|")}) ${action} ;;`)
    .join("\n");
