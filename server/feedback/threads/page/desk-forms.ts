import { preferences } from "../../../../src/contract/account.ts";
import { apps } from "../../../../src/contract/apps.ts";
import { bulk } from "../../../../src/contract/bulk.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { readMarks, threads } from "../../../../src/contract/threads.ts";
import { type View, views } from "../../../../src/contract/views.ts";
import { type Definitions, defineForm, type SignedInVisit } from "../../../console/definitions.ts";
import {
  changedValues,
  type Fields,
  filledAgain,
  filledOver,
  givenFor,
  type Values,
  versionAgain,
} from "../../../console/forms.tsx";
import { changed, changesNotSaved } from "../../../console/notices.ts";
import { goTo, type Reply, reshowForm } from "../../../console/respond.tsx";
import { filterOf, filterQuery, valuesIn, withOpened } from "../../inbox/filters.ts";
import { placeFrom, withPlace } from "../../inbox/neighbours.tsx";
import { deskPage, showDesk } from "./desk.tsx";
import { currentView, viewQuery } from "./desk-around.tsx";
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
      const { changed, skippedCount, undo } = await ask(bulk.change, { params, body, idempotencyKey });
      const waiting = await plansWaiting(visit, did, undo);
      const until = untilOf(change);
      const result = actResultValues({ did, changed, skipped: skippedCount, waiting, until, undo });
      return goTo(await nextAddress(visit, did, result));
    },
    (refusal) => showDesk(visit, { list: fields.text("list"), opened: fields.text("open"), refusal }),
  );
}

/**
 * Returns how many resolved or archived threads have a plan that waits for a decision. Returns 0 after other
 * actions.
 */
export const plansWaiting = async (
  { reads }: SignedInVisit,
  did: ActName,
  changeId: string,
): Promise<number> => (did === "resolve" || did === "archive" ? reads.awaitingInChange(changeId) : 0);

/**
 * Returns the form's action. Without scripts, the Enter key always sends `tag`, even if the person filled in a
 * day.
 */
const actOf = (fields: Fields): string =>
  fields.text("act") === "tag" && fields.text("tagName").trim() === "" && fields.text("snoozeDay") !== ""
    ? `snooze:${untilDay}`
    : fields.text("act");

/** The maximum number of threads that are merged at once. Each merge is a separate request. */
const mostMerged = 20;

/** If a merge is refused with one of these codes, the remaining threads are still merged. */
const leaves: readonly string[] = ["not_found", "merged", "run_open", "wrong_state"];

/**
 * Merges the selected threads into the oldest of them. Returns the address of the next page. (rules F46, F48)
 */
async function mergeChosen({ ask, fields, links, param }: SignedInVisit): Promise<string> {
  // Ids begin with the time of creation, so the first id belongs to the oldest thread.
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
      // After the first merge, no error is thrown. The page must show the finished merges and offer to undo them.
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

/** Returns the time at which snoozed threads come back; undefined for other changes. */
export const untilOf = ({ snoozedUntil }: Record<string, unknown>): string | undefined =>
  typeof snoozedUntil === "string" ? snoozedUntil : undefined;

/** Returns the change of an action. Throws `bad_request` if the tag is missing. */
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
 * Returns the next address. After the open thread is resolved, archived or snoozed, the person's settings
 * select this address. (rule O32)
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

/** Returns the query of the list in which the thread `id` is open. An already open thread keeps its place. */
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

/** Undoes merges, the last one first. `skippedCount` is the number of threads that are still merged. */
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

/** Marks the threads of the list as read, except those that changed after the page was shown. */
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

/** Returns the body of the request that saves a view. `list` has the filters of the view. */
function viewBody({ viewName, viewShared, list }: Values): Record<string, unknown> {
  return {
    ...(viewName === undefined ? {} : { name: viewName }),
    ...(viewShared === undefined ? {} : { shared: viewShared === "on" }),
    ...(list === undefined ? {} : { query: queryOf(list) }),
  };
}

function queryOf(list: string): Record<string, string> {
  const filter = filterQuery(filterOf(valuesIn(list)));
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}

const noView: Values = { viewName: "", viewShared: "", list: "" };

function saveView(visit: SignedInVisit): Promise<Reply<"view-saved">> {
  const { ask, fields, links, param } = visit;
  return reshowForm(
    async () => {
      const params = { appId: param("appId") };
      const body = viewBody(givenFor(fields, noView));
      const view = await ask(views.create, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(`${links.inbox(params.appId)}?${viewQuery(view)}`, "view-saved");
    },
    (refusal) =>
      showDesk(visit, { list: fields.text("list"), refusedView: filledAgain(fields, atViewFields(refusal)) }),
  );
}

/** Saves what the person has changed in the form of a view, and opens the view. */
function changeView(visit: SignedInVisit): Promise<Reply<"changed">> {
  const { ask, fields, links, param } = visit;
  const params = { appId: param("appId"), viewId: param("viewId") };
  return reshowForm(
    async () => {
      const current = currentView(await readView(visit));
      const body = viewBody(changedValues(fields, givenFor(fields, current), current));
      const view = await ask(views.update, { params, body, idempotencyKey: fields.idempotencyKey });
      return goTo(`${links.inbox(params.appId)}?${viewQuery(view)}`, "changed");
    },
    (refusal) => showViewAgain(visit, refusal),
  );
}

/**
 * Shows a view's refused form again. The list uses the form's filters if they were changed, otherwise the
 * stored filters.
 */
async function showViewAgain(visit: SignedInVisit, refusal: ApiError): Promise<Reply> {
  const view = await readView(visit);
  const form = filledOver(filledAgain(visit.fields, atViewFields(refusal)), currentView(view));
  const list = new URLSearchParams(form.value("list"));
  list.set("saved", view.id);
  list.set("seen", versionAgain(form, "list"));
  return showDesk(visit, { list: String(list), refusedView: form });
}

/** Returns the view in the path. Throws `not_found` if the person may not see the view. */
async function readView({ ask, param }: SignedInVisit): Promise<View> {
  const { items } = await ask(views.list, { params: { appId: param("appId") } });
  const view = items.find(({ id }) => id === param("viewId").toLowerCase());
  if (!view) throw new ApiError("not_found");
  return view;
}

async function removeView({ ask, fields, links, param }: SignedInVisit): Promise<Reply<"view-deleted">> {
  const params = { appId: param("appId"), viewId: param("viewId") };
  await ask(views.remove, { params, idempotencyKey: fields.idempotencyKey });
  return goTo(links.inbox(param("appId")), "view-deleted");
}

/** Replaces the path `name` in a refusal with the name of the field in the form. */
function atViewFields(refusal: ApiError): ApiError {
  const issues = refusal.details.issues?.map((issue) =>
    issue.path === "name" ? { ...issue, path: "viewName" } : issue,
  );
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
