import type { Command } from "commander";
import type { AdminCommand, DatabaseChoice, S3Choice } from "../../programs.ts";
import type { Exit } from "./cli-error.ts";
import type { Context, Invocation } from "./context.ts";
import { details, printOne } from "./output.ts";

/** Adds a group of commands below `admin`. */
export const group = (admin: Command, name: string, summary: string): Command =>
  admin.command(name).description(summary).helpCommand(false);

/** Adds the flags that choose the database. */
export const onDatabase = (command: Command): Command =>
  command
    .option("--data <folder>", "folder of the database and the files (INNKEEP_DATA)")
    .option(
      "--database-url <url>",
      "address of a PostgreSQL database, used instead of a file (INNKEEP_DATABASE_URL)",
    );

/** Runs an operator's command directly on the database, without a server. Returns the result of the command. */
export function runOnDatabase(
  { context }: Invocation,
  { data, databaseUrl }: DatabaseChoice,
  command: AdminCommand,
): Promise<Readonly<Record<string, unknown>>> {
  const { env, programs } = context;
  return programs.admin({
    ...command,
    data: data ?? env.INNKEEP_DATA,
    databaseUrl: databaseUrl ?? env.INNKEEP_DATABASE_URL,
    secret: env.INNKEEP_SECRET,
    oldSecrets: env.INNKEEP_SECRET_OLD,
    erasuresFile: env.INNKEEP_ERASURES || undefined,
    ...(env.INNKEEP_S3_URL ? { s3: storeOf(env) } : {}),
  });
}

const storeOf = (env: Context["env"]): S3Choice => ({
  url: env.INNKEEP_S3_URL,
  accessKeyId: env.AWS_ACCESS_KEY_ID,
  secretAccessKey: env.AWS_SECRET_ACCESS_KEY,
});

/**
 * Runs an operator's command and prints its result. Returns the exit `incomplete` if the result lists missing files.
 */
export async function administer(
  invocation: Invocation,
  choice: DatabaseChoice,
  command: AdminCommand,
): Promise<Exit> {
  const result = await runOnDatabase(invocation, choice, command);
  printOne(invocation, result, () => details(textsOf(result)));
  const { missing } = result;
  return Array.isArray(missing) && missing.length > 0 ? "incomplete" : "ok";
}

const textsOf = (result: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
