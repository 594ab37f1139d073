const secretHeaders = new Set(["x-api-key", "authorization", "proxy-authorization", "cookie", "set-cookie"]);
const secretNames = new Set([
  "apiKey",
  "key",
  "token",
  "testKey",
  "code",
  "verifier",
  "integrityToken",
  "pushToken",
  "password",
  "secret",
  "chatWebhookUrl",
  "statusUrl",
]);
const ourSecrets = /(sd[ktamor]|stk)_[A-Za-z0-9_-]{8,}/g;
const hidden = "[redacted]";

/** Returns headers without the values that are secrets. */
export const redactHeaders = (
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([name, value]) => [name, secretHeaders.has(name) ? hidden : redactText(value)]),
  );

/** Returns an address without the secrets of its query. (rule K10) */
export function redactUrl(url: URL): string {
  const shown = new URL(url);
  for (const name of shown.searchParams.keys()) {
    if (secretNames.has(name)) shown.searchParams.set(name, hidden);
  }
  return redactText(shown.href.replaceAll(encodeURIComponent(hidden), hidden));
}

/**
 * Returns a JSON text without secrets and without the bytes of files. For any other text, returns its length.
 */
export function redactBody(text: string): string {
  if (text === "") return text;
  try {
    return JSON.stringify(redactJson(JSON.parse(text)));
  } catch {
    return `[${text.length} characters, not JSON]`;
  }
}

/** Returns a value without secrets; a data URL becomes its media type and size. */
export function redactJson(value: unknown): unknown {
  if (typeof value === "string") return redactText(fileNote(value));
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== "object" || value === null) return value;
  const isError = "error" in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name, inner) && !(isError && name === "code") ? hidden : redactJson(inner),
    ]),
  );
}

const isSecret = (name: string, value: unknown): boolean =>
  secretNames.has(name) && typeof value === "string";

/** Returns a text without anything that looks like an Innkeep key or token. (rule K10) */
export const redactText = (text: string): string => text.replace(ourSecrets, `$1_${hidden}`);

function fileNote(text: string): string {
  const [, kind] = /^data:([\w.+/-]*)[;,]/.exec(text.slice(0, 200)) ?? [];
  if (kind === undefined) return text;
  const bytes = Math.floor((text.length - text.indexOf(",") - 1) * 0.75);
  return `<${kind} ${bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MB` : `${bytes} bytes`}>`;
}
