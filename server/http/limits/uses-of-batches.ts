import { changesIn } from "../../domain/limits/use-batch.ts";
import { type Use, usesIn } from "../../domain/limits/use-text.ts";
import type { Reader } from "../../store/engine/database.ts";
import { keptUses } from "../../store/requests/kept-uses.ts";
import type { StoredBatch } from "./storing.ts";

/** The uses of the keys of which batches hold changes that their rows do not have. */
export interface UsesOfBatches {
  /** Oldest first. */
  readonly stored: readonly StoredBatch[];
  readonly uses: ReadonlyMap<string, Use[]>;
}

/** How many keys are read at once. Between two groups, other requests are answered. */
const mostKeys = 250;

/** Reads what the batches hold beside the rows of the keys. */
export async function usesOfBatches(reader: Reader): Promise<UsesOfBatches> {
  const stored: StoredBatch[] = [];
  const changes = new Map<string, { readonly number: number; readonly uses: readonly Use[] }[]>();
  for (const { number, text } of await keptUses.batches(reader)) {
    stored.push({ number, characters: text.length });
    for (const [key, uses] of changesIn(text)) {
      const ofKey = changes.get(key) ?? [];
      changes.set(key, ofKey);
      ofKey.push({ number, uses });
    }
    await turn();
  }
  const keys = [...changes.keys()];
  const found = new Map<string, Use[]>();
  for (let first = 0; first < keys.length; first += mostKeys) {
    const group = keys.slice(first, first + mostKeys);
    const rows = new Map((await keptUses.findAll(reader, group)).map((row) => [row.key, row]));
    for (const key of group) {
      const { times, through } = rows.get(key) ?? { times: "", through: 0 };
      const later = (changes.get(key) ?? []).filter(({ number }) => number > through);
      if (later.length > 0)
        found.set(
          key,
          usesIn(
            times,
            later.flatMap(({ uses }) => uses),
          ),
        );
    }
    await turn();
  }
  return { stored, uses: found };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
