import { type Command, Option } from "commander";
import { routes } from "../client/routes.ts";
import { choices } from "./core/choices.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { count, destroysHere, mutates, ofApp, several, views } from "./core/flags.ts";
import { rulesOf } from "./delivery/file-kinds.ts";
import type { ResendFlags } from "./delivery/resend-feedback.ts";
import type { SendFlags } from "./delivery/send-feedback.ts";
import type { InboxFlags } from "./feedback/inbox/show.ts";
import type { JunitFlags } from "./feedback/junit/drafts.ts";
import type { ResolveFlags } from "./feedback/resolve.ts";
import {
  addNote,
  assignThread,
  type BodyFlags,
  changeTags,
  editThread,
  listSavedReplies,
  listTags,
  listThreads,
  type ReplyFlags,
  replyToSender,
  viewThread,
} from "./threads.ts";

export function addFeedback(feedback: Command, setup: Setup): void {
  addSending(feedback, setup);
  addReading(feedback, setup);
  addWorking(feedback, setup);
}

function addSending(feedback: Command, setup: Setup): void {
  const send = mutates(feedback.command("send").description(routes.feedback.submit.summary))
    .option("--type <type>", `${choices.feedbackTypes.join(", ")} (required)`)
    .option(
      "--message <text>",
      "what happened; `-` is standard input, `@file` a file, also a long log (required)",
    )
    .option("--subject <text>", "made from the message unless given; `-` and `@file` as above")
    .option("--email <address>", "where the sender is reached")
    .option("--name <name>", "who the sender is")
    .option("--source <label>", "where it comes from, such as `ci`")
    .option("--metadata <key=text>", "a fact, or `key:=json` for a value of JSON; repeatable", several)
    .option("--no-ci-metadata", "leave out run URL, commit, ref and job of a CI run")
    .option("--image <file>", rulesOf("images"), several)
    .option("--video <file>", rulesOf("videos"), several)
    .option("--attach <file>", `${rulesOf("attachments")}; ${textsToo}`, several)
    .option("--dedupe-key <key>", "add it to the open thread with the same key instead of starting one")
    .option("--dedupe-scope <scope>", "what the run covers; in CI workflow, job, matrix, system and ref")
    .option("--dedupe-run <run>", "which run reports it: the same run counts once; in CI the id of the run")
    .option("--junit <glob...>", "report each failing test of these JUnit XML files; repeatable", several)
    .option("--max-reports <number>", "with --junit: the rest in one summary; 20 unless set", count)
    .option(
      "--best-effort",
      "exit 0 whatever goes wrong: leave out faulty fields, and show what was not sent",
    )
    .option("--status-url", "also print the address of the sender's page, which anybody can open")
    .addHelpText("after", sendNotes);
  commandAction<SendFlags & Partial<JunitFlags>>(send, setup, async (invocation, { junit, ...flags }) =>
    junit
      ? (await import("./feedback/junit/send.ts")).sendJunit(invocation, { ...flags, junit })
      : (await import("./delivery/send-feedback.ts")).send(invocation, flags),
  );

  const resend = mutates(
    feedback
      .command("resend [report]")
      .description("Send reports that were kept because they did not arrive"),
  )
    .option("--list", "show what is kept")
    .option("--all", "send all that is kept for this server")
    .option("--without-files", "send the text alone");
  commandAction<ResendFlags, string | undefined>(resend, setup, async (...given) =>
    (await import("./delivery/resend-feedback.ts")).resend(...given),
  );

  const discard = destroysHere(
    feedback.command("discard <report>").description("Drop a kept report without sending it"),
  );
  commandAction<object, string>(discard, setup, async (...given) =>
    (await import("./delivery/resend-feedback.ts")).discard(...given),
  );
}

const sendNotes = `
A report whose answer was lost is sent again with the same Idempotency-Key. A server that ignores the key may
post it twice then.`;
const textsToo = "also any text file, set as a PDF that has the file inside";

function addReading(feedback: Command, setup: Setup): void {
  const list = feedback.command("list").alias("ls").description(routes.threads.list.summary);
  list
    .addOption(oneOf("--status <status>", choices.threadStatuses))
    .addOption(oneOf("--type <type>", choices.feedbackTypes))
    .option("--tag <name>", "only those with this tag; repeatable: those with all of them", several)
    .option("--assignee <who>", "only those of a member: `me`, `none` or an e-mail address")
    .option("--q <words>", "only those that hold these words")
    .option("--from <instant>", "only those since then: ISO 8601, or a day in UTC")
    .option("--to <instant>", "only those before then")
    .addOption(oneOf("--order <order>", choices.listOrders))
    .option("--unread", "only what you have not read, the last active first")
    .option("--limit <number>", "how many at most")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--all", "all of them, page after page");
  commandAction(ofApp(list), setup, listThreads);

  const inbox = feedback
    .command("inbox")
    .description("Work through the feedback on a screen: read, answer, note, link an issue, file away")
    .addOption(oneOf("--status <status>", choices.threadStatuses).default("open"))
    .addOption(oneOf("--type <type>", choices.feedbackTypes))
    .option("--q <words>", "only those that hold these words")
    .addHelpText("after", inboxNotes);
  commandAction<InboxFlags>(ofApp(inbox), setup, async (invocation, flags) =>
    (await import("./feedback/inbox/show.ts")).showInbox(invocation, flags),
  );

  const view = feedback
    .command("view <thread>")
    .alias("show")
    .description(routes.threads.read.summary)
    .option("--repeats", "print each of many repeats, too");
  commandAction(views(ofApp(view)), setup, viewThread);
}

const inboxNotes = `
It needs a terminal. What happened last comes first; a * stands before what you have not read. Filing away can be undone with u; a reply goes out after a second Enter. On proposals a person
decides in the console, which o opens.`;

function addWorking(feedback: Command, setup: Setup): void {
  const edit = mutates(
    feedback.command("edit <thread>").alias("update").description(routes.threads.update.summary),
  )
    .addOption(oneOf("--status <status>", choices.threadStatuses))
    .addOption(oneOf("--category <type>", choices.feedbackTypes))
    .option("--subject <text>", "what it is about")
    .option("--github-issue-url <url>", "the issue where it is worked on; empty for none");
  commandAction(ofApp(edit), setup, editThread);

  addResolving(feedback, setup);
  addTriage(feedback, setup);

  const reply = feedback
    .command("reply <thread>")
    .description("Answer the sender")
    .option("--everyone", "answer the senders of all repeats, too")
    .option("--resolve", "resolve the thread with it: both are done, or neither")
    .option(
      "--expect-message <id>",
      "the newest message that you have read, or `none`; nothing is sent if anybody else has written since",
    )
    .option("--force", "send it without a question, also if somebody else has replied");
  commandAction<ReplyFlags, string>(withBody(reply), setup, replyToSender);

  const note = feedback.command("note <thread>").description("Add a note that the sender does not see");
  commandAction<BodyFlags, string>(withBody(note), setup, addNote);
}

function addTriage(feedback: Command, setup: Setup): void {
  const tags = feedback.command("tags").description(routes.tags.list.summary);
  commandAction(ofApp(tags), setup, listTags);

  const replies = feedback.command("saved-replies").description(routes.savedReplies.list.summary);
  commandAction(ofApp(replies), setup, listSavedReplies);

  const tag = feedback
    .command("tag <thread> <name...>")
    .description("Give a thread tags; a name that is new makes a tag");
  commandAction<object, string>(mutates(ofApp(tag)), setup, (invocation, _, thread) =>
    changeTags(invocation, thread, { addTags: tag.processedArgs[1] }),
  );

  const untag = feedback.command("untag <thread> <name...>").description("Take tags from a thread");
  commandAction<object, string>(mutates(ofApp(untag)), setup, (invocation, _, thread) =>
    changeTags(invocation, thread, { removeTags: untag.processedArgs[1] }),
  );

  const assign = feedback
    .command("assign <thread> <who>")
    .description("Say who looks after a thread: `me`, `none` or the e-mail address of a member");
  commandAction<object, string>(mutates(ofApp(assign)), setup, (invocation, _, thread) =>
    assignThread(invocation, thread, String(assign.processedArgs[1])),
  );
}

function addResolving(feedback: Command, setup: Setup): void {
  const resolve = mutates(ofApp(feedback.command("resolve").description(routes.failures.resolve.summary)))
    .option("--dedupe-key <key>", "this failure passed; repeatable", several)
    .option("--junit <glob...>", "the tests that passed in these JUnit XML files; repeatable", several)
    .option("--run-status <status>", "how the run ended; only `success` and `failure` resolve anything")
    .option("--dedupe-scope <scope>", "what the run covers; in CI workflow, job, matrix, system and ref")
    .option("--dedupe-run <run>", "which run it was; in CI the id of the run")
    .option("--run-url <url>", "where the run can be seen; known in CI")
    .option("--run-started-at <instant>", "later reports stay failures; ISO 8601; known in most CI services")
    .option("--best-effort", "exit 0 whatever goes wrong, with a warning");
  commandAction<ResolveFlags>(resolve, setup, async (invocation, flags) =>
    (await import("./feedback/resolve.ts")).resolve(invocation, flags),
  );
}

const withBody = (command: Command): Command =>
  mutates(ofApp(command)).requiredOption("--body <text>", "the text; `-` is standard input, `@file` a file");

const oneOf = (flag: string, values: readonly string[]): Option => new Option(flag).choices(values);
