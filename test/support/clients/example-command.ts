import type { Command } from "commander";
import { createProgram } from "../../../src/cli/core/program.ts";
import { emptyWorld } from "./command-line.ts";

/**
 * The words of the command that a line of an example calls. Throws the error of the command line if its flags are
 * wrong.
 */
export async function commandOfExample(line: string): Promise<string> {
  const [, ...argv] = wordsOfShell(line);
  let called = "";
  const program = await createProgram(argv, { context: emptyWorld(), outcome: { exit: "ok" } });
  program.hook("preAction", (_, command) => {
    for (let at: Command | null = command; at?.parent; at = at.parent) called = `${at.name()} ${called}`;
    throw new Error("read");
  });
  const ended = await program
    .parseAsync(argv, { from: "user" })
    .then(String, (error: Error) => error.message);
  if (ended !== "read") throw new Error(ended);
  return called.trim();
}

/** Splits a line into words as a shell does, up to a redirection. */
export const wordsOfShell = (line: string): string[] =>
  [...line.replace(/ [<>|] .*$/, "").matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/["']/g, ""),
  );
