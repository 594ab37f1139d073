import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { isObject } from "../../../src/contract/json.ts";
import { isPrivateAddress, publicLookup } from "../../http/network-addresses.ts";

/** The document of a program. The id of the program is the address of the document. */
export interface ClientDocument {
  /** The name of the program. It is not checked, so it can have any type. */
  readonly name?: unknown;
  readonly redirects: readonly string[];
}

/** Options for tests. With these options, a test can read the document from a server that it has started. */
export interface FetchOptions {
  readonly lookup?: LookupFunction;
  readonly ca?: string;
  readonly port?: number;
}

const most = { bytes: 5_120, milliseconds: 2_500 } as const;

/** Whether a text has the form of an address that may be the id of a program. (rule A45) */
export function isDocumentAddress(id: string): boolean {
  if (id.length > 500 || !/^https:\/\/[!-~]+$/.test(id) || !URL.canParse(id)) return false;
  const { href, pathname, hash, username, password, port } = new URL(id);
  return href === id && pathname !== "/" && hash === "" && username === "" && password === "" && port === "";
}

/**
 * Reads a program's document over https. Throws an Error after 2.5 seconds. Throws an Error for redirects,
 * private networks and more than 5 kB.
 */
export async function readClientDocument(id: string, options: FetchOptions = {}): Promise<ClientDocument> {
  if (!isDocumentAddress(id)) throw new Error("is not an https address with a path");
  const url = new URL(id);
  if (isPrivateAddress(url.hostname)) throw new Error("is in a private network");
  return documentIn(await textAt(url, options), id);
}

function textAt(url: URL, { lookup = publicLookup, ca, port }: FetchOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      lookup,
      headers: { accept: "application/json" },
      agent: false as const,
      ...(ca !== undefined && { ca }),
      ...(port !== undefined && { port }),
    };
    const fail = (message: string) => {
      reject(new Error(message));
      outgoing.destroy();
    };
    const outgoing = request(url, options, (answer) => {
      let text = "";
      let bytes = 0;
      if (answer.statusCode !== 200) return fail(`answered with ${answer.statusCode}`);
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        bytes += Buffer.byteLength(chunk);
        text += chunk;
        if (bytes > most.bytes) fail("is longer than 5 kB");
      });
      answer.on("end", () => resolve(text));
    });
    // The time limit is for the whole answer, because a server may send single bytes slowly.
    const timer = setTimeout(() => fail("did not answer within 2.5 seconds"), most.milliseconds);
    outgoing.on("error", () => fail("cannot be reached"));
    outgoing.on("close", () => {
      clearTimeout(timer);
      reject(new Error("ended early"));
    });
    outgoing.end();
  });
}

function documentIn(text: string, id: string): ClientDocument {
  const document = objectIn(text);
  if (document.client_id !== id) throw new Error("does not name this address as its `client_id`");
  const { client_name: name, redirect_uris: redirects } = document;
  if (!Array.isArray(redirects) || redirects.length === 0) throw new Error("lists no `redirect_uris`");
  return {
    name,
    redirects: redirects.filter((each): each is string => typeof each === "string").slice(0, 20),
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ...value };
  } catch {
    // The error is ignored here, because the code below throws the error for invalid JSON.
  }
  throw new Error("is not a JSON object");
}

const cacheMilliseconds = 300_000;
const mostCached = 200;

/**
 * Creates a function that reads and caches documents, because the consent page reads each document twice. Does
 * not cache failures.
 */
export function createClientDocuments(read = readClientDocument): (id: string) => Promise<ClientDocument> {
  const cache = new Map<string, { readonly document: Promise<ClientDocument>; readonly until: number }>();
  return (id) => {
    const now = performance.now();
    const cached = cache.get(id);
    if (cached && cached.until > now) return cached.document;
    const document = read(id);
    cache.delete(id);
    cache.set(id, { document, until: now + cacheMilliseconds });
    const [oldest] = cache.keys();
    if (cache.size > mostCached && oldest !== undefined) cache.delete(oldest);
    document.catch(() => cache.delete(id));
    return document;
  };
}
