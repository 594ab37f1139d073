import { setTimeout as sleep } from "node:timers/promises";
import { DamagedFrame } from "../store/engine/sqlite/log-frames.ts";
import type { LogCopier, LogMark } from "../store/engine/write-log.ts";
import { copyBase } from "./base-copy.ts";
import { type Chain, createChain } from "./chain.ts";
import type { CopierParts, Generation } from "./copier-parts.ts";
import type { LinkContent } from "./link.ts";
import { atBegin, BrokenLog, createLogTail, type LogPart } from "./log-tail.ts";
import { generationName } from "./names.ts";
import type { Listed } from "./places/place.ts";

/** Copies one generation after the other. */
export interface Copier {
  current(): Generation | undefined;
  /** Copies the whole database as a new generation. The one before goes on until the new one is complete. */
  begin(before: (chain: Chain, unnamed: readonly Listed[]) => Promise<void>): Promise<void>;
  /** Goes on with a generation of an earlier process. False if the log does not continue it. */
  resume(make: () => Generation, isNext: (mark: LogMark) => boolean): Promise<boolean>;
  /** Stores what was committed since the last call, then lets the log begin again if it is long. */
  copyLog(): Promise<void>;
  /** Ends all copying, so that SQLite can shorten the log. */
  giveUp(reason: string): Promise<void>;
  /** How many bytes of the log are not copied. */
  behind(mark: LogMark): number;
}

const retryMs = 1_000;
const busyMs = 100;
/** How many times the log is copied again before it is written back, so that little is left to be taken into memory. */
const mostRounds = 5;
const fewFrames = 250;

/** The database file was written while it was copied. */
class TornBase extends Error {
  constructor() {
    super("The copy of the database has become useless. It begins again.");
  }
}

/** What a copier remembers. */
interface Copying extends CopierParts {
  current: Generation | undefined;
  /** While the file of the database is copied: whether somebody has written it since. */
  basing: { torn: boolean } | undefined;
  /** Changes when another process commits. */
  version: number | undefined;
  copyingFiles: Promise<void>;
}

export function createCopier(parts: CopierParts): Copier {
  const copying: Copying = {
    ...parts,
    ...{ current: undefined, basing: undefined, version: undefined, copyingFiles: Promise.resolve() },
  };
  const hooks = hooksOf(copying);
  return {
    current: () => copying.current,
    begin: (before) => begin(copying, hooks, before),
    async resume(make, isNext) {
      const mark = await copying.log.hold(hooks);
      if (!isNext(mark)) return false;
      copying.version = mark.version;
      await copying.files.copyMissing();
      copying.current = make();
      return true;
    },
    async copyLog() {
      try {
        await copyLog(copying);
      } catch (error) {
        if (isBroken(error)) hooks.lose(error.message);
        throw error;
      }
    },
    async giveUp(reason) {
      hooks.lose(reason);
      await copying.log.release();
    },
    behind: (mark) => behind(copying, mark),
  };
}

const hooksOf = (copying: Copying): LogCopier => ({
  takeRest(mark) {
    if (copying.basing) copying.basing.torn = true;
    return copying.current?.tail.takeRest(mark) ?? true;
  },
  fileChanges() {
    if (copying.basing) copying.basing.torn = true;
  },
  rested: copying.events.rested,
  lose(reason) {
    if (copying.basing) copying.basing.torn = true;
    if (copying.current) copying.events.lost(reason);
    copying.current = undefined;
  },
  begun() {
    copying.basing = { torn: false };
  },
});

type Before = Parameters<Copier["begin"]>[0];

async function begin(copying: Copying, hooks: LogCopier, before: Before): Promise<void> {
  const { log, base, place, recipients, files, events } = copying;
  copying.version = (await log.mark()).version;
  const unnamed = await files.copyMissing();
  const mark = await emptied(copying, hooks);
  const state = copying.basing ?? { torn: true };
  try {
    const chain = createChain(place, recipients, { generation: generationName(mark.at) });
    await copyFiles(copying, mark);
    await before(chain, unnamed);
    const store = (each: Chain) => storeBase(copying, each, state);
    await copyBase(base, { chain, mark, files: files.folder, store });
    if (state.torn) throw new TornBase();
    copying.current = { chain, tail: createLogTail(`${log.file}-wal`, atBegin) };
    events.copied(mark.at);
  } finally {
    copying.basing = undefined;
  }
}

/** The log after it was written back and emptied. Waits for others that read it. */
async function emptied({ log, stopping }: Copying, hooks: LogCopier): Promise<LogMark> {
  for (;;) {
    stopping.throwIfAborted();
    const mark = await log.begin(hooks);
    if (mark) return mark;
    await sleep(busyMs, undefined, { signal: stopping });
  }
}

async function storeBase(
  { events, stopping }: Copying,
  chain: Chain,
  state: { readonly torn: boolean },
): Promise<void> {
  for (;;) {
    stopping.throwIfAborted();
    if (state.torn) throw new TornBase();
    try {
      events.stored(await chain.store());
      return;
    } catch (error) {
      events.failed(error);
    }
    await sleep(retryMs, undefined, { signal: stopping });
  }
}

/** Files go before the log that names them. Another process may have kept some. */
function copyFiles(copying: Copying, mark: LogMark): Promise<void> {
  const { files } = copying;
  const done = copying.copyingFiles.then(async () => {
    await files.copyKept();
    if (copying.version !== mark.version) await files.copyMissing();
    copying.version = mark.version;
  });
  copying.copyingFiles = done.catch(() => {});
  return done;
}

async function copyLog(copying: Copying): Promise<void> {
  const mark = await catchUp(copying);
  if (copying.basing || mark.frames < copying.writeBackFrames) return;
  await copying.log.writeMost();
  // Writing takes a while. What was committed meanwhile must be copied before the writer rests.
  await catchUp(copying);
  if (copying.basing) return;
  await copying.log.writeBack();
  await copyTo(copying, await copying.log.mark());
}

/** Copies until little is left. Gives the last mark. */
async function catchUp(copying: Copying): Promise<LogMark> {
  for (let round = 1; ; round++) {
    const mark = await copying.log.mark();
    const reached = await copyTo(copying, mark);
    if (round === mostRounds) return mark;
    const now = await copying.log.mark();
    if (reached && now.run === mark.run && now.frames - mark.frames < fewFrames) return mark;
  }
}

/** Stores the log up to the mark. False if it must be called again for the rest. */
async function copyTo(copying: Copying, mark: LogMark): Promise<boolean> {
  const { current, files, events } = copying;
  if (!current) return true;
  await copyFiles(copying, mark);
  await storeWaiting(copying, current);
  let reached = true;
  for await (const part of current.tail.parts(mark)) {
    await current.chain.prepare(contentOf(part, mark, files.folder), part.frames);
    current.waiting = part;
    await storeWaiting(copying, current);
    reached = part.reachesMark;
  }
  if (reached) events.copied(mark.at);
  return reached;
}

async function storeWaiting({ events }: Copying, generation: Generation): Promise<void> {
  const { chain, tail, waiting } = generation;
  events.stored(await chain.store());
  if (waiting) tail.done(waiting);
  generation.waiting = undefined;
}

function behind({ current }: Copying, { run, frames }: LogMark): number {
  const position = current?.tail.position;
  const copied = position?.run?.salt === run ? position.frames : 0;
  return (frames - copied) * (position?.run?.pageSize ?? usualPage);
}

const usualPage = 4_096;

const isBroken = (error: unknown): error is Error =>
  error instanceof BrokenLog || error instanceof DamagedFrame;

const contentOf = (part: LogPart, mark: LogMark, files: string): LinkContent => ({
  ...{ kind: "log", at: part.reachesMark ? mark.at.toISOString() : null, files },
  ...{ pageSize: part.run.pageSize, run: part.run.salt, from: part.from, to: part.to },
  ...{ sums: [part.sums[0], part.sums[1]], databasePages: part.databasePages },
});
