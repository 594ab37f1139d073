import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { isObject } from "../../../src/contract/json.ts";
import { isPrivateAddress, publicLookup } from "../../http/network-addresses.ts";

/** What a program says of itself at the address that is its id. */
export interface ClientDocument {
  /** As the document has it: unchecked. */
  readonly name?: unknown;
  readonly redirects: readonly string[];
}

/** How a test reaches a server of its own. */
export interface Reaching {
  readonly lookup?: LookupFunction;
  readonly ca?: string;
  readonly port?: number;
}

const most = { bytes: 5_120, milliseconds: 2_500 } as const;

/** The form of an address that may be the id of a program. (rule A45) */
export function isDocumentAddress(id: string): boolean {
  if (id.length > 500 || !/^https:\/\/[!-~]+$/.test(id) || !URL.canParse(id)) return false;
  const { href, pathname, hash, username, password, port } = new URL(id);
  return href === id && pathname !== "/" && hash === "" && username === "" && password === "" && port === "";
}

/**
 * Reads the document of a program: over https, without redirects, 5 kB at most, within 2.5 seconds, and never from a private
 * network. Rejects with a sentence that says what is wrong.
 */
export async function readClientDocument(id: string, reaching: Reaching = {}): Promise<ClientDocument> {
  if (!isDocumentAddress(id)) throw new Error("is not an https address with a path");
  const url = new URL(id);
  if (isPrivateAddress(url.hostname)) throw new Error("is in a private network");
  return documentIn(await textAt(url, reaching), id);
}

function textAt(url: URL, { lookup = publicLookup, ca, port }: Reaching): Promise<string> {
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
      asked.destroy();
    };
    const asked = request(url, options, (answer) => {
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
    // The limit is for the whole answer: a server may send one byte after another.
    const timer = setTimeout(() => fail("did not answer within 2.5 seconds"), most.milliseconds);
    asked.on("error", () => fail("cannot be reached"));
    asked.on("close", () => {
      clearTimeout(timer);
      reject(new Error("ended early"));
    });
    asked.end();
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
    // Said below.
  }
  throw new Error("is not a JSON object");
}

const keptMilliseconds = 300_000;
const mostKept = 200;

/** Reads documents and keeps each for five minutes: the consent page needs it twice. */
export function createClientDocuments(read = readClientDocument): (id: string) => Promise<ClientDocument> {
  const kept = new Map<string, { readonly document: Promise<ClientDocument>; readonly until: number }>();
  return (id) => {
    const now = performance.now();
    const known = kept.get(id);
    if (known && known.until > now) return known.document;
    const document = read(id);
    kept.delete(id);
    kept.set(id, { document, until: now + keptMilliseconds });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    document.catch(() => kept.delete(id));
    return document;
  };
}
