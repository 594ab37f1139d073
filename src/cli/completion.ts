import { Argument, type Command, Help, type Option } from "commander";
import { addExamples, commandAction, type Setup } from "./core/command.ts";
import {
  choicesOf,
  choicesOfArgument,
  type Listing,
  listedArguments,
  listedFlags,
} from "./core/listed-values.ts";
import { printOne } from "./core/output.ts";

const shells = ["bash", "zsh", "fish"] as const;

type Shell = (typeof shells)[number];

export function addCompletion(completion: Command, setup: Setup): void {
  completion
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
    .addHelpText(
      "after",
      "\nFor zsh, write the script into a file `_innkeep` in a folder of your fpath. See docs/terminal.md.",
    );
  addExamples(
    completion,
    "innkeep completion bash > ~/.local/share/bash-completion/completions/innkeep",
    "innkeep completion fish > ~/.config/fish/completions/innkeep.fish",
  );
  commandAction<object, Shell>(completion, setup, async (invocation, _, shell) => {
    const script = completionScript(shell, completion.parent ?? completion);
    printOne(invocation, { shell, script }, () => script.trimEnd());
  });
}

/** Returns the script for bash 3.2 and newer. */
const bashScript = (
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
${bashCase([{ patterns: valuedFlags(places), action: 'flag="$word"' }], 8)}
      esac ;;
      *) case "$place/$word" in
${bashCase(
  steps(places, (path) => `place="${path}"`),
  8,
)}
      esac ;;
    esac
  done
  [[ "$current" == "=" ]] && current=""
  if [[ -n "$flag" ]]; then
    case "$place/$flag" in
${bashCase(flagValues(places, bashValues), 6)}
    esac
  elif [[ "$current" == -* ]]; then
    case "$place" in
${bashCase(
  places.map(({ path, flags }) => ({
    patterns: [`"${path}"`],
    action: bashList(flags.map(({ word }) => word)),
  })),
  6,
)}
    esac
  else
    case "$place" in
${bashCase(
  [
    ...places
      .filter(({ next }) => next.length > 0)
      .map(({ path, next }) => ({
        patterns: [`"${path}"`],
        action: bashList(next.map(({ word }) => word)),
      })),
    ...argumentValues(
      places.filter(({ next }) => next.length === 0),
      bashValues,
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

const bashList = (words: readonly string[]): string => `list="${words.join(" ")}"`;

const bashCase = (branches: readonly Branch[], indent: number): string =>
  branches
    .map(({ patterns, action }) => `${" ".repeat(indent)}${patterns.join("|")}) ${action} ;;`)
    .join("\n");

/** Returns the script for fish 3.1 and newer. */
const fishScript = (
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
${fishCase([{ patterns: valuedFlags(places), action: "set flag $word" }], 20)}
                end
            case '*'
                switch "$place/$word"
${fishCase(
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
${fishCase(flagValues(places, fishValues), 12)}
        end | string replace -r '^' -- "$before"
    else if string match -q -- '-*' $current
        switch "$place"
${fishCase(
  places.map(({ path, flags }) => ({ patterns: [path], action: fishList(flags) })),
  12,
)}
        end
    else
        switch "$place"
${fishCase(
  [
    ...places
      .filter(({ next }) => next.length > 0)
      .map(({ path, next }) => ({ patterns: [path], action: fishList(next) })),
    ...argumentValues(
      places.filter(({ next }) => next.length === 0),
      fishValues,
    ),
  ],
  12,
)}
        end
    end
end
complete -c innkeep -f -a '(__innkeep_complete)'
`;

/** Returns a command that prints each word on a separate line, with a tab before its meaning. */
const fishList = (words: readonly Word[]): string =>
  `printf '%s\\t%s\\n' ${words.flatMap(({ word, meaning }) => [quoted(word), quoted(meaning)]).join(" ")}`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const fishCase = (branches: readonly Branch[], indent: number): string =>
  branches
    .map(
      ({ patterns, action }) =>
        `${" ".repeat(indent)}case ${patterns.map(quoted).join(" ")}\n${" ".repeat(indent + 4)}${action}`,
    )
    .join("\n");

/** Returns the script for zsh, as the file `_innkeep` in the fpath or for `eval`. */
const zshScript = (places: readonly Place[]): string => `#compdef innkeep
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
${zshCase([{ patterns: valuedFlags(places), action: 'flag="$word"' }], 8)}
      esac ;;
      (*) case "$place/$word" in
${zshCase(
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
${zshCase(flagValues(places, zshValues), 6)}
    esac
  elif [[ "$current" == -* ]]; then
    case "$place" in
${zshCase(
  places.map(({ path, flags }) => ({ patterns: [`"${path}"`], action: zshList(flags) })),
  6,
)}
    esac
  else
    case "$place" in
${zshCase(
  [
    ...places
      .filter(({ next }) => next.length > 0)
      .map(({ path, next }) => ({ patterns: [`"${path}"`], action: zshList(next) })),
    ...argumentValues(
      places.filter(({ next }) => next.length === 0),
      zshValues,
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

const zshList = (words: readonly Word[]): string => `list=(${words.map(described).join(" ")})`;

/** Returns a word and its meaning in single quotes, separated by a colon. */
const described = ({ word, meaning }: Word): string =>
  `'${word.replaceAll(":", "\\:")}:${meaning.replaceAll("'", "'\\''")}'`;

const zshCase = (branches: readonly Branch[], indent: number): string =>
  branches
    .map(({ patterns, action }) => `${" ".repeat(indent)}(${patterns.join("|")}) ${action} ;;`)
    .join("\n");

/** The flags that choose the server and the app. They are passed on to a command that lists values. */
const contextFlags = ["--app", "--profile", "--base-url", "--token-file", "--api-key-file"];

/** Returns a branch for each possible next word with its aliases. `action` gets the path of the next place. */
const steps = (places: readonly Place[], action: (path: string) => string): Branch[] =>
  places.flatMap((place) =>
    place.steps.map(({ word, aliases }) => ({
      patterns: [word, ...aliases].map((one) => `${place.path}/${one}`),
      action: action(place.path === "" ? word : `${place.path}/${word}`),
    })),
  );

const branches = (byAction: ReadonlyMap<string, readonly string[]>): Branch[] =>
  [...byAction].map(([action, patterns]) => ({ patterns, action }));

/** Returns the command line that prints the possible values, as text for a shell. */
const listCommand = ({ command, value, name }: Listing): string =>
  `innkeep ${command.join(" ")} --fields ${value},${name}`;

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/**
 * Returns the completion script of a shell. To complete commands and flags, the shell starts no program. (rule
 * L51)
 */
const completionScript = (shell: keyof typeof writers, program: Command): string =>
  writers[shell](placesOf(program));

function bashValues(values: Values): string {
  if ("words" in values) return bashList(values.words);
  if ("files" in values) return "files=yes";
  return `list="$(${listCommand(values.listing)} "\${given[@]}" 2>/dev/null </dev/null | cut -f1)"`;
}

function fishValues(values: Values): string {
  if ("words" in values) return `printf '%s\\n' ${values.words.map(quoted).join(" ")}`;
  if ("files" in values) return "__fish_complete_path $current";
  return `${listCommand(values.listing)} $given 2>/dev/null </dev/null`;
}

function zshValues(values: Values): string {
  if ("words" in values) return `list=(${values.words.join(" ")})`;
  if ("files" in values) return "files=yes";
  const lines = `\${(f)"$(${listCommand(values.listing)} $given 2>/dev/null </dev/null)"}`;
  return `for line in ${lines}; do list+=("\${line%%$'\\t'*}:\${line#*$'\\t'}"); done`;
}

/** One branch of the shell statement `case`: its patterns and its action. */
interface Branch {
  readonly patterns: readonly string[];
  readonly action: string;
}

/** Returns the flags with a value as `path/--flag`. If the flag has a value everywhere, the path is `*`. */
function valuedFlags(places: readonly Place[]): string[] {
  const flags = places.flatMap(({ path, flags: own }) => own.map((flag) => ({ path, ...flag })));
  const plain = new Set(flags.filter(({ takesValue }) => !takesValue).map(({ word }) => word));
  const valued = flags.filter(({ takesValue }) => takesValue);
  const patterns = valued.map(({ path, word }) => (plain.has(word) ? `${path}/${word}` : `*/${word}`));
  return [...new Set(patterns)];
}

/**
 * Returns one branch per list of values. The patterns of a branch are the flags with these values, as
 * `path/--flag`.
 */
function flagValues(places: readonly Place[], action: (values: Values) => string): Branch[] {
  const byAction = new Map<string, string[]>();
  for (const { path, flags } of places)
    for (const { word, values } of flags) if (values) add(byAction, action(values), `${path}/${word}`);
  return branches(byAction);
}

/**
 * Returns a branch for each list of argument values. Its patterns are the `path` of each place with this list.
 */
function argumentValues(places: readonly Place[], action: (values: Values) => string): Branch[] {
  const byAction = new Map<string, string[]>();
  for (const { path, argument } of places) if (argument) add(byAction, action(argument), path);
  return branches(byAction);
}

function add(byAction: Map<string, string[]>, action: string, pattern: string): void {
  byAction.set(action, [...(byAction.get(action) ?? []), pattern]);
}

/** A word to complete, with its meaning. */
interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** The values that can be completed: fixed words, names of files, or the output of a command. */
type Values =
  | { readonly words: readonly string[] }
  | { readonly files: true }
  | { readonly listing: Listing };

/** A flag. `values` is set only if the flag takes a value that can be completed. */
interface Flag extends Word {
  readonly takesValue: boolean;
  readonly values?: Values | undefined;
}

/** A word that may come next in the command line, with its aliases. After this word, another `Place` begins. */
interface Step {
  readonly word: string;
  readonly aliases: readonly string[];
}

/** A point in a command line: the words before it, and what may follow. */
interface Place {
  /** The words of the command up to this point, with slashes: `faq/list`. Empty at the start. */
  readonly path: string;
  /** The words that may follow and that the help lists. */
  readonly next: readonly Word[];
  /** All words that may follow, with their aliases. Also contains commands that help does not list. */
  readonly steps: readonly Step[];
  readonly flags: readonly Flag[];
  readonly argument?: Values | undefined;
}

function placesOf(program: Command): Place[] {
  const common = [...flagsOf(program), helpFlag, { ...versionFlag }];
  return [placeOf(program, "", common), ...program.commands.flatMap((one) => below(one, "", common))];
}

const helpFlag: Flag = { word: "--help", meaning: "display help for the command", takesValue: false };

const versionFlag: Flag = { word: "--version", meaning: "show the version", takesValue: false };

function below(command: Command, before: string, common: readonly Flag[]): Place[] {
  const path = before === "" ? command.name() : `${before}/${command.name()}`;
  const own = [...flagsOf(command), ...common.filter(({ word }) => word !== "--version")];
  return [placeOf(command, path, own), ...command.commands.flatMap((one) => below(one, path, common))];
}

const placeOf = (command: Command, path: string, flags: readonly Flag[]): Place => ({
  path,
  next: new Help().visibleCommands(command).map((one) => ({
    word: one.name(),
    meaning: one.description(),
  })),
  steps: command.commands.map((one) => ({ word: one.name(), aliases: one.aliases() })),
  flags,
  argument: argumentOf(command.registeredArguments[0], path),
});

const flagsOf = (command: Command): Flag[] =>
  command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map((option) => ({
      word: option.long ?? "",
      meaning: option.description,
      takesValue: option.required || option.optional,
      values: option.required || option.optional ? valuesOf(option) : undefined,
    }));

const isFile = (text: string): boolean => /<(file|folder|path)/.test(text);

function valuesOf(option: Option): Values | undefined {
  const words = choicesOf(option);
  if (words) return { words };
  const listing = listedFlags[option.long ?? ""];
  if (listing) return { listing };
  return isFile(option.flags) ? { files: true } : undefined;
}

function argumentOf(argument: Argument | undefined, path: string): Values | undefined {
  if (!argument) return undefined;
  const listing = listedArguments[path.replaceAll("/", " ")];
  if (listing) return { listing };
  const words = choicesOfArgument(argument);
  if (words) return { words };
  return isFile(`<${argument.name()}`) || argument.name() === "command" ? { files: true } : undefined;
}
