import {
  createUseBatch,
  noteUse,
  type Place,
  textOfBatch,
  type UseBatch,
} from "../../domain/limits/use-batch.ts";
import { type UseLog, usesOf } from "../../domain/limits/use-log.ts";
import { textOf } from "../../domain/limits/use-text.ts";
import type { Database } from "../../store/engine/database.ts";
import { type KeptBatch, type KeptUses, keptUses } from "../../store/requests/kept-uses.ts";
import type { Weighed } from "./recent-entries.ts";

/** What is stored: all uses in the rows of their keys, or what is new as a batch and the rows whose turn it is. */
export type Due = "everything" | "what is due";

/** The uses of a key, in memory. */
export interface Entry extends Weighed, Place {
  /** What stores its uses. */
  readonly storing: Storing;
  readonly log: UseLog;
  /** The longest window by which the key was limited. */
  windowSeconds: number;
  /** Whether its row lacks uses, which only batches hold. */
  isUnsaved: boolean;
}

/** How the uses of entries get into the database: soon as batches, and later into the rows of their keys. */
export interface Storing {
  /** Goes on after the batches that are stored, with the entries whose rows lack uses of them. */
  goOn(stored: readonly StoredBatch[], entries: readonly Entry[]): void;
  /** Notes that a use of an entry was counted at a time, or taken back. */
  note(entry: Entry, at: number, isTakenBack: boolean): void;
  /** The entries whose rows lack uses. */
  unsaved(): Iterable<Entry>;
  /** Stores what is noted, and the rows whose turn it is. Rejects if the database fails; the next call tries again. */
  store(which: Due): Promise<void>;
  /** Stores nothing more, because everything was deleted. */
  stop(): void;
}

/** After this time all keys with new uses get their rows, and the batches are deleted. */
const periodMilliseconds = 60_000;
/** How many keys and uses are stored at once. The texts of more would hold up the event loop. */
const mostRows = 250;
const mostParts = 4_000;
/** For each of these a call stores one more group of rows, so that neither the batches nor the memory grow for ever. */
const manyCharacters = 4 * 1_048_576;
const manyEntries = 25_000;
/** So many numbers of a batch wait while the database fails. If there are more, all rows are stored in their place. */
const mostOpen = 1_000_000;

interface State {
  /** The number of the newest batch. */
  newest: number;
  /** The stored batches, oldest first. */
  stored: StoredBatch[];
  open: UseBatch;
  /** A batch that the database did not take yet. Meanwhile no other one is closed. */
  waiting: KeptBatch | undefined;
  unsaved: Set<Entry>;
  /** The entries whose rows are stored in this period, and which batches are not needed afterwards. */
  saving: Set<Entry>;
  period: { readonly began: number; readonly through: number };
  savesEverything: boolean;
  stopped: boolean;
}

export interface StoredBatch {
  readonly number: number;
  readonly characters: number;
}

const createState = (now: number): State => ({
  ...{ newest: 0, stored: [], open: createUseBatch(), waiting: undefined },
  ...{ unsaved: new Set(), saving: new Set(), period: { began: now, through: 0 } },
  ...{ savesEverything: false, stopped: false },
});

export function createStoring(database: Database, now: () => number): Storing {
  const state = createState(now());

  /** Stores a group of rows together with all that was noted before. */
  async function storeGroup(): Promise<void> {
    if (state.waiting) await write(database, state, { rows: [], ends: false });
    if (state.stopped) return;
    closeBatch(state);
    const { rows, taken } = nextRows(state.saving, now());
    if (!state.waiting && taken.length === 0) return;
    for (const entry of taken) state.saving.delete(entry);
    try {
      await write(database, state, { rows, ends: taken.length > 0 && state.saving.size === 0 });
    } catch (error) {
      for (const entry of taken) {
        entry.isUnsaved = true;
        state.saving.add(entry);
      }
      throw error;
    }
  }

  async function storeGroups(most: number): Promise<void> {
    for (let count = 0; count < most && !state.stopped; count += 1) {
      await storeGroup();
      if (state.saving.size === 0) return;
    }
  }

  async function storeEverything(): Promise<void> {
    await storeGroups(Number.POSITIVE_INFINITY);
    state.savesEverything = false;
    beginPeriod(state, now());
    await storeGroups(Number.POSITIVE_INFINITY).catch((error: unknown) => {
      state.savesEverything = true;
      throw error;
    });
  }

  return {
    goOn(stored, entries) {
      Object.assign(state, { newest: stored.at(-1)?.number ?? 0, stored: [...stored] });
      for (const entry of entries) addUnsaved(state, entry);
    },

    note(entry, at, isTakenBack) {
      noteUse(state.open, entry, at, isTakenBack);
      if (!entry.isUnsaved) addUnsaved(state, entry);
      if (state.open.changes.length > mostOpen) dropOpen(state);
    },

    unsaved: () => new Set([...state.unsaved, ...state.saving]),

    async store(which) {
      if (which === "everything" || state.savesEverything) return storeEverything();
      if (state.saving.size === 0 && isOver(state, now())) beginPeriod(state, now());
      await storeGroups(1 + Math.floor(pressureOf(state)));
    },

    stop() {
      state.stopped = true;
    },
  };
}

interface Group {
  readonly rows: readonly KeptUses[];
  /** Whether it is the last group of its period. */
  readonly ends: boolean;
}

/** Stores the batch that waits, and rows that have the uses of all batches up to this one. */
async function write(database: Database, state: State, { rows, ends }: Group): Promise<void> {
  const { waiting: batch, newest } = state;
  const { through } = state.period;
  await database.write(async (tx) => {
    await keptUses.store(tx, { batch, rows, through: newest });
    if (ends) await keptUses.dropBatches(tx, through);
  });
  state.waiting = undefined;
  if (batch) state.stored.push({ number: batch.number, characters: batch.text.length });
  if (ends) state.stored = state.stored.filter(({ number }) => number > through);
}

function addUnsaved(state: State, entry: Entry): void {
  entry.isUnsaved = true;
  state.unsaved.add(entry);
}

/** The uses stay in memory, until the rows of all keys are stored. */
function dropOpen(state: State): void {
  state.open = createUseBatch();
  state.savesEverything = true;
}

function closeBatch(state: State): void {
  if (state.open.changes.length === 0) return;
  const text = textOfBatch(state.open);
  state.newest += 1;
  state.waiting = { number: state.newest, text };
  state.open = createUseBatch();
}

const isOver = (state: State, now: number): boolean =>
  Math.abs(now - state.period.began) >= periodMilliseconds || pressureOf(state) >= 1;

const pressureOf = ({ stored, unsaved, saving }: State): number =>
  stored.reduce((sum, { characters }) => sum + characters, 0) / manyCharacters +
  (unsaved.size + saving.size) / manyEntries;

function beginPeriod(state: State, now: number): void {
  state.saving = state.unsaved;
  state.unsaved = new Set();
  state.period = { began: now, through: state.newest };
}

/** The next rows of some entries, and the entries of which they are. */
function nextRows(entries: Iterable<Entry>, now: number) {
  const rows: KeptUses[] = [];
  const taken: Entry[] = [];
  let parts = 0;
  for (const entry of entries) {
    if (taken.length >= mostRows || parts >= mostParts) break;
    const uses = usesOf(entry.log);
    entry.isUnsaved = false;
    parts += uses.length;
    const staleHour = Math.floor((now + entry.windowSeconds * 1_000) / 3_600_000) + 1;
    rows.push({ key: entry.key, text: textOf(uses), staleHour });
    taken.push(entry);
  }
  return { rows, taken };
}
