import { changesIn } from "../../domain/limits/use-batch.ts";
import { type Use, usesIn } from "../../domain/limits/use-text.ts";
import type { Reader } from "../../store/engine/database.ts";
import { keptUses } from "../../store/requests/kept-uses.ts";

/** The uses of the keys of which batches hold changes that their rows do not have. */
export interface UsesOfBatches {
  readonly newest: number;
  readonly characters: number;
  readonly uses: ReadonlyMap<string, Use[]>;
}

/** Reads what the batches hold beside the rows of the keys. */
export async function usesOfBatches(reader: Reader): Promise<UsesOfBatches> {
  const batches = (await keptUses.batches(reader)).map(({ number, text }) => ({
    ...{ number, characters: text.length },
    changes: changesIn(text),
  }));
  const keys = new Set(batches.flatMap(({ changes }) => [...changes.keys()]));
  const stored = await keptUses.findAll(reader, [...keys]);
  const rows = new Map(stored.map((row) => [row.key, row]));
  const uses = new Map<string, Use[]>();
  for (const key of keys) {
    const { times, through } = rows.get(key) ?? { times: "", through: 0 };
    const later = batches.filter(({ number }) => number > through);
    const changes = later.flatMap((batch) => batch.changes.get(key) ?? []);
    if (changes.length > 0) uses.set(key, usesIn(times, changes));
  }
  return {
    newest: batches.at(-1)?.number ?? 0,
    characters: batches.reduce((sum, { characters }) => sum + characters, 0),
    uses,
  };
}
