import type { Recipient } from "../secrets/age/age-keys.ts";
import { type LinkContent, seal, writeLink } from "./link.ts";
import { generationsFolder, linkName } from "./names.ts";
import type { Place } from "./places/place.ts";

/** Writes the links of one generation. Each names the hash of the one before. */
export interface Chain {
  readonly generation: string;
  /** Makes the next link, which `store` then stores. The link before must be stored. */
  prepare(content: LinkContent, bytes: Buffer): Promise<void>;
  /** Stores the link that was made. After a failure the same link is stored again. Gives its size; 0 if there is none. */
  store(): Promise<number>;
}

export interface ChainEnd {
  readonly number: number;
  readonly hash: string;
}

/** Begins a chain, or goes on after its last link. */
export function createChain(
  place: Place,
  recipients: readonly Recipient[],
  { generation, last = { number: -1, hash: "" } }: { readonly generation: string; readonly last?: ChainEnd },
): Chain {
  let end = last;
  let waiting: { readonly name: string; readonly bytes: Buffer; readonly end: ChainEnd } | undefined;

  return {
    generation,
    async prepare(content, bytes) {
      if (waiting) throw new Error("The link before is not yet stored.");
      const number = end.number + 1;
      const header = { ...content, number, previous: end.hash, encrypted: recipients.length > 0 };
      const link = await writeLink(header, await seal(bytes, recipients));
      const at = content.at === null ? undefined : new Date(content.at);
      const name = `${generationsFolder}/${generation}/${linkName(number, at)}`;
      waiting = { name, bytes: link.bytes, end: { number, hash: link.hash } };
    },
    async store() {
      if (!waiting) return 0;
      const stored = waiting;
      await place.put(stored.name, stored.bytes);
      end = stored.end;
      waiting = undefined;
      return stored.bytes.length;
    },
  };
}
