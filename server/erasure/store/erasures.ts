import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/deployment.ts";
import { erasuresTopic, insert, listed } from "../../database/transaction.ts";
import { firstPlace, firstPlaceOfAccount, type Place } from "./erase.ts";
import { type Effect, type ErasureCounts, erasureCounts } from "./find.ts";

export interface ErasureRow {
  readonly id: string;
  /** The account in whose apps the person is erased. Null means the whole deployment. */
  readonly ownerId: string | null;
  readonly personHash: string;
  /** The encrypted e-mail address of the person. Null after the end of the erasure. */
  readonly emailSealed: string | null;
  readonly status: "running" | "done" | "stopped";
  /** The progress of the erasure, which is a `Place` as JSON. */
  readonly place: string;
  /** A JSON array with the SHA-256 hashes of files that must still be deleted. */
  readonly files: string;
  /** A JSON object that says how much was erased (`ErasureCounts`). */
  readonly counts: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly backupsUntil: string | null;
}

export type NewErasure = Pick<ErasureRow, "id" | "ownerId" | "personHash" | "createdAt"> & {
  readonly emailSealed: string;
};

const fields = [
  ...["id", "ownerId", "personHash", "emailSealed", "status", "place", "files", "counts"],
  ...["createdAt", "finishedAt", "backupsUntil"],
] as const;
const columns = listed(tables.erasures, fields);

const noCounts = Object.fromEntries(erasureCounts.map((name) => [name, 0]));

const insertUnlessThere = insert(tables.erasures, "ON CONFLICT (id) DO NOTHING");

/** Queries for the running erasures of people, and for the receipts of erasures that have ended. */
export const erasures = {
  async insert(tx: Transaction, { id, ownerId, personHash, emailSealed, createdAt }: NewErasure) {
    // The undo of a merge takes the same lock: no report may move to another thread during an erasure.
    await tx.lock(erasuresTopic);
    await tx.insert(tables.erasures, {
      ...{ id, ownerId, personHash, emailSealed, status: "running" },
      ...{ place: JSON.stringify(firstPlace), files: "[]", counts: JSON.stringify(noCounts), createdAt },
    });
    tx.signal(erasuresTopic);
  },

  /** Adds an erasure that has already ended. Does nothing if there is an erasure with this id. */
  insertEnded: (tx: Transaction, { id, ownerId, personHash, of, status, counts, at }: EndedErasure) =>
    insertUnlessThere(tx, {
      ...{ id, ownerId, personHash, status, files: "[]", createdAt: at, finishedAt: at },
      place: JSON.stringify(of === "account" ? firstPlaceOfAccount : firstPlace),
      counts: JSON.stringify({ ...noCounts, ...counts }),
    }),

  /** Returns the ids, hashes, progress and times of all erasures, the oldest first. */
  receipts: (reader: Reader) =>
    reader.all<Pick<ErasureRow, "id" | "ownerId" | "personHash" | "place" | "createdAt">>(
      `SELECT id, owner_id AS "ownerId", person_hash AS "personHash", place, created_at AS "createdAt" FROM erasures
       ORDER BY created_at, id`,
    ),

  find: (reader: Reader, id: string, ownerId: string) =>
    reader.get<ErasureRow>(`SELECT ${columns} FROM erasures WHERE id = ? AND owner_id = ?`, ...[id, ownerId]),

  findAny: (reader: Reader, id: string) =>
    reader.get<ErasureRow>(`SELECT ${columns} FROM erasures WHERE id = ?`, id),

  /** Returns the running erasure of a person in the apps of an owner. Returns undefined if there is none. */
  findRunning: (reader: Reader, ownerId: string, personHash: string) =>
    reader.get<ErasureRow>(
      `SELECT ${columns} FROM erasures WHERE owner_id = ? AND person_hash = ? AND status = 'running'`,
      ...[ownerId, personHash],
    ),

  /** Returns up to `most` erasures of an owner, the newest first. */
  list: (reader: Reader, ownerId: string, most: number) =>
    reader.all<ErasureRow>(
      `SELECT ${columns} FROM erasures WHERE owner_id = ? ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...[ownerId, most],
    ),

  /** Returns up to `most` running erasures, the oldest first. */
  running: (reader: Reader, most: number) =>
    reader.all<ErasureRow>(
      `SELECT ${columns} FROM erasures WHERE status = 'running' ORDER BY created_at, id LIMIT ?`,
      most,
    ),

  /** Counts an attempt at the current place. Returns undefined if the erasure has ended or is at another place. */
  async begin(tx: Transaction, row: ErasureRow): Promise<ErasureRow | undefined> {
    if (!(await erasures.hold(tx, row))) return undefined;
    const present = placeOf(row);
    const place = JSON.stringify({ ...present, begun: (present.begun ?? 0) + 1 });
    await tx.run("UPDATE erasures SET place = ? WHERE id = ?", place, row.id);
    return { ...row, place };
  },

  /** Undoes one call of `begin`, so that this attempt does not count. */
  async release(tx: Transaction, id: string): Promise<void> {
    await tx.lock(`erasure:${id}`);
    const row = await tx.get<Pick<ErasureRow, "place">>("SELECT place FROM erasures WHERE id = ?", id);
    const { begun = 0, ...present } = row ? placeOf(row) : firstPlace;
    if (begun === 0) return;
    const place = JSON.stringify({ ...present, begun: begun - 1 });
    await tx.run("UPDATE erasures SET place = ? WHERE id = ?", place, id);
  },

  /** Stops an erasure that cannot continue, and deletes the person's address. */
  stop: (tx: Transaction, id: string, at: string) =>
    tx.run(
      `UPDATE erasures SET status = 'stopped', email_sealed = NULL, finished_at = ? WHERE id = ? AND status = 'running'`,
      ...[at, id],
    ),

  /** Locks an erasure against other servers. Returns whether the erasure is running and still at `place`. */
  async hold(tx: Transaction, { id, place }: ErasureRow): Promise<boolean> {
    await tx.lock(`erasure:${id}`);
    const now = await tx.get<Pick<ErasureRow, "place" | "status">>(
      "SELECT place, status FROM erasures WHERE id = ?",
      id,
    );
    return now?.place === place && now.status === "running";
  },

  /** Stores the place at which the erasure continues, and adds the effects of a step. */
  async advance(tx: Transaction, row: ErasureRow, { place, effects }: Advance): Promise<void> {
    const files = [...listOf(row.files), ...effects.flatMap((effect) => effect.files)];
    await tx.run(
      "UPDATE erasures SET place = ?, files = ?, counts = ? WHERE id = ?",
      ...[
        JSON.stringify(place),
        JSON.stringify([...new Set(files)]),
        JSON.stringify(sum(row, effects)),
        row.id,
      ],
    );
  },

  /** Records that the files whose hashes are in the row were deleted. */
  filesGone: (tx: Transaction, { id, files }: ErasureRow) =>
    tx.run("UPDATE erasures SET files = '[]' WHERE id = ? AND files = ?", id, files),

  /** Ends an erasure and deletes the person's address. Returns false if another server has already ended it. */
  finish: async (
    tx: Transaction,
    id: string,
    { at, backupsUntil }: { readonly at: string; readonly backupsUntil: string | null },
  ): Promise<boolean> =>
    (await tx.run(
      `UPDATE erasures SET status = 'done', email_sealed = NULL, finished_at = ?, backups_until = ?
       WHERE id = ? AND status = 'running'`,
      ...[at, backupsUntil, id],
    )) > 0,
};

/**
 * `owner` means a person in one owner's apps. `account` means a deleted account. `everywhere` means all data of
 * a person.
 */
export type ErasedKind = "owner" | "account" | "everywhere";

export interface EndedErasure extends Pick<ErasureRow, "id" | "ownerId" | "personHash"> {
  readonly of: ErasedKind;
  readonly status: "done" | "stopped";
  readonly counts?: Partial<ErasureCounts>;
  readonly at: string;
}

export interface Advance {
  readonly place: Place;
  readonly effects: readonly Effect[];
}

export const countsOf = ({ counts }: Pick<ErasureRow, "counts">): ErasureCounts => JSON.parse(counts);

/** Returns the place at which an erasure continues. */
export const placeOf = ({ place }: Pick<ErasureRow, "place">): Place => JSON.parse(place);

/** Parses a JSON array of texts. */
export const listOf = (json: string): string[] => JSON.parse(json);

function sum(row: ErasureRow, effects: readonly Effect[]): ErasureCounts {
  const present = countsOf(row);
  const files = effects.reduce((count, effect) => count + effect.files.length, 0);
  const total = (name: keyof ErasureCounts) =>
    effects.reduce((count, { counts }) => count + (counts[name] ?? 0), present[name]);
  return {
    threads: total("threads"),
    reports: total("reports"),
    messages: total("messages"),
    files: present.files + files,
    mails: total("mails"),
    invitations: total("invitations"),
    seats: total("seats"),
    answers: total("answers"),
    audit: total("audit"),
    texts: total("texts"),
  };
}
