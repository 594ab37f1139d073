import { ServerError } from "../../client/errors.ts";
import type { Slot } from "../../contract/tester.ts";
import { oneLine } from "../../words/visible.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";

import { namedApp } from "./settings.ts";

/** Returns the id of the tester's slot. Without `given`, there must be exactly one active slot. */
export async function ownSlotId(invocation: Invocation, given: string | undefined): Promise<string> {
  const slots = async () => (await invocation.client().tester.slots()).slots;
  if (given === undefined) return onlyOne(await slots());
  return wholeId(given, {
    thing: "slot",
    command: "innkeep slot list",
    list: async () => (await slots()).map(({ slotId, app }) => ({ id: slotId, name: app.name })),
  });
}

const activeStatuses: readonly string[] = ["active", "at_risk"] satisfies readonly Slot["status"][];

function onlyOne(slots: readonly Slot[]): string {
  const mine = slots.filter(({ status }) => activeStatuses.includes(status));
  const [slot, ...others] = mine;
  if (!slot) throw usageError("You have no slot now.", "`innkeep slot list --open` shows free slots.");
  if (others.length === 0) return slot.slotId;
  const choice = mine.map(({ slotId, app }) => `  ${slotId}  ${app.name}`).join("\n");
  throw usageError(`You have ${mine.length} slots.`, `Name one:\n${choice}`);
}

/** An item of a list: its id, and its name for a person. */
export interface Listed {
  readonly id: string;
  readonly name: string;
}

const fewest = 4;

/** Returns the whole id for its start. Throws a CliError unless exactly one id matches. */
export async function wholeId(
  given: string,
  {
    thing,
    command,
    list,
    leftOut = "",
  }: {
    /** The word for an item in messages, such as `FAQ entry`. */
    readonly thing: string;
    /** The command that lists all items. */
    readonly command: string;
    readonly list: () => Promise<readonly Listed[]>;
    /** A sentence about items that are not in the list. */
    readonly leftOut?: string;
  },
): Promise<string> {
  // The server checks a whole id, and a text that cannot be an id.
  if (!isStart(given)) return given.toLowerCase();
  const found = (await list()).filter(({ id }) => id.startsWith(given.toLowerCase()));
  const [one, ...others] = found;
  if (!one) {
    const message = `There is no ${thing} ${given}.`;
    throw new CliError({
      exit: "notFound",
      code: "not_found",
      message,
      next: `\`${command}\` lists all. ${leftOut}`.trimEnd(),
    });
  }
  if (others.length === 0) return one.id;
  const choice = found.map(({ id, name }) => `  ${id}  ${oneLine(name)}`).join("\n");
  throw usageError(`${found.length} ids start with ${given}.`, `Give more characters of the id:\n${choice}`);
}

/** Whether a text can be the start of an id and has enough characters. */
export const isStart = (text: string): boolean =>
  text.length >= fewest && text.length < 36 && /^[0-9a-f]{1,8}(-[0-9a-f-]*)?$/i.test(text);

const shown = 8;

/** Shortens all ids to the same length of at least `shown` characters, so that different ids stay different. */
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

/** Returns the id of the selected or only app. Throws a usage error unless exactly one app matches. */
export async function appIdOf(
  invocation: Invocation,
  wanted = namedApp(invocation),
  next = "Select one with --app:",
): Promise<string> {
  if (wanted && isId(wanted)) return wanted;
  const apps = await reachableApps(invocation);
  const fitting = wanted === undefined ? apps : appsCalled(apps, wanted);
  const [app, ...others] = fitting;
  if (app && others.length === 0) return app.id;
  const choice = apps.map((one) => `  ${one.id}  ${one.name}`).join("\n");
  throw usageError(problemOf(wanted, fitting.length), choice === "" ? undefined : `${next}\n${choice}`);
}

/** Whether a command uses the API of the console: with `--app`, or with a maintainer token but no app key. */
export async function goesThroughConsole(invocation: Invocation): Promise<boolean> {
  if (invocation.flags.app !== undefined) return true;
  if (await invocation.credential("appKey")) return false;
  return hasMaintainerToken(invocation);
}

/** Whether there is a maintainer token. Such a token allows requests that an app key does not allow. */
export const hasMaintainerToken = async (invocation: Invocation): Promise<boolean> =>
  (await invocation.credential("maintainerToken")) !== undefined;

/**
 * Returns the apps of the token. Without the scope `apps:read`, returns the token's only app or throws a
 * CliError.
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
      "This token is valid for all apps of its owner but may not list them, so it is not clear which app you mean.",
    next:
      "Give the id of the app with --app or INNKEEP_APP. The address of each page of the app in the console contains the id. " +
      "Or create a token that is limited to one app, or a token with the scope apps:read.",
    status,
  });

/**
 * Returns the apps named `wanted`. Without a match, ignores letter case, and then compares `wanted` with the
 * starts of ids.
 */
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
    return fitting === 0 ? "This token has access to no app." : "This token has access to several apps.";
  return fitting === 0 ? `No app is called "${wanted}".` : `Several apps are called "${wanted}".`;
}
