/** Where a secret is stored: in this file or in the keychain. The hint is the start of the secret, for a person. */
export type StoredCredential =
  | { readonly in: "file"; readonly secret: string; readonly hint: string }
  | { readonly in: "keychain"; readonly hint: string };

/** Stored credentials by the origin that they were issued for, then by kind. */
export type CredentialIndex = Readonly<Record<string, Readonly<Record<string, StoredCredential>>>>;

/** What a stored credential is found by. */
export interface CredentialKey {
  /** Of the server that it was issued for. */
  readonly origin: string;
  readonly kind: string;
}

/** Reads the index from JSON. Throws if the text is not an index. */
export function indexOf(text: string): CredentialIndex {
  const value: unknown = JSON.parse(text);
  return mapEntries(value, (kinds) => mapEntries(kinds, storedOf));
}

/** The index with one entry set, or removed if it is undefined. */
export function withEntry(
  index: CredentialIndex,
  { origin, kind }: CredentialKey,
  stored: StoredCredential | undefined,
): CredentialIndex {
  const { [kind]: _, ...kinds } = index[origin] ?? {};
  const { [origin]: __, ...origins } = index;
  const next = stored ? { ...kinds, [kind]: stored } : kinds;
  return Object.keys(next).length === 0 ? origins : { ...origins, [origin]: next };
}

/** The first characters of a secret: enough to recognise it, too few to use it. */
export const hintOf = (secret: string): string => (secret.length < 20 ? "…" : `${secret.slice(0, 8)}…`);

function storedOf(value: unknown): StoredCredential {
  if (typeof value !== "object" || value === null) throw new TypeError("not an entry");
  const hint = "hint" in value && typeof value.hint === "string" ? value.hint : "…";
  if ("secret" in value && typeof value.secret === "string")
    return { in: "file", secret: value.secret, hint };
  return { in: "keychain", hint };
}

function mapEntries<T>(value: unknown, each: (value: unknown) => T): Record<string, T> {
  if (typeof value !== "object" || value === null) throw new TypeError("not an object");
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(inner)]));
}
