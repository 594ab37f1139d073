import { CliError } from "../src/cli/core/failures/cli-error.ts";

/**
 * Loads a program of the package. Throws a CliError that names the missing package if the native part of the server
 * is not installed, as after `npm install --omit=optional`.
 */
export async function loadProgram<Program>(load: () => Promise<Program>): Promise<Program> {
  try {
    return await load();
  } catch (cause) {
    throw isMissingArgon2(cause) ? missing() : cause;
  }
}

const isMissingArgon2 = (cause: unknown): boolean =>
  cause instanceof Error && /argon2|native binding/i.test(cause.message);

const missing = (): CliError =>
  new CliError({
    exit: "unexpected",
    code: "missing_package",
    message: `The server needs the part of @node-rs/argon2 for ${process.platform}-${process.arch}, which is not installed here.`,
    next: "Install innkeep again without --omit=optional. All commands but `serve` and `admin` work as it is.",
  });
