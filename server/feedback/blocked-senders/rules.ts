import { normalised } from "../../../src/contract/json.ts";

/** The normalised forms of a contact. The server compares these forms with the blocked senders. */
export interface SenderKeys {
  /** The address without a suffix such as `+news`. For other contacts, such as a name, the whole text. */
  readonly address: string;
  /** The domain of the address and its parent domains. The list is empty if the contact is not an address. */
  readonly domains: readonly string[];
}

/** The number of characters that are read from the end of a contact, or from the beginning of a domain. */
const mostRead = 1_000;

/** The length of the longest domain. */
const longestDomain = 253;

/** Returns the keys of a contact. `Name <Ann+news@x.org>` and `mailto:ann@x.org` have the same keys. (rule F34) */
export function senderKeysOf(contact: string): SenderKeys {
  const folded = folding(contact.trimEnd().slice(-mostRead));
  const address = (/<([^<>]+)>[^<>]*$/.exec(folded)?.[1] ?? folded).replace(/^mailto:/, "").trim();
  const at = address.lastIndexOf("@");
  const domain = at < 1 ? undefined : blockedDomainOf(address.slice(at + 1));
  if (domain === undefined) return { address, domains: [] };
  const plus = address.slice(0, at).indexOf("+", 1);
  const local = address.slice(0, plus === -1 ? at : plus);
  const labels = domain.split(".");
  const domains = labels.slice(0, -1).map((_, first) => labels.slice(first).join("."));
  return { address: `${local}@${domain}`, domains };
}

/** Returns a mail domain in its normalised form. Returns undefined if the text is not a domain. */
export function blockedDomainOf(given: string): string | undefined {
  const name = folding(given.slice(0, mostRead)).replace(/^@/, "").replace(/\.$/, "");
  if (name.length > longestDomain) return undefined;
  const address = `http://${name}/`;
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(name) || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/.test(hostname) ? hostname : undefined;
}

const folding = (text: string): string =>
  normalised(
    normalised(text, "NFKC")
      .replace(/\p{DI}/gu, "")
      .trim()
      .toLowerCase(),
    "NFKC",
  );
