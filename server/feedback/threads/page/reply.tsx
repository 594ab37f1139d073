import type { ComponentChildren } from "preact";
import { apps } from "../../../../src/contract/apps.ts";
import { type SavedReply, savedReplies } from "../../../../src/contract/correspondence.ts";
import { ApiError, badRequest, type Issue } from "../../../../src/contract/errors.ts";
import type { OwnedMessage, OwnedThread } from "../../../../src/contract/threads.ts";
import { hasRepeats, nameAndAddress, probableReceiver, replyInWords } from "../../../../src/words/thread.ts";
import { visibleLine } from "../../../../src/words/visible.ts";
import type { SignedInVisit } from "../../../console/definitions.ts";
import {
  everyone,
  type Fields,
  type Filled,
  filledWith,
  Select,
  TextArea,
  unchosen,
  versionOf,
} from "../../../console/forms.tsx";
import { ExternalLink, Line, Notice, Refused, usePersonWords } from "../../../console/parts.tsx";
import { Ago } from "../../../console/times.tsx";
import { isMailAddress } from "../../../mail/address.ts";
import { messageVerbs } from "../../messages/rules.ts";
import { doubtfulPlaceholders, otherNamesIn, replyFrom } from "../../saved-replies/rules.ts";
import { kindOf, sendersOf, TurnPagesOn, writerOf } from "./delivery.tsx";
import {
  type PageReader,
  resolving,
  seenMergeName,
  seenMessageName,
  seenReceiversName,
  type ThreadForms,
} from "./fields.tsx";
import { FoldedText } from "./texts.tsx";

interface MessageComposerProps {
  readonly forms: ThreadForms;
  readonly thread: OwnedThread;
  readonly address: string;
  /** The other members who are writing in the thread. */
  readonly answering: readonly string[];
  /** The ways in which replies reach senders. */
  readonly ways: ReplyWays;
  readonly savedReplies: Omit<SavedReplyChoiceProps, "action">;
  readonly reader: PageReader;
  /** The address of the settings in which an owner turns sender pages on. */
  readonly settings: string;
  /** The name of the notice about the form that the person has just sent. */
  readonly done: string;
}

/** The ways in which replies reach senders: by mail, and on the sender's page. */
export interface ReplyWays {
  readonly mail: boolean;
  readonly page: boolean;
}

/** The fields for a reply and for a note. Separate buttons prevent a note from being sent as a reply. */
export const MessageComposer = (props: MessageComposerProps) => {
  const { forms, answering, done } = props;
  const isNote = isNoteFirst(forms, done);
  return (
    <section class="composer" id="write" aria-labelledby="add">
      <h2 id="add" class="unseen">
        Write
      </h2>
      <div class="row head-row">
        <fieldset class="tabs">
          <legend class="unseen">Write a reply or a note</legend>
          <ComposerTab value="reply" name="Reply" chosen={!isNote} />
          <ComposerTab value="note" name="Note" chosen={isNote} />
        </fieldset>
        <div class="way reply">
          <SenderHint thread={props.thread} ways={props.ways} settings={props.settings} />
        </div>
      </div>
      <Answering id="answering-here" people={answering} />
      <p id="newer" class="newer" hidden>
        <span /> <a href="#timeline">Show</a>
      </p>
      <ReplyPane {...props} />
      <div class="pane note stack">
        <MessageField form={forms.note} direction="note" action={`${props.address}/messages`} />
      </div>
    </section>
  );
};

/** Whether the note field is shown first. After an added note, the next text may be a note, too. */
const isNoteFirst = ({ note, reply }: ThreadForms, done: string): boolean =>
  note.refusal !== undefined ||
  (reply.value("replyBody") === "" &&
    (note.value("noteBody") !== "" || done === "noted" || done === "noted-changed"));

const ComposerTab = ({
  value,
  name,
  chosen,
}: {
  readonly value: string;
  readonly name: string;
  readonly chosen: boolean;
}) => (
  <label class={`tab ${value}`}>
    <input type="radio" name="composer" value={value} checked={chosen} />
    {name}
  </label>
);

const ReplyPane = ({ forms, thread, address, savedReplies, reader }: MessageComposerProps) => (
  <div class="pane reply stack">
    <ReplyReceiver form={forms.reply} thread={thread} />
    <Refused refusal={forms.insert.refusal} />
    <NewerMessage form={forms.reply} thread={thread} reader={reader} />
    <input type="hidden" name={seenMessageName} value={forms.seenMessage ?? newestMessageId(thread)} />
    <input type="hidden" name={seenMergeName} value={forms.seenMerge ?? thread.merged.at(-1)?.id ?? ""} />
    <input type="hidden" name={seenReceiversName} value={forms.seenReceivers ?? thread.receivers} />
    <input type="hidden" name={seenNames} value={doubtSeen(forms.reply, seenNames)} />
    <input type="hidden" name={seenPlaceholders} value={doubtSeen(forms.reply, seenPlaceholders)} />
    <MessageField form={forms.reply} direction="outbound" action={`${address}/messages`}>
      {thread.feedback.status !== "resolved" && (
        <button
          type="submit"
          name="direction"
          value={resolving}
          formaction={`${address}/messages`}
          formnovalidate
        >
          Send and resolve
        </button>
      )}
      <SavedReplyChoice {...savedReplies} action={`${address}/saved-reply`} />
    </MessageField>
  </div>
);

/**
 * The receiver of a reply; by default, the sender who wrote last. A script updates it until a person types.
 * (rules F43 and M10)
 */
const ReplyReceiver = ({ form, thread }: { readonly form: Filled; readonly thread: OwnedThread }) => (
  <div
    id="reply-receiver"
    data-live={hasRepeats(thread) ? versionOf([[...sendersOf(thread)], probableReceiver(thread)]) : ""}
  >
    {hasRepeats(thread) && <ReceiverChoice form={withReceiver(form, thread)} thread={thread} />}
    {!hasRepeats(thread) && hasLostReceiver(form, thread) && (
      <Notice kind="attention">
        This text was typed for another sender, who is no longer in this thread. It would go to{" "}
        <Line text={nameAndAddress(thread.sender)} />.
      </Notice>
    )}
  </div>
);

/** Whether the sent form has a typed reply to a sender who is no longer in the thread. */
const hasLostReceiver = (form: Filled, thread: OwnedThread): boolean =>
  form.sent === true && form.value("replyBody") !== "" && isLostReceiver(form.value("replyReceiver"), thread);

const isLostReceiver = (receiver: string, thread: OwnedThread): boolean =>
  receiver !== "" && receiver !== everyone && !sendersOf(thread).has(receiver);

/** Returns the form with the probable receiver. A sent form with a typed reply keeps its receiver. */
const withReceiver = (form: Filled, { feedback, messages }: OwnedThread): Filled => {
  const probable = probableReceiver({ feedback, messages });
  const receiver = probable === feedback.id ? "" : probable;
  const isChosen = form.sent && form.value("replyBody") !== "";
  return {
    ...form,
    value: (name) => (name === "replyReceiver" && !isChosen ? receiver : form.value(name)),
  };
};

/** The choice of the receiver, in a thread with several reports. */
const ReceiverChoice = ({ form, thread }: { readonly form: Filled; readonly thread: OwnedThread }) => {
  const repeats = thread.messages.filter(({ sender }) => sender !== undefined);
  const labels = repeatLabels(repeats);
  const options = [
    ["", `${nameAndAddress(thread.sender)}, who reported it first`],
    ...repeats.map(({ id }, at) => [id, labels[at]]),
    [everyone, "Everyone who reported it"],
  ] as const;
  const isKnown = options.some(([value]) => value === form.value("replyReceiver"));
  return (
    <Select
      form={isKnown ? form : { ...form, value: () => unchosen }}
      name="replyReceiver"
      label="To"
      hint="Each sender sees only their own messages and the replies to them, and not who else gets the reply."
      options={options.map(([value = "", label = ""]) => [value, visibleLine(label)])}
      unchosen={[unchosen, "Choose who gets the reply"]}
    />
  );
};

/**
 * Returns labels for the senders of repeated reports. Equal labels get a time and, if necessary, a report
 * number.
 */
function repeatLabels(repeats: readonly Pick<OwnedMessage, "sender" | "createdAt">[]): string[] {
  const onDays = repeats.map(
    ({ sender, createdAt }) => `${nameAndAddress(sender)}, who reported it on ${createdAt.slice(0, 10)}`,
  );
  const atTimes = distinct(onDays, (at) => ` at ${repeats[at]?.createdAt.slice(11, 16)} UTC`);
  // Report 1 is the report that began the thread, so the first repeated report has the number 2.
  return distinct(atTimes, (at) => ` (report ${at + 2})`);
}

/** Adds a text to each label that occurs more than once. */
function distinct(labels: readonly string[], more: (at: number) => string): string[] {
  const repeated = new Set(labels.filter((label, at) => labels.indexOf(label) !== at));
  return labels.map((label, at) => (repeated.has(label) ? label + more(at) : label));
}

const MessageField = ({
  form,
  direction,
  action,
  children,
}: {
  readonly form: Filled;
  readonly direction: "note" | "outbound";
  readonly action: string;
  /** The buttons after the button that sends the form. */
  readonly children?: ComponentChildren;
}) => {
  const note = direction === "note";
  return (
    <div class="stack">
      <Refused refusal={form.refusal?.code === "answered" ? undefined : form.refusal} />
      <TextArea
        form={form}
        name={note ? "noteBody" : "replyBody"}
        label={note ? "Internal note" : "Your reply"}
        hint={note ? "Seen by the members of this app and their agents, never by the sender." : undefined}
        size="short"
        placeholder={note ? "Only your team and its agents read it" : "Write to the sender"}
      />
      <div class="actions">
        <button
          class="primary"
          type="submit"
          name="direction"
          value={direction}
          formaction={action}
          formnovalidate
        >
          {note ? "Add note" : "Send reply"}
        </button>
        {children}
        <span class="hint" data-without-script>
          Your changes in the other fields are saved, too.
        </span>
      </div>
    </div>
  );
};

const SenderHint = (props: SenderHintProps) =>
  hasRepeats(props.thread) ? <ReceiverHint {...props} /> : <OnlySenderHint {...props} />;

type SenderHintProps = Pick<MessageComposerProps, "thread" | "ways" | "settings">;

/** Says how a reply reaches the chosen sender, in a thread with several reports. */
const ReceiverHint = ({ ways, settings }: SenderHintProps) => (
  <p class="hint">
    {!ways.mail && <b>This server sends no mail. </b>}
    {ways.page && "The receiver reads the reply on their page. "}
    {ways.mail && "The reply is mailed if the receiver left an address."}
    {!ways.page && !ways.mail && (
      <>
        <b>A reply would reach nobody.</b> <TurnPagesOn settings={settings} />
      </>
    )}
  </p>
);

const OnlySenderHint = ({ thread: { sender }, ways, settings }: SenderHintProps) => {
  const mail = sender.email === null ? undefined : mailAddress(sender.email);
  const isMailed = ways.mail && isMailAddress(sender.email?.trim() ?? "");
  return (
    <p class="hint">
      {!ways.mail && <b>This server does not send mail. </b>}
      {ways.page && "The sender reads the reply on their page. "}
      {isMailed && "The reply is mailed to "}
      {!isMailed && sender.email !== null && "To reach the sender, write to "}
      {sender.email === null && "The sender left no address."}
      {sender.email !== null &&
        (mail ? <MailLink to={mail} text={sender.email} /> : <Line text={sender.email} />)}
      {!ways.page && !isMailed && (
        <>
          {" "}
          <b>A reply would not reach the sender.</b> <TurnPagesOn settings={settings} />
        </>
      )}
    </p>
  );
};

const MailLink = ({ to, text }: { readonly to: string; readonly text: string }) => (
  <ExternalLink to={to}>
    <Line text={text} />
  </ExternalLink>
);

/** Returns the `mailto:` address of a contact; undefined if the contact is not an e-mail address. */
function mailAddress(contact: string): string | undefined {
  const [, name, host] = /^([^\s@<>"]+)@([^\s@<>"]+)$/.exec(contact) ?? [];
  return name && host ? `mailto:${encodeURIComponent(name)}@${encodeURIComponent(host)}` : undefined;
}

interface SavedReplyChoiceProps {
  readonly replies: readonly SavedReply[];
  /** The address to which the Insert button sends the form. */
  readonly action: string;
  /** The address of the page of saved replies. */
  readonly manage: string;
}

/** The saved replies, and a button that inserts one. With scripts, inserting does not load the page again. */
const SavedReplyChoice = ({ replies, action, manage }: SavedReplyChoiceProps) => (
  <div class="row saved-replies">
    {replies.length > 0 && (
      <>
        <Select
          form={filledWith()}
          name="savedReply"
          label="Saved reply"
          unlabelled
          options={replies.map(({ id, title }) => [id, visibleLine(title)] as const)}
        />
        <button class="small" type="submit" formaction={action} formnovalidate data-inserts="replyBody">
          Insert
        </button>
      </>
    )}
    <a class="small" href={manage}>
      Saved replies
    </a>
  </div>
);

/** Returns the sent form with the saved reply after the typed text. Throws `bad_request` if that reply was deleted. */
export async function withSavedReply(
  { ask, fields, param }: SignedInVisit,
  thread: OwnedThread,
): Promise<Fields> {
  const { items } = await ask(savedReplies.list, { params: { appId: param("appId") } });
  const chosen = items.find(({ id }) => id === fields.text("savedReply"));
  if (!chosen)
    throw new ApiError("bad_request", {
      issues: [{ path: "savedReply", message: "was deleted; choose another one" }],
    });
  const name = senderNameIn(thread, fields.text("replyReceiver"));
  const { senderPages: hasPage } = await ask(apps.read, { params: { appId: param("appId") } });
  const text = replyFrom(chosen.body, { name, app: thread.app.name, hasPage });
  const typed = fields.text("replyBody").trimEnd();
  const whole = typed === "" ? text : `${typed}\n\n${text}`;
  return { ...fields, text: (field) => (field === "replyBody" ? whole : fields.text(field)) };
}

/**
 * This hidden field contains a hash of the receiver and of the sender names that a refusal has shown. A reply
 * with the same receiver and names is accepted.
 */
const seenNames = "seenNames";

/** This hidden field contains the placeholders that a refusal has shown. These placeholders are accepted. */
const seenPlaceholders = "seenPlaceholders";

/** The fault of a reply with names of other senders or placeholders without a value. */
interface Doubt extends Issue {
  readonly [seenNames]: string;
  readonly [seenPlaceholders]: string;
}

/** Returns the value for a hidden field, from the refusal (`Doubt`) or from the sent form. */
function doubtSeen(form: Filled, field: typeof seenNames | typeof seenPlaceholders): string {
  const issue = form.refusal?.details.issues?.find(({ path }) => path === "replyBody");
  const { [field]: shown }: Readonly<Record<string, unknown>> = { ...issue };
  return typeof shown === "string" ? shown : form.value(field);
}

/**
 * Throws `bad_request` for placeholders without a value and for names of other senders, unless a refusal has
 * shown them before. (rule F32)
 */
export async function refuseDoubtful(visit: SignedInVisit, thread: OwnedThread): Promise<void> {
  const { fields } = visit;
  refuseLostReceiver(fields, thread);
  // A page with one sender has no field for the receiver.
  const names = fields.has("replyReceiver") ? otherNames(fields.text, thread) : [];
  const version = versionOf([fields.text("replyReceiver"), names]);
  const placeholders = await placeholdersWithoutValue(visit);
  const isSeen = fields.text(seenNames) === version;
  const doubts = [...placeholderDoubts(fields, placeholders), ...(isSeen ? [] : nameDoubts(fields, names))];
  if (doubts.length === 0) return;
  const doubt: Doubt = {
    path: "replyBody",
    message: `${doubts.join(". It ")}. Check the text, and send it again`,
    seenNames: version,
    seenPlaceholders: placeholders.join(" "),
  };
  throw new ApiError("bad_request", { issues: [doubt] });
}

/**
 * Throws `bad_request` if the receiver is not in the thread or not chosen. A merge can cause this error.
 * (rule M10)
 */
function refuseLostReceiver(fields: Fields, thread: OwnedThread): void {
  if (!isLostReceiver(fields.text("replyReceiver"), thread)) return;
  if (hasRepeats(thread))
    throw badRequest(
      "replyReceiver",
      "must be somebody who sent a report in this thread. Choose who gets the reply",
    );
  const message = `This text was typed for another sender, who is no longer in this thread. Send again to send it to ${nameAndAddress(thread.sender)}.`;
  throw new ApiError("bad_request", { message });
}

/** Describes the names of other senders in the reply. Returns an empty list if `names` is empty. */
function nameDoubts(fields: Fields, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const shown = lists.format(names.slice(0, mostNamed).map(visibleLine));
  const to = fields.text("replyReceiver") === everyone ? "everyone who reported it" : "somebody else";
  return [`has the ${names.length === 1 ? "name" : "names"} ${shown}, but the reply goes to ${to}`];
}

/** Returns the names of the placeholders in the text that have no value. */
async function placeholdersWithoutValue({ ask, fields, param }: SignedInVisit): Promise<string[]> {
  const text = fields.text("replyBody");
  const isToEveryone = fields.text("replyReceiver") === everyone;
  if (doubtfulPlaceholders(text, { hasPage: false, isToEveryone }).length === 0) return [];
  const { senderPages: hasPage } = await ask(apps.read, { params: { appId: param("appId") } });
  return doubtfulPlaceholders(text, { hasPage, isToEveryone });
}

/** Describes the placeholders that have no value, and that the person has not seen in a refusal. */
function placeholderDoubts(fields: Fields, placeholders: readonly string[]): string[] {
  const seen = fields.text(seenPlaceholders).split(" ");
  const names = placeholders.filter((name) => !seen.includes(name));
  const unknown = names.filter((name) => !["name", "statusUrl"].includes(name)).map((name) => `{${name}}`);
  return [
    ...(unknown.length === 0 ? [] : [`has ${unknown.join(", ")}, which would be sent as typed`]),
    ...(names.includes("statusUrl")
      ? ["has {statusUrl}, which would be left out, because this app has no sender pages"]
      : []),
    ...(names.includes("name")
      ? ["has {name}, which would be left out, because the reply goes to everyone who reported it"]
      : []),
  ];
}

/** Returns the names of senders that the typed reply contains, although these senders do not get the reply. */
function otherNames(value: (name: string) => string, thread: OwnedThread): string[] {
  const receiver = value("replyReceiver");
  const repeats = thread.messages.flatMap(({ sender }) => (sender === undefined ? [] : [sender.name]));
  const all = [thread.sender.name, ...repeats];
  const receivers = receiver === everyone ? all : [senderNameIn(thread, receiver)];
  return otherNamesIn(value("replyBody"), { receivers, all });
}

/** Returns the name of the receiver; null if the receiver has no name or is not in the thread. */
function senderNameIn({ sender, messages }: OwnedThread, receiver: string): string | null {
  if (receiver === "") return sender.name;
  return messages.find(({ id }) => id === receiver)?.sender?.name ?? null;
}

/** The maximum number of members or senders that one sentence names. */
const mostNamed = 3;

/** Shows which other members are writing an answer. A script updates this text. (rule F36) */
export const Answering = ({
  id,
  people,
  isRead = false,
}: {
  /** The id of the element, which is unique on the page. */
  readonly id: string;
  /** The addresses of the other members who write in the thread. */
  readonly people: readonly string[];
  /** Whether screen readers read changes of this text. The page has the text twice, but only one is read. */
  readonly isRead?: boolean;
}) => {
  const wordsOf = usePersonWords();
  const traits = { id, class: "answering", "data-live": versionOf(people) };
  if (people.length === 0) return <p {...traits} hidden />;
  const named = people.slice(0, mostNamed).map(wordsOf);
  const parts = lists.formatToParts(people.length > mostNamed ? [...named, "others"] : named);
  const verb = people.length === 1 ? "is answering." : "are answering.";
  const words = visibleLine(`${parts.map(({ value }) => value).join("")} ${verb}`);
  return (
    <p {...traits} data-news={isRead ? words : undefined}>
      {parts.map(({ value }) => (named.includes(value) ? <Line key={value} text={value} /> : value))} {verb}
    </p>
  );
};

const lists = new Intl.ListFormat("en-GB");

/** Shows the newer message that caused the refusal. The server accepts the reply the second time. (rule F35) */
const NewerMessage = ({
  form,
  thread,
  reader: { email, now },
}: {
  readonly form: Filled;
  readonly thread: OwnedThread;
  readonly reader: PageReader;
}) => {
  const wordsOf = usePersonWords();
  if (form.refusal?.code !== "answered") return null;
  const { messages } = thread;
  const seen = messages.findIndex(({ id }) => id === form.value(seenMessageName));
  const newest = messages.slice(seen + 1).findLast(({ writtenBy }) => writtenBy !== email);
  if (newest === undefined)
    return (
      <Notice kind="alert">
        <p>
          <b>Nothing was sent.</b> {form.refusal.message} Send again to send your reply anyway.
        </p>
      </Notice>
    );
  const place = kindOf(newest) === "plan" ? "#proposal" : `#message-${newest.id}`;
  return (
    <Notice kind="alert">
      <p>
        <b>Nothing was sent.</b> <Line text={writerOf(newest, thread, wordsOf)} />{" "}
        {messageVerbs[kindOf(newest)]} <Ago at={newest.createdAt} now={now} />.{" "}
        <a href={place}>Read it first.</a> Send again to send your reply anyway.
      </p>
      <blockquote>
        <FoldedText
          text={newest.direction === "outbound" ? replyInWords(newest.body) : newest.body}
          isBrief
        />
      </blockquote>
    </Notice>
  );
};

/** Returns the id of the newest message on the page. Empty if there is no message. */
const newestMessageId = ({ messages }: OwnedThread): string => messages.at(-1)?.id ?? "";
