/**
 * Returns the value of JSON bytes, with a strict and slow reader. Throws for bytes that Innkeep refuses. Shares no code
 * with Innkeep.
 */
export function parseSlowly(bytes: Buffer): unknown {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value: unknown = JSON.parse(text);
  refuseTwins(text);
  return value;
}

function refuseTwins(text: string): void {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:]|[^{}[\]:"]+/gs) ?? [];
  const objects: Set<unknown>[] = [];
  tokens.forEach((token, at) => {
    if (token === "{" || token === "[") objects.push(new Set());
    if (objects.length > 32) throw new Error("deep");
    if (token === "}" || token === "]") objects.pop();
    if (token.startsWith('"') && tokens.slice(at + 1).find((next) => next.trim() !== "") === ":")
      claim(objects.at(-1), JSON.parse(token));
  });
}

function claim(keys: Set<unknown> | undefined, key: unknown): void {
  if (keys?.has(key) || key === "__proto__") throw new Error("twin");
  keys?.add(key);
}

/** Returns the bytes of a strict base64 data URL, or what is wrong with it. */
export function decodeSlowly(text: string): Buffer | "not_a_data_url" | "not_base64" {
  // The type may be missing or general, because the bytes decide the kind of a file.
  const mark = ";base64,";
  const end = text.toLowerCase().indexOf(mark);
  const isHeader = /^data:\P{Cc}*$/iu.test(text.slice(0, end));
  if (end === -1 || !isHeader || Buffer.byteLength(text.slice(0, end)) > 1_024) return "not_a_data_url";
  const escaped = text.slice(end + mark.length);
  const characterOf = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16));
  const encoded = escaped.replace(/%([0-9A-Fa-f]{2})/g, characterOf).replace(/[\t\n\f\r ]/g, "");
  const strict = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  return strict.test(encoded) ? Buffer.from(encoded, "base64") : "not_base64";
}
