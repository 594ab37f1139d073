import type { Reader } from "../../../database/database.ts";
import type { Deps } from "../../../deps.ts";
import { programName } from "../program-name.ts";
import { isClientRedirect } from "../redirect.ts";
import { oauthClients } from "../store.ts";
import { OAuthFault } from "./oauth-fault.ts";

/** A program that wants to connect. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirects: readonly string[];
  /** The host that vouches for the name; null if the program gave the name itself. */
  readonly host: string | null;
}

/** What a program says of itself when it registers. */
export interface Registration {
  readonly name: unknown;
  readonly redirects: readonly string[];
}

const mostRedirects = 10;

/** Registers a program. It is forgotten after a day if nobody allows it anything. (RFC 7591; rule A45) */
export async function registerClient(
  { clock, database, newId }: Pick<Deps, "clock" | "database" | "newId">,
  { name, redirects }: Registration,
): Promise<OAuthClient & { readonly createdAt: string }> {
  if (redirects.length === 0 || redirects.length > mostRedirects)
    throw new OAuthFault("invalid_redirect_uri", `Send 1 to ${mostRedirects} redirect_uris.`);
  if (!redirects.every(isClientRedirect))
    throw new OAuthFault(
      "invalid_redirect_uri",
      "Each of redirect_uris must be an https address, an http address on localhost, or one with the scheme of an app that has a domain (com.example.app), without user, fragment or an answer in its query.",
    );
  const shown = programName(name) || "An agent without a name";
  const client = { id: newId(), name: shown, createdAt: clock.now().toISOString() };
  await database.write((tx) => oauthClients.insert(tx, { ...client, redirects: JSON.stringify(redirects) }));
  return { ...client, redirects, host: null };
}

/** PostgreSQL refuses texts with NUL characters. */
const registered = async (reader: Reader, id: string) =>
  /^[\w-]{1,100}$/.test(id) ? oauthClients.find(reader, id) : undefined;

/** Whether an id can be that of a program: the address of a document, which is not read, or a registration. */
export const isKnownClient = async (reader: Reader, id: string): Promise<boolean> =>
  id.startsWith("https://") || (await registered(reader, id)) !== undefined;

/** What is wrong with the id of a program that is not registered. */
export const unknownClient = "is not known here, or has expired";

/** Finds a program by its id: an address with a document, or what a registration gave. Rejects with what is wrong. */
export async function findClient(
  { database, readClientDocument }: Pick<Deps, "database" | "readClientDocument">,
  id: string,
): Promise<OAuthClient> {
  if (id.startsWith("https://")) {
    const { name, redirects } = await readClientDocument(id);
    const { host } = new URL(id);
    return { id, name: programName(name) || host, redirects, host };
  }
  const row = await registered(database, id);
  if (!row) throw new Error(unknownClient);
  const redirects: unknown = JSON.parse(row.redirects);
  return { id, name: row.name, redirects: Array.isArray(redirects) ? redirects.map(String) : [], host: null };
}
