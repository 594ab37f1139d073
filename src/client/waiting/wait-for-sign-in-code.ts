import { limits } from "../../contract/limits.ts";
import type { Client } from "../calls/call.ts";
import { ServerError } from "../errors.ts";
import { isTemporary } from "./retry.ts";
import { sleep } from "./sleep.ts";

export interface ApprovalOptions {
  /** How long to wait for the person. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const pauses = { firstMs: 2_000, growth: 1.5, mostMs: 15_000 };

/**
 * Waits until a person has approved this device in the browser, and gives the sign-in code; `late` where the time is over
 * before, `unsupported` where the server knows no such waiting. A server that is away for a while only costs time; what
 * stays wrong, a refusal by the person too, is thrown.
 */
export async function waitForSignInCode(
  client: Pick<Client, "signIn">,
  device: { readonly deviceId: string; readonly challenge: string },
  { seconds, signal, now = () => new Date(), sleep: pause = sleep }: ApprovalOptions,
): Promise<{ readonly code: string } | "late" | "unsupported"> {
  const end = now().getTime() + seconds * 1_000;
  const left = () => Math.max(0, end - now().getTime());
  let pauseMs = 0;

  while (left() > 0) {
    const asked = now().getTime();
    const wait = Math.min(limits.waitSeconds, Math.ceil(left() / 1_000));
    const look = await lookAt(client, { ...device, wait }, signal);
    if (look === "unsupported" || typeof look === "object") return look;
    const held = look === "pending" && now().getTime() - asked >= wait * 500;
    pauseMs = held ? 0 : Math.min(pauses.mostMs, pauseMs * pauses.growth || pauses.firstMs);
    if (pauseMs > 0) await pause(Math.min(pauseMs, left()), signal);
  }
  return "late";
}

async function lookAt(
  client: Pick<Client, "signIn">,
  body: { readonly deviceId: string; readonly challenge: string; readonly wait: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly code: string } | "pending" | "away" | "unsupported"> {
  try {
    return (await client.signIn.await({ body, signal })) ?? "pending";
  } catch (error) {
    if (error instanceof ServerError && (error.status === 404 || error.status === 405)) return "unsupported";
    if (isTemporary(error)) return "away";
    throw error;
  }
}
