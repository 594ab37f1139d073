import type { Client } from "../../client/call.ts";
import { ServerError } from "../../client/errors.ts";
import { isTemporary } from "../../client/retry.ts";
import type { Context } from "../core/context.ts";
import type { Claimed } from "./carry-out.ts";

/** Another worker of the account may take a claim up after 15 minutes of silence. */
const minutes = 10;

interface Beating {
  readonly client: Pick<Client, "agent">;
  readonly context: Pick<Context, "clock">;
}

/** Does the work of a claim, and tells the server from time to time that it still goes on. (rule L72) */
export async function heard<Result>(
  beating: Beating,
  claimed: Claimed,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const heartbeats = beat(beating, claimed, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await heartbeats;
  }
}

/** Ends with the signal, and if the server refuses: the outcome will say why. */
async function beat(
  { client, context }: Beating,
  { run, claimId }: Claimed,
  signal: AbortSignal,
): Promise<void> {
  for (let passed = minutes; ; passed += minutes) {
    try {
      await context.clock.sleep(minutes * 60_000, signal);
      const body = { claimId, text: `The command has run for ${passed} minutes.` };
      await client.agent.reportProgress({ params: { runId: run.id }, body, signal });
    } catch (error) {
      if (signal.aborted || (error instanceof ServerError && !isTemporary(error))) return;
    }
  }
}
