import { usageError } from "./cli-error.ts";
import type { Invocation } from "./context.ts";

/** Whether a text has the form of an id. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/**
 * The id of the app that is meant: `--app`, INNKEEP_APP (an id or a name), or the only one that the maintainer token
 * reaches. Throws a usage error that lists them where it is not clear.
 */
export async function appOf(invocation: Invocation): Promise<string> {
  const wanted = invocation.flags.app ?? (invocation.context.env.INNKEEP_APP || undefined);
  if (wanted && isId(wanted)) return wanted;
  const { items } = await invocation.client().apps.list();
  const fitting = wanted === undefined ? items : items.filter(({ name }) => name === wanted);
  const [app, ...others] = fitting;
  if (app && others.length === 0) return app.id;
  const choice = items.map((one) => `  ${one.id}  ${one.name}`).join("\n");
  throw usageError(
    problemOf(wanted, fitting.length),
    choice === "" ? undefined : `Say which with --app:\n${choice}`,
  );
}

/** Whether a command goes through the console's API: `--app` says so, or a maintainer token is all there is. */
export async function goesThroughConsole(invocation: Invocation): Promise<boolean> {
  if (invocation.flags.app !== undefined) return true;
  if (await invocation.credential("appKey")) return false;
  return (await invocation.credential("maintainerToken")) !== undefined;
}

function problemOf(wanted: string | undefined, fitting: number): string {
  if (wanted === undefined)
    return fitting === 0 ? "This token reaches no app." : "This token reaches several apps.";
  return fitting === 0 ? `No app is called "${wanted}".` : `Several apps are called "${wanted}".`;
}
