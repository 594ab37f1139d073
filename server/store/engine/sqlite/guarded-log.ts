import type { BesideConnection, Connection, WrittenBack } from "../drivers/connection.ts";
import type { LogCopier, LogMark, WriteLog } from "../write-log.ts";
import { type Beside, createBeside } from "./beside.ts";
import { createLogGuard, type LogGuard } from "./log-guard.ts";
import { lengthOf, markOf } from "./log-mark.ts";
import type { Writer } from "./writer.ts";

export interface ClosableLog extends WriteLog {
  emptyLog(): Promise<boolean>;
  /** Call it last: if something copies the log, then SQLite does not delete the log, and the copier can go on after a restart. */
  close(): Promise<void>;
}

/** The log may grow to 16 MiB before SQLite writes it back by itself, so that a page that changes often is written back once. */
export const checkpointPages = 4_000;

/** The same while the server writes the log back beside the writer: SQLite does so itself only if that comes much too late. */
const latePages = 8 * checkpointPages;

/** So many new frames are written back in the moment in which the writer rests. */
const fewFrames = 100;
/** How many times the log is written back beside a writer that never stops, before it must rest. */
const mostRounds = 8;

interface LogSettings {
  /** How long a call may wait inside SQLite. */
  readonly lockWaitMs: number;
  readonly openReader: () => Promise<Connection>;
  readonly openBeside: () => Promise<BesideConnection>;
}

/** Creates the access to the log. A guard keeps the log while something copies it. One call after the other changes the guard. */
export function createWriteLog(file: string, writer: Writer, settings: LogSettings): ClosableLog {
  const log: GuardedLog = {
    ...{ file, writer, lockWaitMs: settings.lockWaitMs, copier: undefined, pagesAlone: checkpointPages },
    guard: createLogGuard(file, settings.openReader),
    beside: createBeside(file, settings.openBeside),
  };
  const inTurn = createTurns();
  return {
    file,
    begin: (copier) => inTurn(() => begin(log, copier)),
    hold: (copier) =>
      inTurn(async () => {
        await log.guard.ready();
        return writer.between((writing) => hold(log, writing, copier));
      }),
    mark: () => writer.between((writing) => markOf(writing, file)),
    writeMost: () => inTurn(async () => void (await writeMost(log))),
    writeBack: () => inTurn(() => writeBack(log)),
    emptyLog: () => inTurn(() => emptyLog(log)),
    release: () => inTurn(() => writer.between((writing) => release(log, writing))),
    keepShort: () => inTurn(() => keepShort(log)),
    close: () =>
      inTurn(async () => {
        await log.beside.close();
        await log.guard.close();
        await log.beside.closeFile();
      }),
  };
}

interface GuardedLog {
  readonly file: string;
  readonly writer: Writer;
  readonly lockWaitMs: number;
  readonly guard: LogGuard;
  readonly beside: Beside;
  copier: LogCopier | undefined;
  /** At how many frames SQLite writes the log back by itself, while nothing copies it. */
  pagesAlone: number;
}

async function begin(log: GuardedLog, copier: LogCopier): Promise<LogMark | undefined> {
  await log.guard.ready();
  await log.writer.between((writing) => log.guard.hold(writing));
  // As long as somebody reads the log, it cannot be emptied, and a rest of the writer would change nothing.
  if (!(await writeMost(log, "all"))) return undefined;
  return resting(log, copier, async (writing) => {
    const mark = await markOf(writing, log.file);
    if (log.copier && !log.copier.takeRest(mark)) log.copier.lose("the log was needed before it was copied");
    const isEmpty = await unguarded(log, { writing, mark }, () => truncate(log, writing, 0));
    const begun = await markOf(writing, log.file);
    if (!isEmpty || begun.frames > 0) return undefined;
    await adopt(log, writing, copier);
    copier.begun();
    return begun;
  });
}

async function hold(log: GuardedLog, writing: Connection, copier: LogCopier): Promise<LogMark> {
  await log.guard.hold(writing);
  await adopt(log, writing, copier);
  return markOf(writing, log.file);
}

/**
 * Writes the log back while the writer goes on, again and again until few frames are new. Nothing that the copier has not yet taken is
 * overwritten, because the guard never lets the log begin again. False if another transaction still reads the log. `all`: also what lies
 * before a guard that has just begun.
 */
async function writeMost(
  { writer, guard, beside, copier }: GuardedLog,
  which: "new" | "all" = "new",
): Promise<boolean> {
  copier?.fileChanges();
  for (let round = 0; round < mostRounds; round++) {
    const count = await writer.between((writing) => guard.move(writing));
    if (count === 0 && (which === "new" || round > 0)) return true;
    const row = await beside.writeBack("synced");
    if (!row || row.checkpointed < guard.frames) return false;
    if (count < fewFrames) return true;
  }
  return true;
}

async function writeBack(log: GuardedLog): Promise<"whole" | "partly" | "behind"> {
  // As long as somebody reads the log, it cannot begin again, and a rest of the writer would change nothing.
  if (!(await writeMost(log))) return "partly";
  return resting(log, log.copier, async (writing) => {
    const mark = await markOf(writing, log.file);
    if (!log.copier?.takeRest(mark)) return "behind";
    const row = await unguarded(log, { writing, mark }, () => log.beside.writeBack("unsynced"));
    return row?.busy === 0 && row.checkpointed === row.log ? "whole" : "partly";
  });
}

async function emptyLog(log: GuardedLog): Promise<boolean> {
  if (log.copier) await writeMost(log);
  return resting(log, log.copier, async (writing) => {
    if (!log.copier) return truncate(log, writing, log.lockWaitMs);
    const mark = await markOf(writing, log.file);
    if (!log.copier.takeRest(mark)) log.copier.lose("erased text had to leave the log before it was copied");
    return unguarded(log, { writing, mark }, () => truncate(log, writing, log.lockWaitMs));
  });
}

async function release(log: GuardedLog, writing: Connection): Promise<void> {
  log.copier = undefined;
  await log.beside.close();
  await log.guard.close();
  await writing.exec(`PRAGMA wal_autocheckpoint = ${log.pagesAlone}`);
}

async function keepShort(log: GuardedLog): Promise<"short" | "written" | "partly" | "held"> {
  const { writer, beside, copier } = log;
  if (copier) return "short";
  if (log.pagesAlone !== latePages) {
    log.pagesAlone = latePages;
    await writer.between((writing) => writing.exec(`PRAGMA wal_autocheckpoint = ${latePages}`));
  }
  let now = await writer.between(lengthOf);
  if (now.log < checkpointPages || now.checkpointed === now.log) return "short";
  for (let round = 0, written = now.checkpointed; round < mostRounds; round++) {
    const row = await beside.writeBack("synced");
    if (row?.busy !== 0 || row.checkpointed <= written) return "held";
    written = row.checkpointed;
    now = await writer.between(lengthOf);
    if (now.log - written < fewFrames) break;
  }
  const last = await writer.between(() => beside.writeBack("unsynced"));
  // The log begins again only if nobody read it at that moment.
  return last?.busy === 0 && last.checkpointed === last.log ? "written" : "partly";
}

async function adopt(log: GuardedLog, writing: Connection, copier: LogCopier): Promise<void> {
  log.copier = copier;
  await writing.exec("PRAGMA wal_autocheckpoint = 0");
}

interface Moment {
  readonly writing: Connection;
  /** The end of the log before the work. */
  readonly mark: LogMark;
}

/** Lets the writer rest while `use` works. Tells the copier for how long. */
const resting = <Result>(
  { writer }: GuardedLog,
  copier: LogCopier | undefined,
  use: (writing: Connection) => Promise<Result>,
): Promise<Result> =>
  writer.between(async (writing) => {
    const began = performance.now();
    try {
      return await use(writing);
    } finally {
      copier?.rested(performance.now() - began);
    }
  });

/** Does `work` without the guard. Tells the copier if another process has come in between. */
async function unguarded<Result>(
  { file, guard, copier }: GuardedLog,
  { writing, mark }: Moment,
  work: () => Promise<Result>,
): Promise<Result> {
  const [done] = await guard
    .without(writing, () => Promise.allSettled([work()]))
    .catch((error) => {
      copier?.lose("the log could not be kept");
      throw error;
    });
  const after = await markOf(writing, file);
  const isOurs = after.version === mark.version && (after.run === mark.run || after.frames === 0);
  if (!isOurs) copier?.lose("another process has changed the database at that moment");
  if (done.status === "rejected") throw done.reason;
  return done.value;
}

async function truncate({ lockWaitMs }: GuardedLog, writing: Connection, waitMs: number): Promise<boolean> {
  await writing.exec(`PRAGMA busy_timeout = ${waitMs}`);
  const row = await writing.get<WrittenBack>("PRAGMA wal_checkpoint(TRUNCATE)", []);
  await writing.exec(`PRAGMA busy_timeout = ${lockWaitMs}`);
  return row?.busy === 0;
}

/** Gives a function that does one piece of work after the other. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
