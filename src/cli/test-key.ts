import type { Command } from "commander";
import { CliError } from "./core/cli-error.ts";
import type { Invocation } from "./core/context.ts";
import { assertKnownServer, isOfOtherServer, notSent } from "./core/credentials.ts";
import { readText } from "./core/input.ts";

export interface TestKeyFile {
  readonly testKeyFile?: string;
}

/** The flag of commands that act for one slot. */
export const ofTestKey = (command: Command): Command =>
  command.option(
    "--test-key-file <file>",
    "read the slot's test key from a file; `-` is standard input (INNKEEP_TEST_KEY)",
  );

const variable = "INNKEEP_TEST_KEY";

/**
 * The test key of a slot. It is a secret, so it is not an argument. Throws a CliError if there is none, and if only a file of
 * the project names the server.
 */
export async function testKeyOf(
  { context, server }: Invocation,
  { testKeyFile: file }: TestKeyFile,
): Promise<string> {
  const given =
    file === undefined ? context.env.INNKEEP_TEST_KEY : await readText(context, "--test-key-file", file);
  const testKey = given?.trim();
  const isUnsent = file === undefined && isOfOtherServer(context, server(), variable);
  if (testKey && !isUnsent) {
    const source = file === undefined ? variable : "--test-key-file";
    assertKnownServer(context, server(), `${source} is not sent to`);
    return testKey;
  }
  throw new CliError({
    exit: "authentication",
    code: "missing_credential",
    message: isUnsent ? notSent(variable, server()) : "This needs the test key of a slot.",
    next: "Pipe it in with --test-key-file -, or set INNKEEP_TEST_KEY. `innkeep task list --with-test-keys --fields testKey` has it.",
  });
}
