import { lookup } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface Posting {
  readonly url: string;
  /** JSON text. */
  readonly payload: string;
  /** Whether the address may lie in a private or loopback network. */
  readonly privateAllowed: boolean;
}

const patience = 10_000;

/**
 * Posts a message to an incoming webhook. Rejects with what went wrong, without the address, which is a secret;
 * follows no redirect, and connects to no private network unless that is allowed, whatever the name resolves to.
 */
export function postToChat({ url, payload, privateAllowed }: Posting): Promise<void> {
  const target = new URL(url);
  const send = target.protocol === "https:" ? requestHttps : requestHttp;
  const host = target.hostname.replace(/^\[|\]$/g, "");
  if (!privateAllowed && ipaddr.isValid(host) && !isPublic(host))
    return Promise.reject(new Error(privateRefusal));
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(payload) };
    const lookup = privateAllowed ? {} : { lookup: publicLookup };
    const outgoing = send(target, { method: "POST", headers, ...lookup }, (answer) => {
      const status = answer.statusCode ?? 0;
      // The status is all there is to know, and a body need not end: a slow one would hold up all other deliveries.
      answer.destroy();
      if (status >= 200 && status < 300) resolve();
      else reject(new Error(`The webhook answered ${status}`));
    });
    // For all of it: a limit to the silence between two bytes is no limit.
    const timer = setTimeout(() => outgoing.destroy(new Error(lateRefusal)), patience);
    outgoing.on("error", (error) => reject(new Error(reasonOf(error))));
    outgoing.on("close", () => clearTimeout(timer));
    outgoing.end(payload);
  });
}

const privateRefusal = "The webhook's address lies in a private network";
const lateRefusal = "The webhook did not answer in time";

const reasonOf = (error: Error & { code?: string }): string =>
  error.code === undefined ? error.message : `The webhook cannot be reached (${error.code})`;

/** Resolves a name, but only to public addresses. */
const publicLookup: LookupFunction = (name, options, callback) => {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, "", 0);
    const [first] = addresses;
    if (!first || !addresses.every(({ address }) => isPublic(address)))
      return callback(new Error(privateRefusal), "", 0);
    return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
  });
};

const isPublic = (address: string): boolean => ipaddr.process(address).range() === "unicast";
