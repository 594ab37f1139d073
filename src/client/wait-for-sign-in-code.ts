import { limits } from "../contract/limits.ts";
import type { Client } from "./call.ts";
import type { Clock } from "./clock.ts";
import { ServerError } from "./errors.ts";
import { pollUntil } from "./wait.ts";

export interface ApprovalOptions {
  /** How long to wait for the person. */
  readonly seconds: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Waits until a person has approved this device in the browser, and gives the sign-in code. Gives `late` if the time is
 * over before, and `unsupported` if the server does not report approvals. A server that is away for a while only costs
 * time; any other failure, and a refusal by the person, is thrown.
 */
export async function waitForSignInCode(
  client: Pick<Client, "signIn">,
  device: { readonly deviceId: string; readonly challenge: string },
  { seconds, clock, signal }: ApprovalOptions,
): Promise<{ readonly code: string } | "late" | "unsupported"> {
  const end = clock.now().getTime() + seconds * 1_000;
  const result = await pollUntil(
    {
      ask: (wait) => askForCode(client, { ...device, wait }, signal),
      holdSeconds: (left) => Math.min(limits.waitSeconds, Math.ceil(left / 1_000)),
      leftMs: () => Math.max(0, end - clock.now().getTime()),
      pauses: { firstMs: 2_000, growth: 1.5, mostMs: 15_000 },
      clock,
      signal,
    },
    (value) => value !== "pending",
  );
  return "failure" in result || result.value === "pending" ? "late" : result.value;
}

async function askForCode(
  client: Pick<Client, "signIn">,
  body: { readonly deviceId: string; readonly challenge: string; readonly wait: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly code: string } | "pending" | "unsupported"> {
  try {
    return (await client.signIn.await({ body, signal })) ?? "pending";
  } catch (error) {
    if (error instanceof ServerError && (error.status === 404 || error.status === 405)) return "unsupported";
    throw error;
  }
}
