import type { DroppedEntry } from "../contract/metadata.ts";

const reasons: Readonly<Record<DroppedEntry["reason"], string>> = {
  depth: "nested too deep",
  count: "too many entries",
  size: "too large",
  name: "a name that occurs twice",
};

/** Returns why an entry of metadata was not stored, in words. A newer server may name a reason that is unknown here. */
export const reasonWords = (reason: string): string =>
  Object.entries(reasons).find(([name]) => name === reason)?.[1] ?? reason;

/** Returns entries of metadata that were not stored, as text: `trace (nested too deep), log (too large)`. */
export const droppedWords = (
  dropped: readonly { readonly name: string; readonly reason: string }[],
): string => dropped.map(({ name, reason }) => `${name} (${reasonWords(reason)})`).join(", ");
