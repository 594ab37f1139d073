import { type Document, isMap, parseDocument, stringify } from "./packages.lazy.ts";

/** A value or a fault. The fault continues a sentence that starts with the file name. */
export type Read<Value> = { readonly value: Value } | { readonly fault: string };

/** Parses YAML. Duplicate keys and too many aliases are faults. `linesBefore` is added to line numbers in messages. */
export function parseYaml(text: string, linesBefore = 0): Read<Document> {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) return { fault: faultOf(error.message, linesBefore) };
  try {
    document.toJS({ maxAliasCount: 100 });
    return { value: document };
  } catch (thrown) {
    return { fault: faultOf(thrown instanceof Error ? thrown.message : "it cannot be read", linesBefore) };
  }
}

function faultOf(message: string, linesBefore: number): string {
  const [first = ""] = message.split("\n", 1);
  const sentence = first
    .replace(/[.:]$/, "")
    .replace(/^Missing closing (["'])quote/, "a quotation mark ($1) without an end")
    .replace(/ at line (\d+)/, (_, line: string) => ` at line ${Number(line) + linesBefore}`);
  return /mapping|implicit/i.test(sentence) ? `${sentence}. A text with a colon needs quotes` : sentence;
}

/** Returns the fields that have a value as YAML. Returns an empty text if no field has a value. */
export function yamlOf(fields: object): string {
  const given = withoutMissing(fields);
  return Object.keys(given).length === 0 ? "" : stringify(given, yamlStyle);
}

/** Sets fields in a YAML map. A new id becomes the first field. Returns false if `map` is no map. */
export function setFields(document: Document, map: unknown, fields: object): boolean {
  if (!isMap(map)) return false;
  for (const [name, value] of Object.entries(withoutMissing(fields))) {
    if (name === "id" && !map.has(name)) map.items.unshift(document.createPair(name, value));
    else map.set(name, value);
  }
  return true;
}

const withoutMissing = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The style in which YAML is written. Long lines are not wrapped, so a long question stays on one line. */
export const yamlStyle = { lineWidth: 0 } as const;
