import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { systemReason } from "../../src/words/phrases.ts";
import {
  isLoopbackAddress,
  isPrivateAddress,
  loopbackLookup,
  otherMachineRefusal,
  privateRefusal,
  publicLookup,
} from "./network-addresses.ts";

/**
 * The addresses to which the server may post: only public addresses, all addresses, or only addresses of this
 * machine.
 */
export type Reach = "public" | "all" | "this machine";

/** The kind of server that gets a post. Error messages contain this text. */
export type Receiver = "webhook" | "chat" | "push service";

export interface SafePost {
  readonly url: string;
  readonly receiver: Receiver;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reach: Reach;
  readonly timeLimitMs: number;
  /** How many bytes of the answer are read; 0 if only the status is needed. */
  readonly answerBytes?: number;
  /** A signal that ends the post early. */
  readonly signal?: AbortSignal;
}

export interface PostAnswer {
  readonly status: number;
  /** The beginning of the body of the answer. */
  readonly text: string;
  /** The header `Retry-After`, if the answer has it. */
  readonly retryAfter: string | undefined;
}

/** How long the body of an answer may take after its headers. After this time, only the status is used. */
const bodyMilliseconds = 1_000;

/** Posts to a URL that a person has entered. The message of an Error does not contain this URL. (rule O29) */
export function postSafely({
  url,
  receiver,
  body,
  headers: more = {},
  reach,
  timeLimitMs,
  answerBytes = 0,
  signal,
}: SafePost): Promise<PostAnswer> {
  const target = new URL(url);
  const send = target.protocol === "https:" ? requestHttps : requestHttp;
  const refusal = refusalOf(target.hostname, reach);
  if (refusal !== undefined) return Promise.reject(new Error(refusal));
  return new Promise((resolve, reject) => {
    const headers = {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      ...more,
    };
    const lookup = lookups[reach];
    const outgoing = send(
      target,
      { method: "POST", headers, ...(lookup && { lookup }), ...(signal && { signal }) },
      (answer) => {
        const chunks: Buffer[] = [];
        let read = 0;
        const finish = () => {
          clearTimeout(late);
          // The remaining bytes are not read, because a slow or endless body would delay other posts.
          answer.destroy();
          const text = Buffer.concat(chunks).subarray(0, answerBytes).toString("utf8");
          const retryAfter = answer.headers["retry-after"];
          resolve({ status: answer.statusCode ?? 0, text, retryAfter });
        };
        const late = setTimeout(finish, bodyMilliseconds);
        if (answerBytes === 0) return finish();
        answer.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          read += chunk.length;
          if (read >= answerBytes) finish();
        });
        answer.on("end", finish);
        answer.on("error", finish);
      },
    );
    // A limit on the time between two bytes would not stop a server that sends slowly.
    const timer = setTimeout(
      () => outgoing.destroy(new Error(`The ${receiver} did not answer in time`)),
      timeLimitMs,
    );
    outgoing.on("error", (error) => reject(new Error(reasonOf(error, receiver))));
    outgoing.on("close", () => clearTimeout(timer));
    // Without this listener, Node reports neither an answer nor an error for the status 101 (Switching Protocols).
    outgoing.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new Error(`The ${receiver} switched to another protocol and gave no answer`));
    });
    outgoing.end(body);
  });
}

/** Returns where the server may post events and notices. A development server posts only to this machine. */
export const reachOf = ({
  dev,
  privateWebhooks,
}: {
  readonly dev: boolean;
  readonly privateWebhooks: boolean;
}): Reach => {
  if (dev) return "this machine";
  return privateWebhooks ? "all" : "public";
};

/** Returns why the server may not post to an address; undefined if it may. Host names are checked later. */
export const addressRefusal = (url: string, reach: Reach): string | undefined =>
  refusalOf(new URL(url).hostname, reach);

const lookups: Readonly<Record<Reach, LookupFunction | undefined>> = {
  public: publicLookup,
  all: undefined,
  "this machine": loopbackLookup,
};

function refusalOf(hostname: string, reach: Reach): string | undefined {
  if (reach === "public" && isPrivateAddress(hostname)) return privateRefusal;
  if (reach === "this machine" && isLoopbackAddress(hostname) === false) return otherMachineRefusal;
  return undefined;
}

const reasonOf = (error: Error & { code?: string }, receiver: Receiver): string =>
  error.code === undefined ? error.message : `The ${receiver} cannot be reached (${systemReason(error)})`;
