import { type Command, Option } from "commander";
import { routes } from "../client/routes.ts";
import type { SavedReply } from "../contract/correspondence.ts";
import type { FeedbackType } from "../contract/feedback.ts";
import { feedbackFiles, limits } from "../contract/limits.ts";
import { reportTexts } from "../contract/report-texts.ts";
import type { Tag } from "../contract/tags.ts";
import type {
  ListOrder,
  SearchedThread,
  SearchFacts,
  SimilarThread,
  ThreadEvent,
  ThreadStatus,
  ThreadSummary,
} from "../contract/threads.ts";
import { logicWordsText, missingValueText, unknownValueText } from "../words/thread.ts";
import { oneLine } from "../words/visible.ts";
import { choices } from "./core/choices.ts";
import { usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  count,
  destroysHere,
  instantOf,
  mutates,
  ofApp,
  type Setup,
  several,
  views,
} from "./core/command.ts";
import { allPages } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { appIdOf } from "./core/ids.ts";
import { flagOf, textOf } from "./core/input.ts";
import { type Column, note, noteFurther, printList, printOne, refusePageOfAll } from "./core/output.ts";
import { rulesOf } from "./delivery/report.ts";
import type { ResendFlags } from "./delivery/send.ts";
import type { SendFlags } from "./delivery/send-report.ts";
import {
  addBulk,
  addMerge,
  addSnooze,
  type BodyFlags,
  type ReplyFlags,
  replyToSender,
  wholeThreadId,
} from "./feedback/change-threads.ts";
import type { InboxFlags } from "./feedback/inbox/show.ts";
import type { JunitFlags } from "./feedback/junit/failure.ts";
import type { ResolveFlags } from "./feedback/resolve.ts";
import { type ThreadTextOptions, threadText } from "./feedback/thread-text.ts";
import { queryOfView } from "./view.ts";

export function addFeedback(feedback: Command, setup: Setup): void {
  addSending(feedback, setup);
  addReading(feedback, setup);
  addWorking(feedback, setup);
}

function addSending(feedback: Command, setup: Setup): void {
  const send = mutates(feedback.command("send").description(routes.feedback.submit.summary));
  send
    .option("--type <type>", `${choices.feedbackTypes.join(", ")} (required)`)
    .option(
      "--message <text>",
      "what happened; `-` is standard input, `@file` a file, which may be a long log (required)",
    )
    .option(
      "--subject <text>",
      "a short title; by default made from the message; also accepts `-` and `@file`",
    )
    .option("--email <address>", "the address of the sender, for replies")
    .option("--name <name>", "the name of the sender");
  for (const { name, flag } of reportTexts) send.option(`${flagOf(name)} <${flag[0]}>`, flag[1]);
  send
    .option("--metadata <key=text>", "a fact, or `key:=json` for a JSON value; repeatable", several)
    .option("--no-ci-metadata", "do not add the run URL, the commit, the ref and the job of the CI run")
    .option("--image <file>", rulesOf(feedbackFiles.images), several)
    .option("--video <file>", rulesOf(feedbackFiles.videos), several)
    .option("--attach <file>", `${rulesOf(feedbackFiles.attachments)}; ${textsToo}`, several)
    .option(
      "--dedupe-key <key>",
      "add the report to the open thread with the same key, instead of starting a new thread",
    )
    .option(
      "--dedupe-scope <scope>",
      "what the run tests; by default in CI: workflow, job, matrix, system and ref",
    )
    .option(
      "--dedupe-run <run>",
      "the run that reports the failure; several reports of one run count once; by default in CI: the id of the run",
    )
    .option("--junit <glob...>", "report each failing test of these JUnit XML files; repeatable", several)
    .option(
      "--max-reports <number>",
      "with --junit: the maximum number of reports; one more report is the summary of the other tests; default: 20",
      count,
    )
    .option(
      "--best-effort",
      "exit with code 0 even after an error: leave out faulty fields, and show what was not sent",
    )
    .option("--status-url", "also print the address of the sender's page, which anybody can open")
    .addHelpText("after", sendNotes);
  addExamples(
    send,
    'innkeep feedback send --type bug --message "The list is empty after syncing" --image screen.png',
    "innkeep feedback send --type bug --subject 'Tests fail' --message @log.txt --dedupe-key tests --best-effort",
    "innkeep feedback send --type bug --message 'The build fails' --attach build.log",
    "innkeep feedback send --junit 'reports/*.xml' --best-effort",
  );
  commandAction<SendFlags & Partial<JunitFlags>>(send, setup, async (invocation, { junit, ...flags }) =>
    junit
      ? (await import("./feedback/junit/send.ts")).sendJunit(invocation, { ...flags, junit })
      : (await import("./delivery/send-report.ts")).send(invocation, flags),
  );

  const resend = mutates(
    feedback
      .command("resend [report]")
      .description("Send reports that did not arrive and were kept on this machine"),
  )
    .option("--list", "list the kept reports")
    .option("--all", "send all kept reports for this server")
    .option("--without-files", "send the report without its files");
  addExamples(resend, "innkeep feedback resend --list", "innkeep feedback resend --all");
  commandAction<ResendFlags, string | undefined>(resend, setup, async (invocation, flags, id) => {
    const { reports } = await import("./delivery/report.ts");
    return (await import("./delivery/send.ts")).resend(invocation, reports, flags, id);
  });

  const discard = destroysHere(
    feedback.command("discard <report>").description("Delete a kept report without sending it"),
  );
  addExamples(discard, "innkeep feedback discard 01a1fda4-237d-759b-ad89-7cf5663516dc --yes");
  commandAction<object, string>(discard, setup, async (invocation, _, id) => {
    const { reports } = await import("./delivery/report.ts");
    return (await import("./delivery/send.ts")).discard(invocation, reports, id);
  });
}

const sendNotes = `
If the answer to a report is lost, the report is sent again with the same Idempotency-Key. A server that ignores the key
may then store the report twice.`;

const textsToo = "also any text file, which is sent as a PDF with the file attached";

function addReading(feedback: Command, setup: Setup): void {
  const list = feedback.command("list").alias("ls").description(routes.threads.list.summary);
  list
    .addOption(oneOf("--status <status>", choices.threadStatuses))
    .addOption(oneOf("--type <type>", choices.feedbackTypes))
    .option(
      "--tag <name>",
      "only threads with this tag; if repeated, only threads with all of the tags",
      several,
    )
    .option("--assignee <who>", "only threads that are assigned to `me`, to `none` or to an e-mail address")
    .option(
      "--view <name>",
      "only the threads of a view (see `innkeep view list`); other flags add filters, or replace filters of the view",
    )
    .addOption(oneOf("--waiting-on <who>", ["us", "sender"]))
    .option("--unfinished", "only threads that are open or in progress")
    .option("--snoozed", "only snoozed threads")
    .option("--no-snoozed", "only threads that are not snoozed")
    .option("--q <query>", "only threads that the query finds; see `feedback search`")
    .option("--from <instant>", "only threads created from this time on: ISO 8601, or a day in UTC")
    .option("--to <instant>", "only threads created before this time")
    .addOption(
      oneOf(
        "--order <order>",
        choices.listOrders,
        "the newest report first (created), the latest activity first, or the oldest activity first",
      ),
    )
    .option(
      "--unread",
      "only threads that you have not read; the last active thread comes first, unless --order is oldest_activity",
    )
    .option("--limit <number>", "the maximum number of threads on a page")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--all", "all pages");
  addExamples(
    list,
    "innkeep feedback list --app Larder --status open --from 2026-11-01",
    "innkeep feedback list --app Larder --tag crash --tag android",
  );
  commandAction(ofApp(list), setup, listThreads);

  const search = feedback
    .command("search <query...>")
    .description(routes.search.list.summary)
    .option("--app <id>", "only in this app, by id or name; needs a maintainer token")
    .addOption(oneOf("--status <status>", choices.threadStatuses))
    .addOption(oneOf("--type <type>", choices.feedbackTypes))
    .option("--from <instant>", "only threads created from this time on: ISO 8601, or a day in UTC")
    .option("--to <instant>", "only threads created before this time")
    .option("--limit <number>", "the maximum number of threads on a page")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--all", "all pages")
    .addHelpText("after", searchNotes);
  addExamples(
    search,
    "innkeep feedback search list empty --status open",
    "innkeep feedback search 'is:open \"too many requests\" -widget'",
  );
  commandAction<SearchFlags, readonly string[]>(search, setup, async (invocation, flags, words) =>
    searchFeedback(invocation, flags, words),
  );

  const inbox = feedback
    .command("inbox")
    .description("Work through the feedback on a screen: read, reply, note, link an issue, archive, resolve")
    .addOption(oneOf("--status <status>", choices.threadStatuses).default("open"))
    .addOption(oneOf("--type <type>", choices.feedbackTypes))
    .option("--q <words>", "only threads that contain these words")
    .addHelpText("after", inboxNotes);
  addExamples(inbox, "innkeep feedback inbox --app Larder", "innkeep feedback inbox --type bug");
  commandAction<InboxFlags>(ofApp(inbox), setup, async (invocation, flags) =>
    (await import("./feedback/inbox/show.ts")).showInbox(invocation, flags),
  );

  const view = feedback
    .command("view <thread>")
    .alias("show")
    .description(routes.threads.read.summary)
    .option("--repeats", "print all repeated reports; without this flag, one line replaces them")
    .option("--before <message>", "print the messages that are older than this message");
  addExamples(view, "innkeep feedback view 12", "innkeep feedback view 01a1fda4 --raw feedback.message");
  commandAction(views(ofApp(view)), setup, viewThread);

  const events = feedback.command("events <thread>").description(routes.threads.events.summary);
  addExamples(events, "innkeep feedback events 12");
  commandAction<object, string>(ofApp(events), setup, listEvents);

  const similar = feedback.command("similar <thread>").description(routes.threads.similar.summary);
  addExamples(similar, "innkeep feedback similar 12");
  commandAction<object, string>(ofApp(similar), setup, listSimilar);
}

const searchNotes = `
The command searches the whole text of each thread, in all your apps. A query can contain "a phrase", -word, #12, is:open, type:bug, tag:NAME,
from:ADDRESS, source:WORD, has:image, assignee:me, before:2026-11-01 and after:2026-11-01. Quote the query in a shell, and write
-- before it if it begins with a -.`;

const inboxNotes = `
The screen needs a terminal. The last active thread comes first; a * marks unread threads. The key u undoes the last
archiving or resolving. A reply is sent after a second Enter. You decide on proposals in the console, which the key o opens.`;

function addWorking(feedback: Command, setup: Setup): void {
  const edit = mutates(
    feedback.command("edit <thread>").alias("update").description(routes.threads.update.summary),
  )
    .addOption(oneOf("--status <status>", choices.threadStatuses))
    .addOption(oneOf("--category <type>", choices.feedbackTypes))
    .option("--subject <text>", "the new subject of the thread")
    .option("--github-issue-url <url>", "the issue of the thread on GitHub; empty removes it");
  addExamples(edit, "innkeep feedback edit 01a1fda4 --status resolved");
  commandAction(ofApp(edit), setup, editThread);

  addResolving(feedback, setup);
  addTriage(feedback, setup);
  addSnooze(feedback, setup);
  addMerge(feedback, setup);
  addBulk(feedback, setup);

  const reply = feedback
    .command("reply <thread>")
    .description("Reply to the sender")
    .addOption(
      new Option(
        "--report <id>",
        "the report whose sender gets the reply, if there are several; default: the sender who wrote last",
      ).conflicts("everyone"),
    )
    .option("--everyone", "also reply to the senders of all repeats")
    .option("--resolve", "also resolve the thread; if one of the two fails, neither happens")
    .option(
      "--expect-message <id>",
      "the newest message that you have read, or `none`; nothing is sent if anybody else has written a newer message",
    )
    .option(
      "--expect-receivers <name>",
      "with --everyone: the value in the line `Receivers` of `feedback view`; nothing is sent if the receivers have changed",
    )
    .option("--force", "send the reply without a question, even if somebody else has replied");
  addExamples(reply, 'innkeep feedback reply 01a1fda4 --body "Fixed in 2.4.0. Thank you!"');
  commandAction<ReplyFlags, string>(withBody(reply), setup, replyToSender);

  const note = feedback.command("note <thread>").description("Add a note that the sender does not see");
  addExamples(note, "innkeep feedback note 01a1fda4 --body @note.md");
  commandAction<BodyFlags, string>(withBody(note), setup, addNote);
}

function addTriage(feedback: Command, setup: Setup): void {
  const tags = feedback.command("tags").description(routes.tags.list.summary);
  addExamples(tags, "innkeep feedback tags --app Larder");
  commandAction(ofApp(tags), setup, listTags);

  const replies = feedback.command("saved-replies").description(routes.savedReplies.list.summary);
  addExamples(replies, "innkeep feedback saved-replies --app Larder");
  commandAction(ofApp(replies), setup, listSavedReplies);

  const tag = feedback
    .command("tag <thread> <name...>")
    .description("Add tags to a thread; creates tags that do not exist");
  addExamples(tag, "innkeep feedback tag 01a1fda4 crash android");
  commandAction<object, string>(mutates(ofApp(tag)), setup, (invocation, _, thread) =>
    changeTags(invocation, thread, { addTags: tag.processedArgs[1] }),
  );

  const untag = feedback.command("untag <thread> <name...>").description("Remove tags from a thread");
  addExamples(untag, "innkeep feedback untag 01a1fda4 android");
  commandAction<object, string>(mutates(ofApp(untag)), setup, (invocation, _, thread) =>
    changeTags(invocation, thread, { removeTags: untag.processedArgs[1] }),
  );

  const assign = feedback
    .command("assign <thread> <who>")
    .description("Assign a thread to `me`, to `none` or to the e-mail address of a member");
  addExamples(
    assign,
    "innkeep feedback assign 01a1fda4 me",
    "innkeep feedback assign 01a1fda4 ada@example.org",
  );
  commandAction<object, string>(mutates(ofApp(assign)), setup, (invocation, _, thread) =>
    assignThread(invocation, thread, String(assign.processedArgs[1])),
  );
}

function addResolving(feedback: Command, setup: Setup): void {
  const resolve = mutates(ofApp(feedback.command("resolve").description(routes.failures.resolve.summary)))
    .option("--dedupe-key <key>", "the key of a failure that passed; repeatable", several)
    .option("--junit <glob...>", "the tests that passed in these JUnit XML files; repeatable", several)
    .option("--run-status <status>", "how the run ended; only `success` and `failure` resolve anything")
    .option(
      "--dedupe-scope <scope>",
      "what the run tests; by default in CI: workflow, job, matrix, system and ref",
    )
    .option("--dedupe-run <run>", "the id of the run that passed; by default in CI: the id of the CI run")
    .option("--run-url <url>", "the web page of the run; by default the page of the CI run")
    .option(
      "--run-started-at <instant>",
      "when the run started, in ISO 8601; failures that were reported later stay open; default: the start of the CI run, which most services provide",
    )
    .option("--best-effort", "print a warning and exit with code 0 even after an error");
  addExamples(
    resolve,
    "innkeep feedback resolve --junit 'reports/*.xml' --run-status success",
    "innkeep feedback resolve --dedupe-key nightly --run-status success --dedupe-run 1234",
  );
  commandAction<ResolveFlags>(resolve, setup, async (invocation, flags) =>
    (await import("./feedback/resolve.ts")).resolve(invocation, flags),
  );
}

const withBody = (command: Command): Command =>
  mutates(ofApp(command)).requiredOption("--body <text>", "the text; `-` is standard input, `@file` a file");

const oneOf = (flag: string, values: readonly string[], meaning?: string): Option =>
  new Option(flag, meaning).choices(values);

async function listTags(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().tags.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns: tagColumns });
}

const tagColumns: readonly Column<Tag>[] = [
  { heading: "tag", of: ({ name }) => name },
  { heading: "threads", of: ({ threads }) => threads },
  { heading: "colour", of: ({ colour }) => colour },
];

async function listSavedReplies(invocation: Invocation): Promise<undefined> {
  const { savedReplies } = invocation.client();
  const { items } = await savedReplies.list({ params: { appId: await appIdOf(invocation) } });
  printList(invocation, { items, columns: replyColumns });
}

const replyColumns: readonly Column<SavedReply>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "title", of: ({ title }) => title },
  { heading: "text", of: ({ body }) => body },
];

/** Adds tags to a thread and removes tags from it. Creates tags that the app does not have. */
async function changeTags(
  invocation: Invocation,
  given: string,
  body: { readonly addTags?: string[]; readonly removeTags?: string[] },
): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body });
  const names = thread.tags.map(({ name }) => name).join(", ");
  note(invocation, `Feedback ${id} has ${names === "" ? "no tags" : `the tags ${names}`}.`);
  printOne(invocation, thread, () => threadText(thread));
}

/** Assigns a thread to a member, to the caller (`me`) or to nobody (`none`). */
async function assignThread(invocation: Invocation, given: string, who: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const { threads } = invocation.client();
  const { assignee: seen } = await threads.read({ params: { id } });
  // The server refuses if the assignee has changed since this command read the thread.
  const body = { assignee: who === "none" ? null : who, expectedAssignee: seen?.userId ?? null };
  const thread = await threads.update({ params: { id }, body });
  note(
    invocation,
    `Feedback ${id} is ${thread.assignee ? `assigned to ${thread.assignee.email}` : "assigned to nobody"}.`,
  );
  printOne(invocation, thread, () => threadText(thread));
}

interface ListFlags {
  readonly view?: string;
  readonly waitingOn?: "us" | "sender";
  readonly unfinished?: boolean;
  readonly snoozed?: boolean;
  readonly status?: ThreadStatus;
  readonly type?: FeedbackType;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
  readonly tag?: readonly string[];
  readonly assignee?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly order?: ListOrder;
  readonly unread?: boolean;
  readonly all?: boolean;
}

/** Returns the object without the fields that are undefined. */
const definedIn = <Values extends object>(values: Values): Partial<Values> => {
  const set: Partial<Values> = { ...values };
  for (const name in set) if (set[name] === undefined) delete set[name];
  return set;
};

/** Lists the threads of an app, sorted by creation or by last activity. Prints one page or all pages. */
async function listThreads(invocation: Invocation, flags: ListFlags): Promise<undefined> {
  const { status, type, q, limit, order } = flags;
  const snoozed = flags.snoozed === undefined ? undefined : (`${flags.snoozed}` as const);
  refusePageOfAll(flags);
  const unread = flags.unread ? ("true" as const) : undefined;
  const period = { from: instantOf("--from", flags.from), to: instantOf("--to", flags.to) };
  const params = { appId: await appIdOf(invocation) };
  const tag = flags.tag?.join(",");
  const ofView = flags.view === undefined ? {} : await queryOfView(invocation, params.appId, flags.view);
  const own = {
    waitingOn: flags.waitingOn,
    unfinished: flags.unfinished ? ("true" as const) : undefined,
    status,
    type,
    q,
    order,
    unread,
    tag,
    snoozed,
    assignee: flags.assignee,
    ...period,
  } as const;
  const query = { ...ofView, ...definedIn(own) };
  const { threads } = invocation.client();
  const read = (cursor?: string, most = limit) =>
    threads.list({ params, query: { ...query, cursor, limit: most } });
  const { items, nextCursor } = flags.all ? await everyThread(read) : await read(flags.cursor);
  const isByAge = query.order === undefined || query.order === "created";
  const byActivity = !isByAge || query.unread !== undefined;
  printList(invocation, {
    items,
    columns: byActivity ? activityColumns : threadColumns,
    extra: { nextCursor },
  });
  noteFurther(invocation, { count: items.length, nextCursor, all: true });
}

type ReadPage = (
  cursor: string | undefined,
  most: string,
) => Promise<{ readonly items: readonly ThreadSummary[]; readonly nextCursor: string | null }>;

async function everyThread(read: ReadPage) {
  const items: ThreadSummary[] = [];
  for await (const page of allPages((cursor) => read(cursor, String(limits.listPage.max))))
    items.push(...page.items);
  return { items, nextCursor: null };
}

const threadColumns: readonly Column<ThreadSummary>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "status", of: ({ status }) => status },
  { heading: "type", of: ({ category }) => category },
  { heading: "times", of: ({ occurrences }) => occurrences },
  { heading: "sender", of: ({ senderName, senderEmail }) => senderName ?? senderEmail },
  { heading: "proposal", of: ({ proposalStatus }) => proposalStatus },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "assignee", of: ({ assignee }) => assignee?.email, isRare: true },
  { heading: "tags", of: ({ tags }) => tags?.map(({ name }) => name).join(", "), isRare: true },
  // This is the last column, so that scripts that count columns still work.
  { heading: "number", of: ({ number }) => number, isRare: true },
];

const activityColumns: readonly Column<ThreadSummary>[] = [
  ...threadColumns.slice(0, 1),
  { heading: "active", of: ({ activeAt }) => activeAt },
  { heading: "unread", of: ({ unread }) => (unread ? "unread" : "") },
  ...threadColumns.slice(2),
];

async function viewThread(
  invocation: Invocation,
  flags: ThreadTextOptions,
  given: string,
): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const { before } = flags;
  const thread = await invocation.client().threads.read({ params: { id }, query: { before } });
  printOne(invocation, thread, () => threadText(thread, flags));
}

const eventColumns: readonly Column<ThreadEvent>[] = [
  { heading: "at", of: ({ at }) => at },
  { heading: "by", of: ({ by, bySender }) => (bySender ? "sender" : by) },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "from", of: ({ from }) => from },
  { heading: "to", of: ({ to }) => to },
];

async function listEvents(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const { items } = await invocation.client().threads.events({ params: { id } });
  printList(invocation, { items, columns: eventColumns });
}

const similarColumns: readonly Column<SimilarThread>[] = [
  { heading: "number", of: ({ number }) => (number ? `#${number}` : "") },
  { heading: "status", of: ({ status }) => status },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "both have", of: ({ shared }) => shared.join(", ") },
];

async function listSimilar(invocation: Invocation, _: object, given: string): Promise<undefined> {
  const id = await wholeThreadId(invocation, given);
  const { items } = await invocation.client().threads.similar({ params: { id } });
  printList(invocation, { items, columns: similarColumns });
}

/** Changes only the given fields. An empty issue address removes the link. */
async function editThread(
  invocation: Invocation,
  flags: {
    readonly status?: ThreadStatus;
    readonly category?: FeedbackType;
    readonly subject?: string;
    readonly githubIssueUrl?: string;
  },
  given: string,
): Promise<undefined> {
  const { status, category, subject, githubIssueUrl } = flags;
  const body = { status, category, subject, githubIssueUrl: githubIssueUrl === "" ? null : githubIssueUrl };
  if (Object.values(body).every((value) => value === undefined)) {
    throw usageError(
      "There is nothing to change.",
      "Give --status, --category, --subject or --github-issue-url.",
    );
  }
  const id = await wholeThreadId(invocation, given);
  const thread = await invocation.client().threads.update({ params: { id }, body });
  note(invocation, `Changed feedback ${thread.feedback.id}.`);
  printOne(invocation, thread, () => threadText(thread));
}

/** Adds a note that only the team sees. */
async function addNote(invocation: Invocation, flags: BodyFlags, given: string): Promise<undefined> {
  const body = await textOf(invocation, "--body", flags.body);
  const id = await wholeThreadId(invocation, given);
  const message = await invocation.client().threads.addMessage({
    params: { id },
    body: { direction: "note", body },
  });
  note(invocation, `Added a note to feedback ${id}.`);
  printOne(invocation, message, () => message.id);
}

interface SearchFlags {
  readonly app?: string;
  readonly status?: "open" | "in_progress" | "resolved" | "archived";
  readonly type?: "bug" | "feature" | "question" | "general";
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
}

/** Prints the threads that a query finds in one app or in all apps, each with the line that matches. */
async function searchFeedback(
  invocation: Invocation,
  { app, status, type, limit, all = false, ...flags }: SearchFlags,
  words: readonly string[],
): Promise<undefined> {
  refusePageOfAll({ all, limit, cursor: flags.cursor });
  const appId = app === undefined ? undefined : await appIdOf(invocation);
  const period = { from: instantOf("--from", flags.from), to: instantOf("--to", flags.to) };
  const { search } = invocation.client();
  const read = (cursor: string | undefined, most: string | undefined) =>
    search.list({ query: { q: words.join(" "), appId, status, type, ...period, cursor, limit: most } });
  const first = await read(flags.cursor, all ? String(limits.listPage.max) : limit);
  const items = [...first.items];
  let { nextCursor } = first;
  if (all && nextCursor !== null) {
    const from = nextCursor;
    for await (const page of allPages((cursor) => read(cursor ?? from, String(limits.listPage.max))))
      items.push(...page.items);
    nextCursor = null;
  }
  printList(invocation, { items, columns, extra: { nextCursor, search: first.search } });
  const hint = logicWordsText(words.join(" "));
  if (hint !== undefined) note(invocation, hint);
  if (first.search) noteFacts(invocation, first.search);
  noteFurther(invocation, { count: items.length, nextCursor, all: true });
}

const columns: readonly Column<SearchedThread>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "number", of: ({ number }) => number },
  { heading: "status", of: ({ status }) => status },
  { heading: "type", of: ({ category }) => category },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "subject", of: ({ subject }) => subject },
  { heading: "found", of: ({ found }) => (found ? `${found.in}: ${found.text}` : "") },
];

function noteFacts(
  invocation: Invocation,
  { counts, didYouMean, indexing, unknownValues = [], missing = [] }: SearchFacts,
): void {
  const { open, in_progress: inProgress, resolved, archived } = counts;
  note(invocation, `open ${open}, in_progress ${inProgress}, resolved ${resolved}, archived ${archived}`);
  if (didYouMean !== null) note(invocation, `Did you mean: ${oneLine(didYouMean)}`);
  for (const unknown of unknownValues) note(invocation, oneLine(unknownValueText(unknown)));
  for (const one of missing) note(invocation, oneLine(missingValueText(one)));
  if (indexing)
    note(invocation, "The search index is being built. Until that is done, older feedback may be missing.");
}
