import { type ClientName, clientSetups } from "./client-setups.ts";
import type { Invocation } from "./core/context.ts";
import { printOne } from "./core/output.ts";

/** Prints how to add the MCP server to each common client; for one client only that, ready to be run or opened. */
export async function showSetup(
  invocation: Invocation,
  client: ClientName | undefined,
  more: readonly string[],
): Promise<void> {
  const words = await invocation.context.wordsToStart();
  const setups = clientSetups(invocation.baseUrl(), more, words).filter(
    (setup) => client === undefined || setup.client === client,
  );
  printOne(invocation, { setups }, () =>
    client === undefined
      ? setups.map(({ name, way, text }) => `${name} (${waysToRead[way]})\n  ${text}`).join("\n\n")
      : setups.map(({ text }) => text).join("\n"),
  );
}

const waysToRead = { command: "run", link: "open", settings: "settings" } as const;
