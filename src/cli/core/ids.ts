import { ServerError } from "../../client/errors.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";
import { onOneLine } from "./plain-text.ts";
import { namedApp } from "./server-address.ts";

/** An item of a list: its id, and a name for a person. */
export interface Listed {
  readonly id: string;
  readonly name: string;
}

const fewest = 4;

/**
 * The whole id: as given, or the only id of the list with this start. A text that cannot be the start of an id is
 * left to the server. Throws a CliError if no id has this start, and a usage error with the choice if several have
 * it.
 */
export async function wholeId(
  given: string,
  {
    thing,
    command,
    list,
    leftOut = "",
  }: {
    /** What an item is called, such as `FAQ entry`. */
    readonly thing: string;
    /** The command that lists all items. */
    readonly command: string;
    readonly list: () => Promise<readonly Listed[]>;
    /** A sentence about items that the list does not show. */
    readonly leftOut?: string;
  },
): Promise<string> {
  if (!isStart(given)) return given.toLowerCase();
  const found = (await list()).filter(({ id }) => id.startsWith(given.toLowerCase()));
  const [one, ...others] = found;
  if (!one) {
    const message = `There is no ${thing} ${given}.`;
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message,
      next: `\`${command}\` shows all. ${leftOut}`.trimEnd(),
    });
  }
  if (others.length === 0) return one.id;
  const choice = found.map(({ id, name }) => `  ${id}  ${onOneLine(name)}`).join("\n");
  throw usageError(`${found.length} ids start with ${given}.`, `Give more of it:\n${choice}`);
}

/** Whether a text can be the start of an id, and is long enough. */
export const isStart = (text: string): boolean =>
  text.length >= fewest && text.length < 36 && /^[0-9a-f]{1,8}(-[0-9a-f-]*)?$/i.test(text);

const shown = 8;

/** The ids, shortened to the same length at which they still differ. */
export function shortened(ids: readonly string[]): string[] {
  const different = new Set(ids);
  let length = shown;
  while (length < 36 && new Set([...different].map((id) => id.slice(0, length))).size < different.size)
    length += 1;
  return ids.map((id) => (isId(id) ? id.slice(0, length).replace(/-$/, "") : id));
}

interface NamedApp {
  readonly id: string;
  readonly name: string;
}

/** Whether a text has the form of an id. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/**
 * The id of the command's app. Its argument, `--app`, INNKEEP_APP, the project file or the profile names it, by id, start
 * of the id, or name; else it is the only app of the maintainer token.
 * Throws a usage error that lists the apps if the choice is not clear.
 */
export async function appIdOf(
  invocation: Invocation,
  wanted = namedApp(invocation),
  next = "Say which with --app:",
): Promise<string> {
  if (wanted && isId(wanted)) return wanted;
  const apps = await reachableApps(invocation);
  const fitting = wanted === undefined ? apps : appsCalled(apps, wanted);
  const [app, ...others] = fitting;
  if (app && others.length === 0) return app.id;
  const choice = apps.map((one) => `  ${one.id}  ${one.name}`).join("\n");
  throw usageError(problemOf(wanted, fitting.length), choice === "" ? undefined : `${next}\n${choice}`);
}

/** Whether a command uses the API of the console: with `--app`, or if there is a maintainer token and no app key. */
export async function goesThroughConsole(invocation: Invocation): Promise<boolean> {
  if (invocation.flags.app !== undefined) return true;
  if (await invocation.credential("appKey")) return false;
  return hasMaintainerToken(invocation);
}

/** Whether there is a maintainer token, for requests that an app key does not allow. */
export const hasMaintainerToken = async (invocation: Invocation): Promise<boolean> =>
  (await invocation.credential("maintainerToken")) !== undefined;

/**
 * The apps that the token can use. A token without the right to list apps may be limited to one app; then it is that
 * one.
 */
export async function reachableApps(invocation: Invocation): Promise<readonly NamedApp[]> {
  try {
    return (await invocation.client().apps.list()).items;
  } catch (error) {
    if (!(error instanceof ServerError) || error.code !== "insufficient_scope") throw error;
    const { app } = await invocation.client().session.me();
    if (app) return [app];
    throw unknownApps(error);
  }
}

const unknownApps = ({ code, status }: ServerError): CliError =>
  new CliError({
    exit: "forbidden",
    code,
    message:
      "This token is good for all apps of its owner and may not list them, so it is not clear which app is meant.",
    next:
      "Give the app's id with --app or INNKEEP_APP (the addresses of its pages in the console hold it), or make a token that is " +
      "limited to one app, or one with the scope apps:read.",
    status,
  });

/** The apps with exactly that name; else those with that name in any case; else those whose id starts with it. */
function appsCalled(apps: readonly NamedApp[], wanted: string): readonly NamedApp[] {
  const small = wanted.toLowerCase();
  const ways: readonly ((app: NamedApp) => boolean)[] = [
    ({ name }) => name === wanted,
    ({ name }) => name.toLowerCase() === small,
    ({ id }) => small.length >= 4 && id.startsWith(small),
  ];
  return ways.map((fits) => apps.filter(fits)).find((found) => found.length > 0) ?? [];
}

function problemOf(wanted: string | undefined, fitting: number): string {
  if (wanted === undefined)
    return fitting === 0 ? "This token reaches no app." : "This token reaches several apps.";
  return fitting === 0 ? `No app is called "${wanted}".` : `Several apps are called "${wanted}".`;
}
