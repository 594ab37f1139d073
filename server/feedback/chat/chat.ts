import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { systemReason } from "../../../src/words/system-reason.ts";
import { isPrivateAddress, privateRefusal, publicLookup } from "../../http/public-lookup.ts";

export interface ChatMessage {
  readonly url: string;
  /** JSON text. */
  readonly payload: string;
  /** Whether the address may be in a private or loopback network. */
  readonly privateAllowed: boolean;
}

const timeLimitMs = 10_000;

/**
 * Posts a message to an incoming webhook. Follows no redirect. Connects to a private network only if that is allowed,
 * also if a public name resolves to a private address. Rejects with a message that leaves out the address, which is a
 * secret.
 */
export function postToChat({ url, payload, privateAllowed }: ChatMessage): Promise<void> {
  const target = new URL(url);
  const send = target.protocol === "https:" ? requestHttps : requestHttp;
  if (!privateAllowed && isPrivateAddress(target.hostname)) return Promise.reject(new Error(privateRefusal));
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(payload) };
    const lookup = privateAllowed ? {} : { lookup: publicLookup };
    const outgoing = send(target, { method: "POST", headers, ...lookup }, (answer) => {
      const status = answer.statusCode ?? 0;
      // Only the status is needed. A slow or endless body would delay all other deliveries.
      answer.destroy();
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`The webhook answered ${status}`));
    });
    // The limit is for the whole call. A limit between two bytes would not stop a server that sends slowly.
    const timer = setTimeout(() => outgoing.destroy(new Error(lateRefusal)), timeLimitMs);
    outgoing.on("error", (error) => reject(new Error(reasonOf(error))));
    outgoing.on("close", () => clearTimeout(timer));
    outgoing.end(payload);
  });
}

const lateRefusal = "The webhook did not answer in time";

const reasonOf = (error: Error & { code?: string }): string =>
  error.code === undefined ? error.message : `The webhook cannot be reached (${systemReason(error)})`;
