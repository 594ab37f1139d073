/** The result of the log of a step in the runner of GitHub. */
export interface ReadLog {
  /** The log as it is shown: with `***` for each mask. */
  readonly log: string;
  readonly masks: readonly string[];
  readonly annotations: readonly Annotation[];
  /** Other commands that were executed, such as `set-env`. */
  readonly executed: readonly string[];
}

export interface Annotation {
  readonly level: string;
  readonly title: string;
  readonly message: string;
}

/** Executes the commands in the lines of a log, as the runner does. */
export function readLog(lines: readonly string[]): ReadLog {
  const masks: string[] = [];
  const annotations: Annotation[] = [];
  const executed: string[] = [];
  const shown: string[] = [];
  let stopped: string | undefined;
  const masked = (text: string) => masks.reduce((left, mask) => left.replaceAll(mask, "***"), text);
  for (const line of lines) {
    const command = commandIn(line);
    if (stopped !== undefined) {
      if (command?.name === stopped) stopped = undefined;
      else shown.push(masked(line));
    } else if (!command) shown.push(masked(line));
    else if (command.name === "add-mask") masks.push(command.data);
    else if (command.name === "stop-commands") stopped = command.data;
    else if (["error", "warning", "notice"].includes(command.name)) {
      const { name: level, title, data } = command;
      annotations.push({ level, title: masked(title), message: masked(data) });
    } else if (["group", "endgroup"].includes(command.name)) shown.push(masked(line));
    else executed.push(command.name);
  }
  return { log: shown.join("\n"), masks, annotations, executed };
}

/** A command of the new form at the start of a line, or of the old form anywhere in it. */
function commandIn(line: string) {
  const [, name, properties = "", data = ""] =
    /^\s*::([^\s:]+)(?: (.*?))?::(.*)$/.exec(line) ?? /##\[([\w-]+)(?: (.*?))?\](.*)$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const title = /(?:^|,)title=([^,]*)/.exec(properties)?.[1] ?? "";
  return { name, title: unescaped(title), data: unescaped(data) };
}

const unescaped = (text: string): string =>
  text.replace(/%(25|0D|0A|3A|2C)/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

/** The names and values of a file such as GITHUB_OUTPUT. Throws for lines that the runner does not accept. */
export function readFileCommands(text: string): Record<string, string> {
  const lines = text.split("\n");
  const found: Record<string, string> = {};
  while (lines.length > 0) {
    const line = lines.shift() ?? "";
    if (line === "") continue;
    const [, name, delimiter] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    if (name === undefined || delimiter === undefined) {
      const [, key, value] = /^([^=]+)=(.*)$/.exec(line) ?? [];
      if (key === undefined) throw new Error(`The runner cannot read: ${line}`);
      found[key] = value ?? "";
      continue;
    }
    const end = lines.indexOf(delimiter);
    if (end < 0) throw new Error(`The end ${delimiter} is missing.`);
    found[name] = lines
      .splice(0, end + 1)
      .slice(0, -1)
      .join("\n");
  }
  return found;
}
