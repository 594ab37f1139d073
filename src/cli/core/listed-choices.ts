import type { Context, GlobalFlags, Sink } from "./context.ts";
import { listedArguments } from "./listed-values.ts";
import type { Choice } from "./questions.ts";

/** Runs a command line and gives its exit code. */
export type Run = (argv: readonly string[], context: Context) => Promise<number>;

const most = 20;

/** What the argument of a command may be, from the command that lists it. Empty if it cannot be listed here. */
export async function listedChoices(
  { context, flags, run }: { readonly context: Context; readonly flags: GlobalFlags; readonly run: Run },
  words: string,
  own: GlobalFlags,
): Promise<readonly Choice[]> {
  const listing = listedArguments[words];
  if (!listing) return [];
  const written: string[] = [];
  const sink = (write: (text: string) => void): Sink => ({ isTerminal: false, columns: 80, write });
  const io = { ...context.io, stdout: sink((text) => written.push(text)), stderr: sink(() => {}) };
  const fields = ["--fields", `${listing.value},${listing.name}`];
  const argv = [...listing.command, ...fields, ...placeOf({ ...flags, ...own })];
  if ((await run(argv, { ...context, io })) !== 0) return [];
  const lines = written.join("").split("\n");
  return lines
    .filter((line) => line !== "")
    .slice(0, most)
    .map((line) => {
      const [value = "", name] = line.split("\t");
      return { value, ...(name && { name }) };
    });
}

/** The flags that say which server and app are meant. */
function placeOf({ app, baseUrl, profile, tokenFile, apiKeyFile }: GlobalFlags): string[] {
  const given = {
    "--app": app,
    "--base-url": baseUrl,
    "--profile": profile,
    "--token-file": tokenFile,
    "--api-key-file": apiKeyFile,
  };
  return Object.entries(given).flatMap(([flag, value]) =>
    value === undefined || value === "-" ? [] : [flag, value],
  );
}
