import { clientOf } from "../../client/client.ts";
import { reachableApps } from "../core/app-id.ts";
import { canAsk } from "../core/confirm.ts";
import { connect } from "../core/connection.ts";
import type { Invocation } from "../core/context.ts";
import { onOneLine } from "../core/plain-text.ts";

/** Asks a person for the app of the project; undefined for none. Proposes the only app of the maintainer token. */
export async function askForApp(invocation: Invocation): Promise<string | undefined> {
  if (!canAsk(invocation)) return undefined;
  const names = (await knownApps(invocation)).map(({ name }) => onOneLine(name));
  const only = names.length === 1 ? names[0] : undefined;
  const choice = names.length > 1 ? `, one of ${names.join(", ")}` : "";
  const question = `The app for commands with a maintainer token, by name or id${choice} [${only ?? "none"}]: `;
  return (await invocation.context.io.ask(question)).trim() || only;
}

/** The apps of the maintainer token. None if there is no token, or the server does not list apps. */
async function knownApps(invocation: Invocation): Promise<readonly { readonly name: string }[]> {
  const client = () => clientOf(connect(invocation, { attempts: 1, timeoutMs: 5_000 }));
  try {
    const token = await invocation.credential("maintainerToken");
    return token ? await reachableApps({ ...invocation, client }) : [];
  } catch {
    return [];
  }
}
