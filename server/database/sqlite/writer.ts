import type { Database, Inserter } from "../database.ts";
import type { Signals } from "../engine-signals.ts";
import { type AppendUnit, appendUnit, type Unit, workUnit } from "../units.ts";
import type { Connection } from "./connection.ts";
import { groupCommit } from "./group-commit.ts";

export interface Writer extends Inserter, Pick<Database, "write"> {
  /** Uses the connection between two commits. */
  between<Result>(use: (connection: Connection) => Promise<Result>): Promise<Result>;
  /** Waits for all queued work, then closes the connection. */
  close(): Promise<void>;
}

/** The only writer of a SQLite file. All work that waits when a commit begins shares that commit. */
export function createWriter(connection: Connection, signals: Signals): Writer {
  const queue = createQueue(groupCommit(connection));
  return {
    write: (work) =>
      new Promise((resolve, reject) => queue.add(workUnit(work, signals, { resolve, reject }))),
    insert: (table, row) =>
      new Promise((resolve, reject) =>
        queue.appendTo(table, Object.keys(row)).add(Object.values(row), { resolve, reject }),
      ),
    between: (use) => queue.between(() => use(connection)),
    async close() {
      await queue.close();
      await connection.close();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Queue {
  add(unit: Unit): void;
  /** The waiting unit to which new rows with these columns are added. */
  appendTo(table: string, columns: readonly string[]): AppendUnit;
  between<Result>(use: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

function createQueue(commit: (units: readonly Unit[]) => Promise<void>): Queue {
  let units: Unit[] = [];
  let pauses: (() => Promise<void>)[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;
  const appends = createAppends(add);

  function assertOpen(): void {
    if (closed) throw new Error("The database is closed.");
  }

  /**
   * Waits two turns of the event loop between two commits, so that more requests share a commit: in the first turn answers
   * of the last commit are sent, in the second turn new requests arrive.
   */
  async function flush(): Promise<void> {
    while (units.length + pauses.length > 0) {
      await turn();
      await turn();
      await pause();
      const taken = units;
      units = [];
      appends.clear();
      await commit(taken);
    }
    flushing = undefined;
  }

  async function pause(): Promise<void> {
    const taken = pauses;
    pauses = [];
    for (const use of taken) await use();
  }

  function add(unit: Unit): void {
    assertOpen();
    units.push(unit);
    flushing ??= flush();
  }

  return {
    add,
    appendTo: appends.appendTo,
    between: (use) =>
      new Promise((resolve, reject) => {
        assertOpen();
        pauses.push(() => use().then(resolve, reject));
        flushing ??= flush();
      }),
    async close() {
      closed = true;
      await flushing;
    },
  };
}

/** The waiting units to which new rows are added, by table and columns. */
function createAppends(add: (unit: Unit) => void) {
  const waiting = new Map<string, WaitingRows[]>();

  function newUnit(table: string, columns: readonly string[]): AppendUnit {
    const unit = appendUnit(table, columns);
    add(unit);
    waiting.set(table, [...(waiting.get(table) ?? []), { columns, unit }]);
    return unit;
  }

  return {
    clear: () => waiting.clear(),
    appendTo(table: string, columns: readonly string[]): AppendUnit {
      const known = waiting.get(table)?.find((rows) => areEqual(rows.columns, columns));
      return known?.unit ?? newUnit(table, columns);
    },
  };
}

interface WaitingRows {
  readonly columns: readonly string[];
  readonly unit: AppendUnit;
}

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, place) => name === others[place]);
