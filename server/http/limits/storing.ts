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
  readonly log: UseLog;
  /** The longest window by which the key was limited. */
  windowSeconds: number;
  /** Whether its row lacks uses, which only batches hold. */
  isUnsaved: boolean;
}

/** How the uses of entries get into the database: soon as batches, and later into the rows of their keys. */
export interface Storing {
  /** Goes on after the newest batch that is stored, with entries whose rows lack uses of batches. */
  goOn(newest: number, bytes: number, entries: readonly Entry[]): void;
  /** Notes that a use of an entry was counted at a time, or taken back. */
  note(entry: Entry, at: number, isTakenBack: boolean): void;
  /** The entries whose rows lack uses. */
  unsaved(): Iterable<Entry>;
  /** Stores what is noted, and the rows whose turn it is. Rejects if the database fails; the next call tries again. */
  store(which: Due): Promise<void>;
}

/** After this time all keys with new uses get their rows, and the batches are deleted. */
const periodMilliseconds = 60_000;
/** How many keys and uses are stored at once. The texts of more would hold up the event loop. */
const mostRows = 250;
const mostParts = 4_000;
/** For each of these a call stores one more group of rows, so that neither the batches nor the memory grow for ever. */
const manyCharacters = 4 * 1_048_576;
const manyEntries = 25_000;
/** So many characters wait while the database fails. If there are more, rows are stored in their place. */
const mostWaiting = 16 * 1_048_576;

interface State {
  /** The number of the newest batch, and how many characters all stored batches have. */
  newest: number;
  characters: number;
  open: UseBatch;
  /** The batches that the database did not take yet. */
  waiting: KeptBatch[];
  unsaved: Entry[];
  /** The rows that are stored in this period, and which batches are not needed afterwards. */
  saving: Entry[];
  period: { readonly began: number; readonly through: number; readonly characters: number };
  savesEverything: boolean;
}

const createState = (now: number): State => ({
  ...{ newest: 0, characters: 0, open: createUseBatch(), waiting: [], unsaved: [], saving: [] },
  ...{ period: { began: now, through: 0, characters: 0 }, savesEverything: false },
});

export function createStoring(database: Database, now: () => number): Storing {
  const state = createState(now());

  /** Stores a group of rows together with all that was noted before: a row has the uses of all batches up to the newest. */
  async function storeGroup(): Promise<void> {
    closeBatch(state);
    const batches = state.waiting;
    const { rows, taken } = nextRows(state.saving, now());
    if (batches.length === 0 && taken.length === 0) return;
    state.saving = state.saving.slice(taken.length);
    const ends = taken.length > 0 && state.saving.length === 0;
    const { through, characters } = state.period;
    try {
      await database.write(async (tx) => {
        await keptUses.store(tx, { batches, rows, through: state.newest });
        if (ends) await keptUses.dropBatches(tx, through);
      });
    } catch (error) {
      for (const entry of taken) entry.isUnsaved = true;
      state.saving = [...taken, ...state.saving];
      throw error;
    }
    state.waiting = state.waiting.slice(batches.length);
    state.characters += lengthOf(batches) - (ends ? characters : 0);
  }

  async function storeGroups(most: number): Promise<void> {
    for (let count = 0; count === 0 || (count < most && state.saving.length > 0); count += 1)
      await storeGroup();
  }

  async function storeEverything(): Promise<void> {
    await storeGroups(Number.POSITIVE_INFINITY);
    beginPeriod(state, now());
    await storeGroups(Number.POSITIVE_INFINITY);
    state.savesEverything = false;
  }

  return {
    goOn(newest, characters, entries) {
      Object.assign(state, { newest, characters });
      for (const entry of entries) addUnsaved(state, entry);
    },

    note(entry, at, isTakenBack) {
      noteUse(state.open, entry, at, isTakenBack);
      if (!entry.isUnsaved) addUnsaved(state, entry);
    },

    unsaved: () => [...state.unsaved, ...state.saving],

    async store(which) {
      if (which === "everything" || state.savesEverything) return storeEverything();
      if (state.saving.length === 0 && isOver(state, now())) beginPeriod(state, now());
      await storeGroups(1 + Math.floor(pressureOf(state)));
    },
  };
}

function addUnsaved(state: State, entry: Entry): void {
  entry.isUnsaved = true;
  state.unsaved.push(entry);
}

function closeBatch(state: State): void {
  if (state.open.changes.length === 0) return;
  state.newest += 1;
  state.waiting = [...state.waiting, { number: state.newest, text: textOfBatch(state.open) }];
  state.open = createUseBatch();
  if (lengthOf(state.waiting) <= mostWaiting) return;
  state.waiting = [];
  state.savesEverything = true;
}

const isOver = (state: State, now: number): boolean =>
  Math.abs(now - state.period.began) >= periodMilliseconds || pressureOf(state) >= 1;

const pressureOf = ({ characters, unsaved, saving }: State): number =>
  characters / manyCharacters + (unsaved.length + saving.length) / manyEntries;

function beginPeriod(state: State, now: number): void {
  state.saving = state.unsaved;
  state.unsaved = [];
  state.period = { began: now, through: state.newest, characters: state.characters };
}

/** The next rows of a list, and the entries of which they are. */
function nextRows(list: readonly Entry[], now: number) {
  const rows: KeptUses[] = [];
  let parts = 0;
  for (const entry of list.slice(0, mostRows)) {
    if (parts >= mostParts) break;
    const uses = usesOf(entry.log);
    entry.isUnsaved = false;
    parts += uses.length;
    const staleHour = Math.floor((now + entry.windowSeconds * 1_000) / 3_600_000) + 1;
    rows.push({ key: entry.key, text: textOf(uses), staleHour });
  }
  return { rows, taken: list.slice(0, rows.length) };
}

const lengthOf = (batches: readonly KeptBatch[]): number =>
  batches.reduce((sum, { text }) => sum + text.length, 0);
