import { bulk } from "../../../../src/contract/bulk.ts";
import { suffices } from "../../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import { threads } from "../../../../src/contract/threads.ts";
import {
  type Definitions,
  defineForm,
  definePage,
  type SignedInVisit,
} from "../../../console/definitions.ts";
import { type Fields, HiddenFields, IdempotencyField, versionOf } from "../../../console/forms.tsx";
import { ConsolePage, type Navigation, navigationOf, sumOf } from "../../../console/layout.tsx";
import { LiveMailFault, mailFaultFor } from "../../../console/mail-fault.tsx";
import type { Answered, InboxProposal } from "../../../console/page-reads.ts";
import { Empty, keyed, Notice, Pager, refusalInWords, shownCount } from "../../../console/parts.tsx";
import { goTo, InTurns, type Reply, reshowForm, show } from "../../../console/respond.tsx";
import type { MailFault } from "../../../mail/outgoing/rules.ts";
import {
  filterOf,
  fixedViewOf,
  isSameFilter,
  type ListFilter,
  listQuery,
  valuesIn,
  withOpened,
} from "../../inbox/filters.ts";
import { FixedViews, unreadFilter, viewNames } from "./desk-around.tsx";
import { OrderMenu } from "./desk-bar.tsx";
import { plansWaiting, untilOf } from "./desk-forms.ts";
import {
  ActBarOfApps,
  ActNotice,
  type ActResult,
  actResultOf,
  actResultValues,
  isActName,
  keyFor,
  labelOfAct,
  ThreadRow,
} from "./desk-list.tsx";
import { snoozeEnd, untilDay } from "./fields.tsx";

/** Shows the threads of all apps of a person. A search has its own page. (rule F49) */
async function showAllApps(visit: SignedInVisit): Promise<Reply> {
  const q = visit.query("q").trim();
  return q === ""
    ? showList(visit, visit.query)
    : goTo(`${visit.links.search}?${new URLSearchParams({ q })}`);
}

async function showList(
  visit: SignedInVisit,
  query: (name: string) => string,
  refusal?: ApiError,
): Promise<Reply> {
  const { ask, reads } = visit;
  const filter = filterOf((name) => (isShown(name, query(name)) ? query(name) : ""));
  const cursor = query("cursor");
  const { status, type, assignee, waitingOn, unfinished, snoozed, unread, order } = filter;
  const wanted = { status, type, assignee, waitingOn, unfinished, snoozed, unread, order };
  const list = await ask(threads.listAll, { query: { ...wanted, cursor } });
  const withProposal = list.items.filter(({ proposalStatus }) => proposalStatus !== null);
  const [navigation, proposals] = await Promise.all([
    navigationOf(visit),
    reads.newestProposals(withProposal.map(({ id }) => id)),
  ]);
  const result = refusal === undefined ? actResultOf(query) : undefined;
  const mailFault = await mailFaultFor(visit, navigation);
  const shown = { filter, cursor, list, proposals, mailFault, result, refusal, now: visit.now };
  return show(<AllApps {...shown} navigation={{ ...navigation, tab: "all" }} />, refusal?.status);
}

/** Whether a list of the threads of all apps can have this filter. */
const isShown = (name: string, value: string): boolean =>
  name === "assignee" ? ["me", "none"].includes(value) : shownNames.includes(name);

const shownNames = [
  ...["view", "status", "type", "order", "unread"],
  ...["waitingOn", "unfinished", "snoozed"],
];

interface AllAppsProps {
  readonly navigation: Navigation;
  readonly filter: ListFilter;
  readonly cursor: string;
  readonly list: Answered<typeof threads.listAll>;
  readonly proposals: ReadonlyMap<string, InboxProposal>;
  /** Why the mails of the person's apps cannot be sent. */
  readonly mailFault: MailFault | undefined;
  readonly result: ActResult | undefined;
  readonly refusal: ApiError | undefined;
  readonly now: Date;
}

const AllApps = ({
  navigation,
  filter,
  cursor,
  list: { items, nextCursor, count },
  proposals,
  mailFault,
  result,
  refusal,
  now,
}: AllAppsProps) => {
  const { links, apps } = navigation;
  const changeable = new Set(apps.filter(({ role }) => suffices(role, "maintainer")).map(({ id }) => id));
  const list = listQuery(filter);
  const at = (more: Record<string, string>) => `${links.allFeedback}?${listQuery(filter, more)}`;
  const unread = sumOf(navigation.counts, "unread");
  const open = fixedViewOf(filter);
  return (
    <ConsolePage navigation={navigation} title="Inbox of all apps" wide>
      <h1 class="unseen">Inbox of all apps</h1>
      <LiveMailFault fault={mailFault} />
      <div class="triage without-thread">
        <nav class="views" id="views" popover="auto" aria-label="Views">
          <FixedViews
            address={links.allFeedback}
            open={open}
            countOf={(name) => (open === name && count !== undefined ? String(count) : "")}
            unread={{
              href: `${links.allFeedback}?status=unread`,
              count: unread === 0 ? "" : shownCount(unread),
              isOpen: filter.unread === "true",
            }}
          />
        </nav>
        <section class="list-column" aria-label="List">
          {refusal !== undefined && (
            <Notice kind="alert">
              <b>Nothing was changed.</b> {refusalInWords(refusal, labelOfAct)}
            </Notice>
          )}
          <div class="list-bar">
            <button class="views-button" type="button" popovertarget="views">
              <span class="name">{nameOf(filter)}</span>
            </button>
            <search>
              <form class="search" method="get" action={links.search}>
                <label class="unseen" for="search">
                  Search all your apps
                </label>
                <input
                  id="search"
                  type="search"
                  name="q"
                  placeholder="Search all your apps"
                  maxLength={limits.feedbackSearch}
                  {...keyed("/", "Search feedback", "List")}
                />
                <button class="unseen" type="submit" tabIndex={-1}>
                  Search
                </button>
              </form>
            </search>
            <OrderMenu list={links.allFeedback} filter={filter} />
          </div>
          <form class="list-form" id="list-form" method="post" action={links.allFeedbackForm("change")}>
            {/* Without scripts, the Enter key uses the first button of the form. This button must not resolve
                threads. */}
            <button
              class="unseen"
              type="submit"
              name="act"
              value={`snooze:${untilDay}`}
              tabIndex={-1}
              aria-hidden="true"
            >
              Snooze until this day
            </button>
            <IdempotencyField />
            <HiddenFields
              values={[
                ["list", list],
                ["next", ""],
              ]}
            />
            <div
              id="threads"
              data-live={versionOf([items, [...proposals]])}
              data-news="The threads in this list have changed."
            >
              {items.length === 0 ? (
                <Empty title="Nothing here">
                  <p>No thread of your apps is in this list right now.</p>
                </Empty>
              ) : (
                <ul class="threads" aria-label="Feedback">
                  <InTurns>
                    {items.map((thread) => (
                      <ThreadRow
                        key={thread.id}
                        thread={thread}
                        proposal={proposals.get(thread.id)}
                        href={`${links.inbox(thread.appId)}?${withOpened(list, thread.number ?? thread.id)}&back=all`}
                        isOpened={false}
                        choice={
                          changeable.has(thread.appId)
                            ? { isChosen: false, value: `${thread.appId}.${thread.id}` }
                            : undefined
                        }
                        app={{ name: thread.appName, colour: colourOf(thread.appId) }}
                        status={filter.status}
                        person={navigation.email}
                        now={now}
                      />
                    ))}
                  </InTurns>
                </ul>
              )}
            </div>
            {changeable.size > 0 && <ActBarOfApps />}
          </form>
          <div class="list-end">
            <Pager
              first={cursor === "" ? undefined : at({})}
              next={nextCursor === null ? undefined : at({ cursor: nextCursor })}
            />
          </div>
          <ActNotice
            result={result}
            list={list}
            opened=""
            place={[]}
            action={links.allFeedbackForm("undo")}
          />
        </section>
      </div>
    </ConsolePage>
  );
};

/** Returns the name of the list: the name of its view, or a description. */
function nameOf(filter: ListFilter): string {
  const fixed = fixedViewOf(filter);
  if (fixed !== undefined) return viewNames[fixed] ?? fixed;
  return isSameFilter(filter, unreadFilter) ? "Unread" : "Filtered";
}

/** Returns the colour of an app, from 0 to 7. It depends only on the app id. */
const colourOf = (appId: string): number => Number.parseInt(appId.slice(-2), 16) % 8;

/**
 * Changes the selected threads in each app. Skips apps in which the person may not change threads. (rule F48)
 */
function changeThreads(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      const [did = "", value = ""] = fields.text("act").split(":");
      const change = did === "snooze" ? { snoozedUntil: await snoozeEnd(visit, value) } : changes.get(did);
      if (!isActName(did) || change === undefined) throw badRequest("act", "is unknown");
      if (fields.all("id").length > limits.bulkIds)
        throw new ApiError("bad_request", { message: `Select at most ${limits.bulkIds} threads.` });
      const byApp = [...idsByApp(fields.all("id"))].map(([appId, ids]) => ({
        appId,
        ids,
        count: ids.length,
      }));
      if (byApp.length === 0) throw new ApiError("bad_request", { message: "Select a thread first." });
      const parts = await inEachApp(byApp, async ({ appId, ids }) => {
        const answer = await ask(bulk.change, {
          params: { appId },
          body: { ids, change },
          idempotencyKey: keyFor(fields, appId),
        });
        return { ...answer, waiting: await plansWaiting(visit, did, answer.undo) };
      });
      const undo = parts
        .flatMap((part) => (part.undo === "" ? [] : [packed(part.appId), packed(part.undo), part.changed]))
        .join(".");
      return goTo(
        withResult(links.allFeedback, fields, { did, ...sumOfParts(parts), until: untilOf(change), undo }),
      );
    },
    (refusal) => showList(visit, valuesIn(fields.text("list")), refusal),
  );
}

/** Undoes the last action on threads of several apps. */
function undoChange(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, links } = visit;
  return reshowForm(
    async () => {
      // `undo` has three parts for each app. There are at most as many apps as selected threads.
      const given = fields.text("undo").split(".", 3 * limits.bulkIds);
      const byApp = given.flatMap((appId, at) =>
        at % 3 === 0
          ? [{ appId: unpacked(appId), undo: unpacked(given[at + 1]), count: Number(given[at + 2]) || 1 }]
          : [],
      );
      const parts = await inEachApp(byApp, ({ appId, undo }) =>
        ask(bulk.undo, { params: { appId }, body: { undo }, idempotencyKey: keyFor(fields, appId) }),
      );
      return goTo(withResult(links.allFeedback, fields, { did: "undone", ...sumOfParts(parts), undo: "" }));
    },
    (refusal) => showList(visit, valuesIn(fields.text("list")), refusal),
  );
}

/** Returns a shorter form of an id. The next page's address may contain two ids for each selected thread. */
const packed = (id: string): string => Buffer.from(id.replaceAll("-", ""), "hex").toString("base64url");

/** Returns the id for a short form that `packed` returned. */
const unpacked = (short: string | undefined): string =>
  Buffer.from(short ?? "", "base64url")
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/**
 * The change that each action makes, by action name. `snooze` is missing, because its change contains a time.
 */
const changes: ReadonlyMap<string, Record<string, unknown>> = new Map(
  Object.entries({
    resolve: { status: "resolved" },
    archive: { status: "archived" },
    open: { status: "open" },
    assign: { assignee: "me" },
    wake: { snoozedUntil: null },
    read: { read: true },
  }),
);

/** Returns the ids of the selected threads by app. A checkbox has the value `appId.threadId`. */
function idsByApp(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byApp = new Map<string, string[]>();
  for (const value of new Set(values)) {
    const [appId = "", id] = value.split(".");
    if (id === undefined) continue;
    const ids = byApp.get(appId);
    if (ids) ids.push(id);
    else byApp.set(appId, [id]);
  }
  return byApp;
}

interface PartOfApp {
  readonly appId: string;
  readonly changed: number;
  readonly skipped: number;
  /** The number of resolved or archived threads whose plans still wait for a decision. */
  readonly waiting: number;
  readonly undo: string;
}

/** An app in which threads are changed, and the number of these threads. */
interface OfApp {
  readonly appId: string;
  readonly count: number;
}

/**
 * Calls `act` for each app. Skips apps that fail with a code of `leavesOut`. After a change, skips apps with
 * any `ApiError`.
 */
async function inEachApp<Given extends OfApp>(
  byApp: readonly Given[],
  act: (given: Given) => Promise<{
    readonly changed: number;
    readonly skippedCount: number;
    readonly waiting?: number;
    readonly undo?: string | null;
  }>,
): Promise<readonly PartOfApp[]> {
  const parts: PartOfApp[] = [];
  for (const given of byApp) {
    const { appId, count } = given;
    try {
      const { changed, skippedCount, waiting = 0, undo } = await act(given);
      parts.push({ appId, changed, skipped: skippedCount, waiting, undo: undo ?? "" });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!leavesOut.includes(error.code) && parts.every(({ changed }) => changed === 0)) throw error;
      parts.push({ appId, changed: 0, skipped: count, waiting: 0, undo: "" });
    }
  }
  return parts;
}

const leavesOut: readonly string[] = ["not_found", "forbidden"];

const sumOfParts = (parts: readonly PartOfApp[]) => ({
  changed: parts.reduce((sum, { changed }) => sum + changed, 0),
  skipped: parts.reduce((sum, { skipped }) => sum + skipped, 0),
  waiting: parts.reduce((sum, { waiting }) => sum + waiting, 0),
});

function withResult(address: string, fields: Fields, result: ActResult): string {
  const query = new URLSearchParams(fields.text("list"));
  for (const [name, value] of Object.entries(actResultValues(result))) query.set(name, value);
  return `${address}?${query}`;
}

const allAppsPage = definePage({ at: (links) => links.allFeedback, needs: "account", show: showAllApps });

export const definitions: Definitions = [
  allAppsPage,
  defineForm({
    at: (links) => links.allFeedbackForm("change"),
    page: allAppsPage,
    act: changeThreads,
    done: {},
    word: "changeThreadsOfApps",
    notDone: "Nothing was changed.",
  }),
  defineForm({
    at: (links) => links.allFeedbackForm("undo"),
    page: allAppsPage,
    act: undoChange,
    done: {},
    word: "undoChangeOfApps",
    notDone: "Nothing was undone.",
  }),
];
