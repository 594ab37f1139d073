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

/** The script for fish 3.1 and newer. */
export const fishScript = (
  places: readonly Place[],
): string => `# fish completion for innkeep, written by \`innkeep completion fish\`
function __innkeep_complete
    set -l current (commandline -ct)
    set -l place ''
    set -l flag ''
    set -l given
    set -l typed (commandline -opc)
    for word in $typed[2..-1]
        if test -n "$flag"
            contains -- $flag ${contextFlags.join(" ")}; and set -a given $flag $word
            set flag ''
            continue
        end
        switch $word
            case '-*=*'
            case '-*'
                switch "$place/$word"
${caseOf([{ patterns: valuedFlags(places), action: "set flag $word" }], 20)}
                end
            case '*'
                switch "$place/$word"
${caseOf(
  steps(places, (path) => `set place '${path}'`),
  20,
)}
                end
        end
    end
    set -l before ''
    if string match -q -- '--*=*' $current
        set flag (string replace -r '=.*' '' -- $current)
        set before "$flag="
        set current (string replace -r '^[^=]*=' '' -- $current)
    end
    if test -n "$flag"
        switch "$place/$flag"
${caseOf(flagValues(places, valuesAction), 12)}
        end | string replace -r '^' -- "$before"
    else if string match -q -- '-*' $current
        switch "$place"
${caseOf(
  places.map(({ path, flags }) => ({ patterns: [path], action: listOf(flags) })),
  12,
)}
        end
    else
        switch "$place"
${caseOf(
  [
    ...places
      .filter(({ next }) => next.length > 0)
      .map(({ path, next }) => ({ patterns: [path], action: listOf(next) })),
    ...argumentValues(
      places.filter(({ next }) => next.length === 0),
      valuesAction,
    ),
  ],
  12,
)}
        end
    end
end
complete -c innkeep -f -a '(__innkeep_complete)'
`;

/** Each word on a line of its own, with a tab before its meaning. */
const listOf = (words: readonly Word[]): string =>
  `printf '%s\\t%s\\n' ${words.flatMap(({ word, meaning }) => [quoted(word), quoted(meaning)]).join(" ")}`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function valuesAction(values: Values): string {
  if ("words" in values) return `printf '%s\\n' ${values.words.map(quoted).join(" ")}`;
  if ("files" in values) return "__fish_complete_path $current";
  return `${listCommand(values.listing)} $given 2>/dev/null </dev/null`;
}

const caseOf = (branches: readonly Branch[], indent: number): string =>
  branches
    .map(
      ({ patterns, action }) =>
        `${" ".repeat(indent)}case ${patterns.map(quoted).join(" ")}\n${" ".repeat(indent + 4)}${action}`,
    )
    .join("\n");
