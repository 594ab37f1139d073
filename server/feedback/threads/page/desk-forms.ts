import { preferences } from "../../../../src/contract/account.ts";
import { apps } from "../../../../src/contract/apps.ts";
import { bulk } from "../../../../src/contract/bulk.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { readMarks, threads } from "../../../../src/contract/threads.ts";
import { views } from "../../../../src/contract/views.ts";
import type { Answered } from "../../../console/ask.ts";
import { type Definitions, defineForm, type SignedInVisit } from "../../../console/definitions.ts";
import { type Fields, filledAgain } from "../../../console/forms.tsx";
import { changed, changesNotSaved } from "../../../console/notices.ts";
import { goTo, type Reply, reshowForm } from "../../../console/respond.tsx";
import { filterOf, filterQuery, listQuery, valuesIn, withOpened } from "../../inbox/filters.ts";
import { placeFrom, withPlace } from "../../inbox/neighbours.tsx";
import { deskPage, showDesk } from "./desk.tsx";
import { type ActName, actResultValues, isActName, keyFor } from "./desk-list.tsx";
import { snoozeEnd, untilDay } from "./fields.tsx";

/**
 * Changes the selected threads of the list. The next page shows the result and offers to undo the change. (rule F48)
 */
function changeThreads(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const params = { appId: param("appId") };
  return reshowForm(
    async () => {
      const [did = "", value = ""] = actOf(fields).split(":");
      if (!isActName(did)) throw badRequest("act", "is unknown");
      if (did === "merge") return goTo(await mergeChosen(visit));
      const change = await changeOf(visit, did, value);
      const body = { ...chosenIn(fields), change };
      const idempotencyKey = fields.idempotencyKey;
      const answer = await ask(bulk.change, { params, body, idempotencyKey });
      const { changed, skippedCount, undo } = answer;
      const isAll = fields.text("all") === "1";
      const waiting = isAll ? 0 : await plansWaiting(visit, { did, ids: fields.all("id"), answer });
      const result = actResultValues({ did, changed, skipped: skippedCount, waiting, undo });
      return goTo(await nextAddress(visit, did, result));
    },
    (refusal) => showDesk(visit, { list: fields.text("list"), opened: fields.text("open"), refusal }),
  );
}

/**
 * Returns how many of the threads that were resolved or archived have a plan that waits for a decision. If not all
 * skipped threads are known, it returns 0, because the person may not be allowed to read some of the threads.
 */
export async function plansWaiting(
  { reads }: SignedInVisit,
  {
    did,
    ids,
    answer: { skipped, skippedCount },
  }: {
    readonly did: ActName;
    readonly ids: readonly string[];
    readonly answer: Pick<Answered<typeof bulk.change>, "skipped" | "skippedCount">;
  },
): Promise<number> {
  if ((did !== "resolve" && did !== "archive") || skippedCount > skipped.length) return 0;
  const left = new Set(skipped.map(({ id }) => id));
  const newest = await reads.newestProposals(ids.filter((id) => !left.has(id)));
  return [...newest.values()].filter((state) => state === "waiting").length;
}

/**
 * Returns the action of the form. Without scripts, the Enter key in the field for a day uses the first button of the
 * form, which adds a tag. If only the day was typed, the action is a snooze.
 */
const actOf = (fields: Fields): string =>
  fields.text("act") === "tag" && fields.text("tagName").trim() === "" && fields.text("snoozeDay") !== ""
    ? `snooze:${untilDay}`
    : fields.text("act");

/**
 * The maximum number of threads that are merged at once. The number is small, because each merge is a separate request.
 */
const mostMerged = 20;

/** If the merge of a thread is refused with one of these error codes, the other threads are still merged. */
const leaves: readonly string[] = ["not_found", "merged", "run_open", "wrong_state"];

/**
 * Merges the selected threads into the oldest of them. Returns the address of the page that shows the oldest thread
 * and offers to undo the merges. (rules F46, F48)
 */
async function mergeChosen({ ask, fields, links, param }: SignedInVisit): Promise<string> {
  // Ids begin with the time at which the thread was created, so the first id is that of the oldest thread.
  const [into = "", ...ids] = [...new Set(fields.all("id"))].sort();
  if (fields.text("all") === "1" || ids.length === 0 || ids.length >= mostMerged)
    throw new ApiError("bad_request", {
      message: `Select 2 to ${mostMerged} threads one by one, and then merge them.`,
    });
  const merged: string[] = [];
  for (const id of ids) {
    try {
      await ask(threads.merge, { params: { id }, body: { into }, idempotencyKey: keyFor(fields, id) });
      merged.push(id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // After the first merge, no error is thrown, because the page must show the finished merges and offer to undo
      // them.
      if (!leaves.includes(error.code) && merged.length === 0) throw error;
    }
  }
  const changed = merged.length;
  const undo = changed === 0 ? "" : [undoOfMerges, ...merged].join(".");
  const result = { did: "merge", changed, skipped: ids.length - changed, undo } as const;
  const query = new URLSearchParams(withOpened(fields.text("list"), into));
  for (const [name, value] of Object.entries(actResultValues(result))) query.set(name, value);
  return `${links.inbox(param("appId"))}?${query}`;
}

/** Returns the change that an action makes in each thread. Throws `bad_request` if an action for tags has no tag. */
async function changeOf(visit: SignedInVisit, did: ActName, value: string): Promise<Record<string, unknown>> {
  const { fields } = visit;
  if (did === "snooze") return { snoozedUntil: await snoozeEnd(visit, value) };
  const tags = fields
    .text("tagName")
    .split(",")
    .filter((name) => name.trim() !== "");
  const changes: Readonly<Record<Exclude<ActName, "snooze">, Record<string, unknown>>> = {
    resolve: { status: "resolved" },
    archive: { status: "archived" },
    open: { status: "open" },
    assign: { assignee: value === "none" ? null : value },
    tag: { addTags: tags },
    untag: { removeTags: tags },
    wake: { snoozedUntil: null },
    merge: {},
    read: { read: true },
    unread: { read: false },
    undone: {},
  };
  if ((did === "tag" || did === "untag") && tags.length === 0)
    throw new ApiError("bad_request", { message: "Type a tag first." });
  return changes[did];
}

/** Returns the selected threads as the API expects them: their ids, or the filters of the list. */
function chosenIn(fields: Fields): Record<string, unknown> {
  if (fields.text("all") !== "1") return { ids: fields.all("id") };
  const filter = filterQuery(filterOf(valuesIn(fields.text("list"))));
  const given = Object.entries(filter).filter(([, value]) => value !== "");
  return {
    filter: Object.fromEntries(given),
    expected: { total: Number(fields.text("total")), asOf: fields.text("asOf") },
  };
}

/** The actions after which a thread disappears from most lists. */
const finishes: readonly ActName[] = ["resolve", "archive", "snooze"];

/**
 * Returns the address of the page after an action. If the action resolved, archived or snoozed the open thread, this
 * page shows the next thread, the same thread or the list, as the person has chosen in the settings. (rule O32)
 */
async function nextAddress(
  { ask, fields, links, param }: SignedInVisit,
  did: ActName,
  result: Readonly<Record<string, string>>,
): Promise<string> {
  const [list, open, next] = [fields.text("list"), fields.text("open"), fields.text("next")];
  const ids = fields.all("id");
  const isOpenOne = open !== "" && ids.length === 1 && ids[0] === open;
  const { afterResolving } =
    isOpenOne && finishes.includes(did) ? await ask(preferences.read) : { afterResolving: "stay" as const };
  const opens = { next, stay: open, list: "" }[afterResolving];
  const query = new URLSearchParams(opens === "" ? list : openedAgain(fields, opens));
  for (const [name, value] of Object.entries(result)) query.set(name, value);
  return `${links.inbox(param("appId"))}?${query}`;
}

/**
 * Returns the query of the list with this open thread. If the thread was already open, it keeps its place in the list.
 */
function openedAgain(fields: Fields, id: string): string {
  const list = withOpened(fields.text("list"), id);
  return id === fields.text("open")
    ? withPlace(
        list,
        placeFrom(() => "", fields),
      )
    : list;
}

/** After merges, the value `undo` begins with this word. The ids of the merged threads follow. */
const undoOfMerges = "merges";

/**
 * Undoes merges, the last merge first. Returns the number of threads that are separate again, and the number of threads
 * that are still merged.
 */
async function undoMerges({ ask, fields }: SignedInVisit, ids: readonly string[]) {
  let skippedCount = 0;
  for (const id of [...ids].reverse())
    try {
      await ask(threads.unmerge, { params: { id }, idempotencyKey: keyFor(fields, id) });
    } catch (error) {
      if (!(error instanceof ApiError) || !leaves.includes(error.code)) throw error;
      skippedCount += 1;
    }
  return { changed: ids.length - skippedCount, skippedCount };
}

/** Undoes the last action on threads. */
function undoChange(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links, param } = visit;
  const [list, opened] = [fields.text("list"), fields.text("open")];
  return reshowForm(
    async () => {
      const [word, ...merged] = fields.text("undo").split(".");
      const { changed, skippedCount } =
        word === undoOfMerges
          ? await undoMerges(visit, merged.slice(0, mostMerged))
          : await ask(bulk.undo, {
              params: { appId: param("appId") },
              body: { undo: fields.text("undo") },
              idempotencyKey: fields.idempotencyKey,
            });
      const query = new URLSearchParams(opened === "" ? list : openedAgain(fields, opened));
      const result = { did: "undone", changed, skipped: skippedCount, undo: "" } as const;
      for (const [name, value] of Object.entries(actResultValues(result))) query.set(name, value);
      return goTo(`${links.inbox(param("appId"))}?${query}`);
    },
    (refusal) => showDesk(visit, { list, opened, refusal }),
  );
}

/** Marks the threads of the list as read. A thread that changed after the page was shown stays unread. */
async function markAllRead({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"read">> {
  const appId = param("appId");
  const given = ["status", "type", "until"].map((name) => [name, fields.text(name)] as const);
  const body = Object.fromEntries(given.filter(([, value]) => value !== ""));
  await ask(readMarks.updateAll, { params: { appId }, body, idempotencyKey: fields.idempotencyKey });
  return goTo(inboxOf(links.inbox(appId), fields.text("list")), "read");
}

/** Hides the line about what changed since the last visit. */
async function hideChanges({ ask, fields, links, views: pageViews, param }: SignedInVisit): Promise<Reply> {
  const appId = param("appId");
  await ask(apps.read, { params: { appId } });
  await pageViews.hideChanges(appId);
  return goTo(inboxOf(links.inbox(appId), fields.text("list")));
}

const inboxOf = (inbox: string, list: string): string =>
  list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`;

/** Returns the view that a form saves, as the API expects it. */
function viewIn(fields: Fields) {
  const filter = filterQuery(filterOf(valuesIn(fields.text("list"))));
  const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
  return { name: fields.text("viewName"), query, shared: fields.text("viewShared") === "on" };
}

/** Saves the filters of the list as a view, and opens it. */
function saveView(visit: SignedInVisit): Promise<Reply<"view-saved">> {
  const { ask, fields, links, param } = visit;
  return withViewForm(visit, async () => {
    const params = { appId: param("appId") };
    const body = viewIn(fields);
    const { id } = await ask(views.create, { params, body, idempotencyKey: fields.idempotencyKey });
    const list = listQuery(filterOf(valuesIn(fields.text("list"))), { saved: id });
    return goTo(`${links.inbox(param("appId"))}?${list}`, "view-saved");
  });
}

function changeView(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  return withViewForm(visit, async () => {
    const params = { appId: param("appId"), viewId: param("viewId") };
    await ask(views.update, { params, body: viewIn(fields), idempotencyKey: fields.idempotencyKey });
    const list = listQuery(filterOf(valuesIn(fields.text("list"))), { saved: param("viewId") });
    return goTo(`${links.inbox(param("appId"))}?${list}`, "changed");
  });
}

async function removeView({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"view-deleted">> {
  const params = { appId: param("appId"), viewId: param("viewId") };
  await ask(views.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.inbox(param("appId")), "view-deleted");
}

/** Runs the action of a form for views. If the action is refused, the page shows the form again. */
function withViewForm<Done extends string>(
  visit: SignedInVisit,
  act: () => Promise<Reply<Done>>,
): Promise<Reply<Done>> {
  const { fields, param } = visit;
  return reshowForm(act, (refusal) => {
    const list = new URLSearchParams(fields.text("list"));
    if (param("viewId") !== "") list.set("saved", param("viewId"));
    return showDesk(visit, { list: String(list), refusedView: filledAgain(fields, namedField(refusal)) });
  });
}

/** Replaces the path `name` in a refusal with the name of the field in the form. */
function namedField(refusal: ApiError): ApiError {
  const issues = refusal.details.issues?.map(({ path, message }) => ({
    path: path === "name" ? "viewName" : path,
    message,
  }));
  return issues === undefined ? refusal : new ApiError(refusal.code, { ...refusal.details, issues });
}

export const definitions: Definitions = [
  deskPage,
  defineForm({
    at: (links) => links.inbox(":appId", "change"),
    page: deskPage,
    act: changeThreads,
    done: {},
    word: "changeThreads",
    notDone: "Nothing was changed.",
  }),
  defineForm({
    at: (links) => links.inbox(":appId", "undo"),
    page: deskPage,
    act: undoChange,
    done: {},
    word: "undoChange",
    notDone: "Nothing was undone.",
  }),
  defineForm({
    at: (links) => links.inbox(":appId", "read"),
    page: deskPage,
    act: markAllRead,
    done: { read: "The threads of this list are marked as read." },
    word: "markAllRead",
    notDone: "Nothing was marked as read.",
  }),
  defineForm({
    at: (links) => links.inbox(":appId", "hide-changes"),
    page: deskPage,
    act: hideChanges,
    done: {},
    word: "hideChanges",
    notDone: "Nothing was changed.",
  }),
  defineForm({
    at: (links) => links.views(":appId"),
    page: deskPage,
    act: saveView,
    done: { "view-saved": "The view is saved." },
    word: "saveView",
    notDone: "The view was not saved.",
  }),
  defineForm({
    at: (links) => links.view(":appId", ":viewId", "change"),
    page: deskPage,
    act: changeView,
    done: changed,
    ...changesNotSaved,
  }),
  defineForm({
    at: (links) => links.view(":appId", ":viewId", "remove"),
    page: deskPage,
    act: removeView,
    done: { "view-deleted": "The view is deleted. Its threads are not deleted." },
    word: "removeView",
    notDone: "The view was not deleted.",
  }),
];
