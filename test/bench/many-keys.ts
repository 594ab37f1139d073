import { join } from "node:path";
import { createKey, createToken } from "../../server/access/credentials.ts";
import { systemClock } from "../../server/clock.ts";
import { openDatabase } from "../../server/database/open.ts";
import { createNewId } from "../../server/secrets/secrets.ts";
import type { DemoAccount } from "./demo-server.ts";

export interface ManyKeys {
  readonly apiKeys: readonly string[];
  readonly agentTokens: readonly string[];
}

/** This many keys, so that no limit refuses a request of the load: there are up to 20,000 polls per second. */
const many = 4_000;

/** Creates keys of an app and tokens of its owner, before a server uses the folder. */
export async function makeManyKeys(data: string, { appId, userId }: DemoAccount): Promise<ManyKeys> {
  const database = await openDatabase({ file: join(data, "innkeep.db") });
  const deps = { newId: createNewId(), clock: systemClock };
  const agent = {
    kind: "agent",
    label: "bench",
    scopes: [],
    appId: null,
    userId,
    createdBy: "bench",
  } as const;
  const made = await database.write(async (tx) => {
    const apiKeys: string[] = [];
    const agentTokens: string[] = [];
    for (let count = 0; count < many; count += 1) {
      apiKeys.push((await createKey(deps, tx, { appId })).key);
      agentTokens.push((await createToken(deps, tx, agent)).token);
    }
    return { apiKeys, agentTokens };
  }, "long");
  await database.close();
  return made;
}
