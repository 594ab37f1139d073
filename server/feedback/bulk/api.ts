import type { BulkChange, bulk as contract, Skipped } from "../../../src/contract/bulk.ts";
import { suffices } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { countOf } from "../../../src/words/phrases.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { members } from "../../access/members/store.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers, RepeatMark, Request } from "../../http/handler.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { inboxScope, prepareInbox } from "../inbox/lists.ts";
import { filterRefusal } from "../inbox/rules.ts";
import { firstThreads } from "../inbox/store.ts";
import { restoreResolution } from "../merge/store.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { tagKeyOf } from "../tags/rules.ts";
import { tags, threadTags } from "../tags/store.ts";
import { assignableMembers, changeThread, isFinish } from "../threads/change.ts";
import { endedSnooze, snoozeRefusal } from "../threads/rules.ts";
import { endDueSnoozes, snoozes } from "../threads/store/fields.ts";
import { threadNews } from "../unread/store/news.ts";
import {
  lockReadUntil,
  markUnreadFor,
  membersWithUnread,
  restoreActivity,
  threadViews,
  unreadWithoutViewFor,
} from "../unread/store/read-marks.ts";
import {
  bulkRefusal,
  changeBack,
  continuedMilliseconds,
  isActivity,
  isSnoozedByUndo,
  type ThreadState,
  undoMilliseconds,
  undoRefusal,
} from "./rules.ts";
import { type BulkThreadRow, bulkChanges, nothingDone, type Tally } from "./store.ts";

type BulkDeps = Pick<Deps, "clock" | "database" | "log" | "newId" | "time">;

interface Act {
  readonly caller: ConsoleCaller;
  readonly address: string;
  readonly appId: string;
}

/** The handlers that change many threads at once, and that undo such a change. (rule F45) */
export function bulk(deps: BulkDeps): Handlers<typeof contract> {
  const { clock, database } = deps;
  return {
    async change({ caller, address, params: { appId }, body, repeat, save }) {
      await ownedApp(database, appId, caller);
      const act = { caller, address, appId };
      const { change } = body;
      const known = repeat && (await begunBefore(deps, repeat));
      const begin = known === undefined ? await beginning(deps, { act, body, repeat }) : undefined;
      const id = known ?? (begin?.isLong ? await database.write(begin.save) : undefined);
      const next = async (tx: Transaction, changeId: string) => {
        await ownedApp(tx, appId, caller);
        await bulkChanges.lock(tx, changeId);
        return changePart(deps, tx, { act, change, changeId });
      };
      while (id !== undefined && (await bulkChanges.hasSeveralParts(database, id)))
        await database.write(async (tx) => {
          if (await bulkChanges.hasSeveralParts(tx, id)) await next(tx, id);
        });
      return save(async (tx) => {
        const now = clock.now();
        const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
        await bulkChanges.prune(tx, before(undoMilliseconds), before(continuedMilliseconds));
        const changeId = id ?? (await begin?.save(tx));
        if (changeId === undefined) throw new ApiError("not_found");
        const tally = await next(tx, changeId);
        await bulkChanges.end(tx, changeId, now.toISOString());
        return { ...tally, skipped: [...tally.skipped], undo: changeId };
      });
    },

    async undo({ caller, address, params: { appId }, body: { undo: id }, repeat, save }) {
      await ownedApp(database, appId, caller);
      await endDueSnoozes(deps);
      const act = { caller, address, appId };
      const request = repeat?.name ?? deps.newId();
      let tally = nothingDone;
      let isRepeated = false;
      for (let isMore = true; isMore; ) {
        const before = tally;
        [tally, isMore, isRepeated] = await database.write(async (tx) => {
          await bulkChanges.lock(tx, id);
          const { undoRequest, undoTally, createdAt } = await checkUndo(deps, tx, { id, act });
          const known = undoRequest === request ? undoTally : before;
          const rows = await bulkChanges.take(tx, id, limits.bulkIds);
          const isByOther = undoRequest !== null && undoRequest !== request;
          // The undo is also stored if the bulk change changed no thread. Otherwise a second undo would not be
          // refused.
          if (undoRequest === null && rows.length === 0)
            await bulkChanges.keepUndoTally(tx, id, request, known);
          if (rows.length === 0) return [known, false, isByOther];
          const all = sum(known, await undoSome(deps, tx, { act, rows, since: createdAt }));
          await bulkChanges.keepUndoTally(tx, id, request, all);
          return [all, true, isByOther];
        });
      }
      if (isRepeated && tally.changed + tally.skippedCount === 0)
        throw new ApiError("wrong_state", { message: "This change was already undone." });
      return save(async () => ({ ...tally, skipped: [...tally.skipped] }));
    },
  };
}

/**
 * Returns the id of the bulk change of an earlier request with this idempotency key. Throws
 * `idempotency_mismatch` for another body.
 */
async function begunBefore(
  { database }: BulkDeps,
  { name, content }: RepeatMark,
): Promise<string | undefined> {
  const known = await bulkChanges.ofRequest(database, name);
  if (known && known.content !== content) throw new ApiError("idempotency_mismatch");
  return known?.id;
}

/**
 * Divides a bulk change into parts. Returns `save`, which stores the change. `isLong` is true for several
 * parts.
 */
async function beginning(
  deps: BulkDeps,
  { act, body, repeat }: Pick<Request<typeof contract.change>, "body" | "repeat"> & { readonly act: Act },
) {
  const { database, clock } = deps;
  const { appId, caller } = act;
  await prepareInbox(deps, appId);
  await checkChange(deps, { appId, caller, change: body.change });
  const parts = chunksOf(await idsOf(deps, { appId, caller, body }), limits.bulkIds);
  const row = {
    ...{ id: deps.newId(), appId, userId: caller.userId, createdAt: clock.now().toISOString() },
    role: (await members.roleOf(database, appId, caller.userId)) ?? "",
  };
  return {
    isLong: parts.length > 1,
    save: (tx: Transaction) => bulkChanges.begin(tx, row, { repeat, parts }),
  };
}

/** Changes the threads of the next part, if a part is left. Returns the result of all parts so far. */
async function changePart(
  deps: BulkDeps,
  tx: Transaction,
  { changeId, ...part }: Omit<Part, "ids">,
): Promise<Tally> {
  const done = (await bulkChanges.find(tx, changeId))?.tally ?? nothingDone;
  const ids = await bulkChanges.takePart(tx, changeId);
  if (ids === undefined) return done;
  const all = sum(done, await changeSome(deps, tx, { ...part, changeId, ids }));
  await bulkChanges.keepTally(tx, changeId, all);
  return all;
}

const mostSkipped = 100;

/** The result for one part: the number of changed threads, and the threads that were not changed. */
interface PartTally {
  changed: number;
  readonly skipped: Skipped[];
}

const sum = (tally: Tally, { changed, skipped }: PartTally): Tally => ({
  changed: tally.changed + changed,
  skipped: [...tally.skipped, ...skipped].slice(0, mostSkipped),
  skippedCount: tally.skippedCount + skipped.length,
});

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}

/** Throws an error for a change that is not possible for any thread, such as a wrong assignee. */
async function checkChange(
  { clock, database }: BulkDeps,
  {
    appId,
    caller,
    change,
  }: { readonly appId: string; readonly caller: ConsoleCaller; readonly change: BulkChange },
): Promise<void> {
  if (Object.values(change).every((value) => value === undefined))
    throw badRequest("change", "must contain at least one change");
  const { assignee, snoozedUntil } = change;
  if (snoozedUntil !== undefined) {
    const refusal = snoozeRefusal({ status: "open", until: snoozedUntil }, clock.now());
    if (refusal) throw refusal;
  }
  if (assignee === undefined || assignee === null) return;
  const name = normaliseEmail(assignee);
  const isKnown = (await assignableMembers(database, appId)).some(
    ({ userId, email }) =>
      userId === (name === "me" ? caller.userId : name) || normaliseEmail(email) === name,
  );
  if (!isKnown) throw badRequest("change.assignee", "must be an owner or a maintainer of the app");
}

/** The time limit of the search in milliseconds. This limit must exceed the time limit for counting a list. */
const searchedMilliseconds = 6_000;

/**
 * Returns the sorted thread ids. Throws `bad_request`, or `list_changed` if the list has another number of
 * threads than expected.
 */
async function idsOf(
  deps: BulkDeps,
  { appId, caller, body }: Pick<Request<typeof contract.change>, "body" | "caller"> & Pick<Act, "appId">,
): Promise<string[]> {
  const { ids, filter, expected } = body;
  if ((ids === undefined) === (filter === undefined))
    throw badRequest("ids", "must be given if `filter` is not given, and cannot be combined with it");
  if (ids !== undefined) return [...new Set(ids)].sort();
  if (filter === undefined || expected === undefined)
    throw badRequest("expected", "must be given with `filter`");
  const refusal = filterRefusal(filter);
  if (refusal) throw refusal;
  const { database } = deps;
  if (filter.q !== undefined) await indexForSearch(deps);
  const scope = await inboxScope(database, { appId, userId: caller.userId }, filter);
  const whole = { most: limits.bulkFound + 1, milliseconds: searchedMilliseconds };
  const seen = { ...scope, to: endOf(expected.asOf, scope.to) };
  const { rows: found, isComplete } = await firstThreads(database, seen, whole);
  if (found.length > limits.bulkFound)
    throw badRequest("filter", `must match at most ${limits.bulkFound} threads`);
  if (!isComplete)
    throw badRequest(
      "filter",
      "must match fewer threads, because this search did not end in time. Nothing was changed",
    );
  if (found.length !== expected.total)
    throw new ApiError("list_changed", {
      message: `The list has ${countOf(found.length, "thread")} now.`,
    });
  return found.map(({ id }) => id).sort();
}

/**
 * Returns the end of the list that the caller saw: the millisecond after `asOf`, or `to` if that is earlier.
 */
function endOf(asOf: string, to: string | undefined): string {
  const end = new Date(Date.parse(asOf) + 1).toISOString();
  return to !== undefined && to < end ? to : end;
}

interface Part {
  readonly act: Act;
  readonly change: BulkChange;
  readonly changeId: string;
  readonly ids: readonly string[];
}

/** Changes the threads of one part, and stores their states before and after the change. */
async function changeSome(
  deps: BulkDeps,
  tx: Transaction,
  { act, change, changeId, ids }: Part,
): Promise<PartTally> {
  const tally: PartTally = { changed: 0, skipped: [] };
  const { read, ...fields } = change;
  for (const id of ids) {
    await tx.lock(id);
    const before = await stateBefore(tx, act, { id, change });
    const code = before === undefined ? "not_found" : bulkRefusal(before, change);
    if (before === undefined || code !== undefined) {
      tally.skipped.push({ id, code: code ?? "not_found" });
      continue;
    }
    if (Object.keys(fields).length > 0) await changeThread(deps, tx, { ...act, id, change: fields });
    if (read !== undefined) await markRead(tx, act, id, read);
    const after = await stateOf(tx, act, id);
    if (after) await bulkChanges.note(tx, changeId, noted(id, before, after));
    tally.changed += 1;
  }
  return tally;
}

/** Whether a change can mark a thread as read or as unread for the caller. */
const changesUnread = ({ read, status, snoozedUntil }: BulkChange): boolean =>
  read !== undefined || isFinish(status) || snoozedUntil != null;

const markRead = (tx: Transaction, { appId, caller }: Act, feedbackId: string, read: boolean) =>
  threadViews.mark(tx, { appId, userId: caller.userId, feedbackId }, read);

type FullState = ThreadState & { readonly tagKeys: readonly string[]; readonly activeAt: string };

const noted = (feedbackId: string, before: ThreadState, after: ThreadState): BulkThreadRow => ({
  feedbackId,
  before: stored(before),
  after: stored(after),
});

function stored({ tagIds, activity, unread, unreadFor, unreadMembers, ...row }: ThreadState): string {
  const { status, assigneeId, snoozedUntil, resolvedAt, activeAt } = row;
  return JSON.stringify({
    ...{ status, assigneeId, snoozedUntil, tagIds, activity, resolvedAt, activeAt },
    ...{ unread, unreadFor, unreadMembers },
  });
}

/** Returns the state of a thread before a change, with the unread marks that an undo must restore. */
async function stateBefore(
  tx: Transaction,
  act: Act,
  { id, change }: { readonly id: string; readonly change: BulkChange },
): Promise<FullState | undefined> {
  const state = await stateOf(tx, act, id);
  return (
    state && {
      ...state,
      unread: changesUnread(change) ? await isUnreadForCaller(tx, act, id) : null,
      unreadFor: isActivity(change) ? await unreadWithoutViewFor(tx, id) : undefined,
      unreadMembers: isSnoozedByUndo(state, change) ? await membersWithUnread(tx, id) : undefined,
    }
  );
}

const isUnreadForCaller = async (tx: Transaction, { caller }: Act, id: string): Promise<boolean> =>
  (await threadNews(tx, caller.userId, [id]))[0]?.unread === 1;

/** Returns the state of a thread; undefined if the app has no such thread, or if the thread is hidden. */
async function stateOf(tx: Transaction, { appId }: Act, id: string): Promise<FullState | undefined> {
  const [row] = await bulkChanges.states(tx, appId, [id]);
  if (row === undefined) return undefined;
  const own = (await threadTags.of(tx, [id])).get(id) ?? [];
  return {
    ...row,
    activity: Number(row.activity),
    tagIds: own.map((tag) => tag.id).sort(),
    tagKeys: own.map(({ name }) => tagKeyOf(name)),
    unread: null,
  };
}

/** Returns the stored bulk change. Throws `not_found` or `wrong_state` if the caller cannot undo it now. */
async function checkUndo(
  { clock }: BulkDeps,
  tx: Transaction,
  { id, act: { appId, caller } }: { readonly id: string; readonly act: Act },
) {
  await ownedApp(tx, appId, caller);
  const row = await bulkChanges.find(tx, id);
  if (!row || row.appId !== appId || row.userId !== caller.userId) throw new ApiError("not_found");
  const role = await members.roleOf(tx, appId, caller.userId);
  if (role === undefined || !suffices(role, row.role === "owner" ? "owner" : "maintainer"))
    throw new ApiError("wrong_state", {
      message: "You cannot undo this change, because your role in the app has changed since then.",
    });
  // An undo that began in time and was interrupted can be continued later.
  const hasBegun = row.undoRequest !== null;
  if (!hasBegun && clock.now().getTime() - Date.parse(row.endedAt ?? row.createdAt) > undoMilliseconds)
    throw new ApiError("wrong_state", { message: "This change can only be undone within ten minutes." });
  return row;
}

/** Undoes a bulk change that began at `since`. Skips threads that were changed after the bulk change. */
async function undoSome(
  deps: BulkDeps,
  tx: Transaction,
  {
    act,
    rows,
    since,
  }: { readonly act: Act; readonly rows: readonly BulkThreadRow[]; readonly since: string },
): Promise<PartTally> {
  const tally: PartTally = { changed: 0, skipped: [] };
  const assignable = new Set((await assignableMembers(tx, act.appId)).map(({ userId }) => userId));
  const names = new Map((await tags.list(tx, act.appId)).map(({ id, name }) => [id, name]));
  const states = rows.map(statesIn);
  await lockUnreadMarks(tx, act, states);
  for (const { id, before, after } of states) {
    await tx.lock(id);
    const now = await stateOf(tx, act, id);
    const code = undoRefusal({ now, before, after, assignable });
    if (now === undefined || code !== undefined) {
      tally.skipped.push({ id, code: code ?? "not_found" });
      continue;
    }
    const time = deps.clock.now().toISOString();
    const change = changeBack({ before, after }, { names, now: time });
    // This check is done before `changeThread`, because `changeThread` can mark the thread as read.
    const unread = before.unread ?? (changesUnread(change) ? await isUnreadForCaller(tx, act, id) : null);
    const unreadMembers =
      change.snoozedUntil == null ? [] : await unreadAgain(tx, id, { before, after, since });
    if (Object.keys(change).length > 0) await changeThread(deps, tx, { ...act, id, change });
    // Restores the time at which the thread was resolved. Otherwise it would count as resolved today. (rule F60)
    if (change.status !== undefined && before.resolvedAt !== undefined)
      await restoreResolution(tx, id, before.resolvedAt);
    if (before.activeAt !== undefined)
      await restoreActivity(tx, id, {
        at: before.activeAt,
        changedAt: now.activeAt,
        unreadFor: before.unreadFor ?? [],
      });
    await markUnreadFor(tx, id, unreadMembers);
    const ended = endedSnooze(before, time);
    if (ended !== null) await snoozes.end(tx, id, ended);
    else if (unread !== null) await markRead(tx, act, id, !unread);
    tally.changed += 1;
  }
  return tally;
}

interface StoredStates {
  readonly id: string;
  readonly before: ThreadState;
  readonly after: ThreadState;
}

const statesIn = ({ feedbackId, before, after }: BulkThreadRow): StoredStates => ({
  id: feedbackId,
  before: JSON.parse(before),
  after: JSON.parse(after),
});

/**
 * Returns the members for whom the undo must mark the thread as unread. A snooze marks the thread as read.
 * (rule F45)
 */
const unreadAgain = (
  tx: Transaction,
  id: string,
  { before, after, since }: Omit<StoredStates, "id"> & { readonly since: string },
): Promise<string[]> =>
  membersWithUnread(tx, id, {
    among: before.unreadMembers ?? [],
    // If the bulk change snoozed the thread, it also marked the thread as read for all members.
    unseenSince: after.snoozedUntil === null ? undefined : since,
  });

/** Locks `read_until` of all members for whom the undo may mark one of the threads as unread. */
async function lockUnreadMarks(
  tx: Transaction,
  { appId }: Act,
  states: readonly StoredStates[],
): Promise<void> {
  const userIds = new Set(
    states.flatMap(({ before }) => [...(before.unreadFor ?? []), ...(before.unreadMembers ?? [])]),
  );
  for (const userId of [...userIds].sort()) await lockReadUntil(tx, { appId, userId });
}
