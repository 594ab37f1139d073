/** How a contact is compared with what is blocked. */
export interface SenderKeys {
  /** The address without what stands after a plus; any other contact as text. */
  readonly address: string;
  /** The domain of the address and the domains above it; none for a contact that is no address. */
  readonly domains: readonly string[];
}

/**
 * The keys of a contact. Case, forms of Unicode, a name around the address, `mailto:`, what stands after a plus, and the spelling of a
 * domain are no difference. (rule F34)
 */
export function senderKeysOf(contact: string): SenderKeys {
  const folded = folding(contact);
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

/** The one spelling of a mail domain; undefined for a text that is none. */
export function blockedDomainOf(given: string): string | undefined {
  const name = folding(given).replace(/^@/, "").replace(/\.$/, "");
  const address = `http://${name}/`;
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(name) || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/.test(hostname) ? hostname : undefined;
}

const folding = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/\p{DI}/gu, "")
    .trim()
    .toLowerCase()
    .normalize("NFKC");
