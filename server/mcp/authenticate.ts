import { ApiError } from "../../src/contract/errors.ts";
import { credentials } from "../access/credentials.ts";
import type { Deps } from "../deps.ts";
import {
  agentCaller,
  agentScopesOf,
  bearerOf,
  createTouch,
  topicsOfAllCredentials,
  topicsOfToken,
} from "../http/authenticate.ts";
import type { PresentedCredentials } from "../http/credentials.ts";
import type { AgentCaller } from "../http/handler.ts";
import { cachedLookup } from "../http/memory.ts";
import type { RequestSteps } from "../http/request-steps.ts";
import { hashOf } from "../secrets/secrets.ts";

/** A program that calls tools, and whether a person allowed it to propose. */
export interface ToolUser {
  readonly caller: AgentCaller;
  readonly mayPropose: boolean;
  /** The same program as its token gives it now. Rejects if the token was revoked since. */
  readonly callerNow: () => Promise<AgentCaller>;
}

/**
 * Finds who calls the tools: an agent token, or the access token of a connection, which opens nothing but the tools. All
 * others get the same refusal. (rule A43)
 */
export function createToolAuthenticate(
  deps: Pick<Deps, "clock" | "database" | "log" | "memory">,
  { authenticate }: Pick<RequestSteps, "authenticate">,
): (shown: PresentedCredentials) => Promise<ToolUser> {
  const find = cachedLookup({
    memory: deps.memory,
    dropAll: topicsOfAllCredentials,
    load: (hash) => credentials.findConnection(deps.database, hash),
    topicsOf: topicsOfToken,
  });
  const touch = createTouch(deps);

  /** A request that began with a valid token may end after the token's hour. */
  const connection = async (shown: PresentedCredentials, began: number) => {
    const hash = hashOf(bearerOf(shown.authorization));
    const row = await find(hash);
    if (!row || Date.parse(row.expiresAt) <= began) throw new ApiError("invalid_token");
    touch(hash, row, credentials.touchToken);
    return { caller: agentCaller(row, agentScopesOf(row.scopes)), mayPropose: mayPropose(row.scopes) };
  };

  return async (shown) => {
    if (!bearerOf(shown.authorization).startsWith("sdo_")) {
      const callerNow = () => authenticate("agentToken", shown);
      return { caller: await callerNow(), mayPropose: true, callerNow };
    }
    const began = deps.clock.now().getTime();
    const callerNow = async () => (await connection(shown, began)).caller;
    return { ...(await connection(shown, began)), callerNow };
  };
}

function mayPropose(scopes: string): boolean {
  const granted: unknown = JSON.parse(scopes);
  return Array.isArray(granted) && granted.includes("propose");
}
