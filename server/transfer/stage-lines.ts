import type { Table } from "../backup/store.ts";
import type { Transaction } from "../database/database.ts";
import { isConflict, isDangling } from "../database/errors.ts";
import type { Deps } from "../deps.ts";
import { kindsByType } from "./check-lines.ts";
import type { Naming } from "./fields.ts";
import { atLine, refusedFile } from "./import-fault.ts";
import { linesOf, type Source } from "./read-source.ts";
import { allRecords } from "./records/app.ts";
import { parseLine, rowOf } from "./records/record.ts";
import type { RecordKind, StoredRow } from "./records/record-kinds.ts";
import { imports, tableOf, tablesByName } from "./store.ts";

export interface Staging {
  readonly deps: Pick<Deps, "clock" | "database" | "files" | "keptFiles">;
  readonly source: Source;
  readonly naming: Naming;
  readonly appId: string;
  /** The name of the app, if it is not that of the file. */
  readonly name: string | undefined;
  readonly signal: AbortSignal;
}

interface StagedRow {
  readonly number: number;
  readonly kind: RecordKind;
  readonly row: StoredRow;
}

const rowsAtOnce = 500;
const bytesAtOnce = 1_048_576;

/**
 * Stores the records of a checked file, a few hundred in each transaction, so that other writers get their turns. Nobody sees
 * them before the app has a member. Throws `bad_request` for a record that refers to none, or that comes twice.
 */
export async function stageLines(staging: Staging): Promise<void> {
  const tables = await tablesByName(staging.deps.database);
  let waiting: StagedRow[] = [];
  let bytes = 0;
  const flush = async () => {
    staging.signal.throwIfAborted();
    if (waiting.length > 0) await storeRows(staging, tables, waiting);
    waiting = [];
    bytes = 0;
  };
  for await (const line of linesOf(staging.source.lines)) {
    const record = recordOf(staging, parseLine(line.bytes.toString()));
    if (!record) continue;
    waiting.push({ number: line.number, ...record });
    bytes += line.bytes.length;
    if (record.kind.type === "app" || waiting.length >= rowsAtOnce || bytes >= bytesAtOnce) await flush();
  }
  await flush();
}

/** The row of a line; undefined for lines that are not stored. */
function recordOf({ naming, appId, name }: Staging, line: ReturnType<typeof parseLine>) {
  if (typeof line === "string") return undefined;
  const kind = kindsByType.get(String(line.type));
  if (!kind || (kind.table === "uploads" && !naming.withFiles)) return undefined;
  const row = rowOf(kind, line, { ...naming, appId });
  return { kind, row: kind.type === "app" && name !== undefined ? { ...row, name } : row };
}

type Tables = ReadonlyMap<string, Table>;

async function storeRows(staging: Staging, tables: Tables, rows: readonly StagedRow[]): Promise<void> {
  const { database } = staging.deps;
  try {
    await database.write(async (tx) => {
      for (const kind of allRecords) {
        const ofKind = rows.filter((row) => row.kind === kind).map(({ row }) => row);
        await imports.store(tx, tableOf(tables, kind), ofKind);
      }
      await goOn(staging, tx, rows);
    });
  } catch (error) {
    if (!isConflict(error) && !isDangling(error)) throw error;
    throw refusedFile([await faultyLine(staging, tables, rows)]);
  }
}

/** Notes that the import is alive. Throws if somebody has deleted what it stored, because it was silent for long. */
async function goOn(
  { deps, appId }: Staging,
  tx: Transaction,
  rows: readonly StagedRow[] = [],
): Promise<void> {
  const now = deps.clock.now().toISOString();
  if (rows.some(({ kind }) => kind.type === "app")) return imports.begin(tx, appId, now);
  if (!(await imports.goesOn(tx, appId, now))) throw new Error(`The import of ${appId} was given up.`);
}

/** Stores rows one by one, to find the one that the database refuses. */
async function faultyLine({ deps }: Staging, tables: Tables, rows: readonly StagedRow[]): Promise<string> {
  const ordered = allRecords.flatMap((kind) => rows.filter((row) => row.kind === kind));
  let at: StagedRow | undefined;
  try {
    await deps.database.write(async (tx) => {
      for (const row of ordered) {
        at = row;
        await imports.store(tx, tableOf(tables, row.kind), [row.row]);
      }
      at = undefined;
      throw new Error("Found nothing: undo all.");
    });
  } catch (error) {
    const fault = isDangling(error) ? "refers to a record that is not in the file before it" : "comes twice";
    if (at) return atLine(at.number, `the ${at.kind.type} ${fault}.`);
    throw error;
  }
  throw new Error("A row was refused once and taken later.");
}
