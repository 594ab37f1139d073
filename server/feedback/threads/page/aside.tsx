import { reportTexts } from "../../../../src/contract/report-texts.ts";
import type { ThreadTag } from "../../../../src/contract/tags.ts";
import type { Assignee, OwnedThread, ThreadSummary } from "../../../../src/contract/threads.ts";
import { hasHidden, oneLine, visibleLine } from "../../../../src/words/visible.ts";
import { type Filled, OriginalVersions, Select, TextField, versionOf } from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import { Can, ExternalLink, keyed, Line, Notice, Refused, usePersonWords } from "../../../console/parts.tsx";
import { Remaining, Timestamp } from "../../../console/times.tsx";
import { PublicationBadge } from "../../../content/texts/parts.tsx";
import { editLabels, nameIn, statusNames, TagBadge, typeNames } from "../badges.tsx";
import { isUnfinished } from "../rules.ts";
import { currentThread, SnoozeDay, snoozes, type ThreadForms, untilDay } from "./fields.tsx";
import { Dropped, Metadata, Pair } from "./texts.tsx";

export interface ThreadAsideProps {
  readonly thread: OwnedThread;
  readonly forms: ThreadForms;
  readonly sorting: ThreadSorting;
  /** The address of the page of blocked senders. */
  readonly blocked: string;
  readonly address: string;
  /** The newest other threads of the sender, and whether there are more. */
  readonly ofSender: { readonly items: readonly ThreadSummary[]; readonly more: boolean };
  readonly links: Links;
  /** The repository of the app, as owner/name. */
  readonly repository: string | null;
  /** The release notes that refer to the thread. */
  readonly releases: readonly NamingRelease[];
  /** The release notes that are not published yet. */
  readonly openNotes: readonly Omit<NamingRelease, "address">[];
  readonly now: Date;
  /** The link to the sender's page; undefined if the app has no sender pages. */
  readonly statusLink: StatusLinkProps["link"] | undefined;
}

interface NamingRelease {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly publishedAt: string | null;
  readonly address: string;
}

/** The side column: facts about the thread, and the fields that a person can change. */
export const ThreadAside = (props: ThreadAsideProps) => {
  const { thread, address, releases, now, statusLink } = props;
  return (
    <aside class="aside" aria-label="About this thread">
      <Can needs="maintainer" otherwise={<State thread={thread} />}>
        <EditFields {...props} />
        <Snooze {...props} action={`${address}/snooze`} />
        <div class="on-paper">
          <State thread={thread} />
        </div>
      </Can>
      <Facts thread={thread} />
      <OthersOfSender {...props} />
      <SimilarLink address={`${address}/similar`} />
      <Can needs="maintainer">
        {statusLink && <StatusLink link={statusLink} action={`${address}/status-link`} />}
      </Can>
      <Can needs="maintainer">
        <Refused refusal={props.forms.block.refusal} />
        {thread.sender.email !== null && (
          <BlockSender contact={thread.sender.email} action={`${address}/block`} manage={props.blocked} />
        )}
      </Can>
      <Releases
        releases={releases}
        now={now}
        action={`${address}/release-note`}
        openNotes={props.openNotes}
      />
      <Can needs="maintainer">
        <section class="stack tight off-paper">
          <h2>FAQ</h2>
          <p>
            <a
              href={`${props.links.faqs(thread.app.id, "new")}?${new URLSearchParams({ thread: thread.feedback.id })}`}
            >
              Write an FAQ entry from this thread
            </a>
          </p>
        </section>
      </Can>
      <MetadataOfReport feedback={thread.feedback} />
      <Can needs="maintainer">
        <p class="off-paper">
          <a href={`${address}/merge`} {...keyed("#", "Merge into another thread", "Thread")}>
            Merge into another thread
          </a>
        </p>
        <details class="reveal danger">
          <summary>Delete thread</summary>
          <div class="stack">
            <p>The report, its files, the conversation and all proposals are deleted permanently.</p>
            <button class="danger" type="submit" formaction={`${address}/delete`} formnovalidate>
              Delete permanently
            </button>
          </div>
        </details>
      </Can>
    </aside>
  );
};

/**
 * Shows a thread's status, assignee, type and tags as text, for printing and for people who cannot change them.
 */
const State = ({ thread: { feedback, assignee, tags } }: Pick<ThreadAsideProps, "thread">) => (
  <section>
    <h2>State</h2>
    <dl class="pairs">
      <Pair name="Status" value={nameIn(statusNames, feedback.status)} />
      <Pair name="Assigned to" value={usePersonWords()(assignee?.email ?? "Nobody")} />
      <Pair name="Type" value={nameIn(typeNames, feedback.category)} />
      <Pair name="Tags" value={tags.map(({ name }) => name).join(", ")} />
    </dl>
    {feedback.githubIssueUrl !== null && (
      <p>
        <ExternalLink to={feedback.githubIssueUrl}>Open the issue</ExternalLink>
      </p>
    )}
  </section>
);

const EditFields = ({
  thread,
  forms: { edit: form, assign, unsaved, was },
  sorting,
  address,
  repository,
}: Pick<ThreadAsideProps, "thread" | "forms" | "sorting" | "address" | "repository">) => (
  <div
    class="stack"
    id="fields"
    data-saves={`${address}/edit`}
    data-live={versionOf([currentThread(thread), thread.tags])}
  >
    <OriginalVersions versions={was} form={form} />
    {unsaved.length > 0 && (
      <Notice kind="attention">
        Not saved yet: {unsaved.join(", ")}. Save {unsaved.length === 1 ? "it" : "them"} below.
      </Notice>
    )}
    <Refused refusal={assign.refusal ?? form.refusal} />
    <ThreadAssignee thread={thread} form={form} sorting={sorting} action={`${address}/assign`} />
    <Select form={form} name="status" label={editLabels.status} options={Object.entries(statusNames)} />
    <Select form={form} name="category" label={editLabels.category} options={Object.entries(typeNames)} />
    <TextField
      form={form}
      name="subject"
      label={editLabels.subject}
      hint={hasHidden(form.value("subject")) ? <HiddenInSubject text={form.value("subject")} /> : undefined}
      required
    />
    <TextField
      form={form}
      name="githubIssueUrl"
      label={editLabels.githubIssueUrl}
      type="url"
      placeholder="https://github.com/…"
      hint={<IssueLink feedback={thread.feedback} repository={repository} />}
    />
    <ThreadTags tags={thread.tags} known={sorting.knownTags} form={form} action={`${address}/tags`} />
    <div class="actions" data-without-script>
      <button class="small" type="submit">
        Save
      </button>
    </div>
  </div>
);

/** Shows the end of the snooze, or fields to snooze the thread. Only an unfinished thread can be snoozed. (rule F42) */
const Snooze = ({
  thread: { feedback },
  forms,
  now,
  action,
}: Pick<ThreadAsideProps, "thread" | "forms" | "now"> & { readonly action: string }) => {
  if (feedback.snoozedUntil === null && !isUnfinished(feedback.status)) return null;
  return (
    <section class="stack tight off-paper" aria-labelledby="snooze">
      <h2 id="snooze">Snooze</h2>
      <Refused refusal={forms.snooze.refusal} />
      {feedback.snoozedUntil !== null ? (
        <>
          <p>
            The thread comes back <Remaining at={feedback.snoozedUntil} now={now} />, on{" "}
            <Timestamp at={feedback.snoozedUntil} />, or when the sender writes.
          </p>
          <div class="actions">
            <button class="small" type="submit" name="snooze" value="end" formaction={action} formnovalidate>
              End the snooze
            </button>
          </div>
        </>
      ) : (
        <>
          <select name="snoozeFor" aria-label="Snooze">
            {snoozes.map(([hours, words]) => (
              <option key={hours} value={hours}>
                {words}
              </option>
            ))}
          </select>
          <div class="actions">
            <button class="small" type="submit" formaction={action} formnovalidate>
              Snooze
            </button>
          </div>
          <details class="reveal">
            <summary>Snooze until a certain day</summary>
            <div class="field">
              <SnoozeDay id="snooze-day" />
            </div>
            <button
              class="small"
              type="submit"
              name="snooze"
              value={untilDay}
              formaction={action}
              formnovalidate
            >
              Snooze until this day
            </button>
          </details>
        </>
      )}
    </section>
  );
};

/** Shows a subject with a mark for each hidden character. An input field cannot show such marks. */
const HiddenInSubject = ({ text }: { readonly text: string }) => (
  <>
    The field does not show all characters of this text: <Line text={text} />
  </>
);

const IssueLink = ({
  feedback,
  repository,
}: {
  readonly feedback: OwnedThread["feedback"];
  readonly repository: string | null;
}) => {
  if (feedback.githubIssueUrl !== null)
    return <ExternalLink to={feedback.githubIssueUrl}>Open the issue</ExternalLink>;
  if (repository === null) return <>The issue in which you track the work.</>;
  return (
    <>
      <ExternalLink to={newIssueAddress(repository, feedback)}>Create an issue</ExternalLink>, then paste its
      address here. GitHub gets the subject and the message, not the sender.
    </>
  );
};

const Facts = ({ thread: { sender, feedback } }: { readonly thread: OwnedThread }) => (
  <section>
    <h2>Sender</h2>
    <dl class="pairs">
      <Pair name="Name" value={sender.name} />
      <Pair name="Contact" value={sender.email} />
      {reportTexts.map(({ name, label }) => (
        <Pair key={name} name={label} value={feedback[name]} />
      ))}
      <Pair name="Id" value={feedback.id} />
    </dl>
  </section>
);

/** Other threads of the same sender. */
const OthersOfSender = ({
  thread,
  ofSender: { items, more },
  links,
}: Pick<ThreadAsideProps, "thread" | "ofSender" | "links">) =>
  items.length === 0 ? null : (
    <section aria-labelledby="of-sender">
      <h2 id="of-sender">{`${more ? "Newest other threads" : "Other threads"} of this sender`}</h2>
      <ul class="stack tight">
        {items.map(({ id, number, subject, status }) => (
          <li key={id}>
            <a href={links.thread(thread.app.id, id)}>
              {number !== null && `#${number} `}
              <Line text={subject} />
            </a>{" "}
            <span class="muted">{nameIn(statusNames, status)}</span>
          </li>
        ))}
      </ul>
      {more && (
        <a href={`${links.inbox(thread.app.id)}?${new URLSearchParams({ q: thread.sender.email ?? "" })}`}>
          Find all
        </a>
      )}
    </section>
  );

interface StatusLinkProps {
  readonly link: { readonly refusal: Filled["refusal"]; readonly url: string | undefined };
  readonly action: string;
}

/** The link to the sender's page. A new link is shown only once, because it gives access to the replies. */
const StatusLink = ({ link: { refusal, url }, action }: StatusLinkProps) => (
  <section class="stack tight" aria-labelledby="status-link">
    <h2 id="status-link">Sender's page</h2>
    <Refused refusal={refusal} />
    {url === undefined ? (
      <p class="hint">
        The app got a link to the sender's page when it sent the report. If you create a new link, old links
        stop working.
      </p>
    ) : (
      <p>
        Give this link only to the sender: <a href={url}>{url}</a>
      </p>
    )}
    <div class="actions">
      <button class="small" type="submit" formaction={action} formnovalidate>
        Create a new link
      </button>
    </div>
  </section>
);

const Releases = ({
  releases,
  now,
  action,
  openNotes,
}: Pick<ThreadAsideProps, "releases" | "now" | "openNotes"> & {
  /** The address to which the button sends the form. */
  readonly action: string;
}) => {
  const others = openNotes.filter(({ id }) => releases.every((release) => release.id !== id));
  const named = releases.length > 0 && (
    <ul>
      {releases.map(({ id, version, title, publishedAt, address }) => (
        <li key={id}>
          <a href={address}>
            <Line text={`${version}: ${title}`} />
          </a>{" "}
          <PublicationBadge publishedAt={publishedAt} now={now} />
        </li>
      ))}
    </ul>
  );
  return (
    <Can
      needs="maintainer"
      otherwise={
        named && (
          <section>
            <h2>Release notes</h2>
            {named}
          </section>
        )
      }
    >
      <section class="stack tight">
        <h2>Release notes</h2>
        {named}
        <div class="row">
          <select name="releaseNote" aria-label="Release note">
            {others.map(({ id, version, title }) => (
              <option key={id} value={id}>
                {[...visibleLine(`${version}: ${title}`)].slice(0, 80).join("")}
              </option>
            ))}
            <option value="new">A new release note</option>
          </select>
          <button class="small" type="submit" formaction={action} formnovalidate>
            Add to a release note
          </button>
        </div>
      </section>
    </Can>
  );
};

const MetadataOfReport = ({
  feedback: { metadata, metadataDropped = [] },
}: {
  readonly feedback: OwnedThread["feedback"];
}) => {
  const entries = Object.entries(metadata);
  if (entries.length + metadataDropped.length === 0) return null;
  return (
    <section class="stack tight" aria-labelledby="metadata">
      <h2 id="metadata">Metadata</h2>
      <Metadata entries={entries} />
      <Dropped entries={metadataDropped} />
    </section>
  );
};

/** The tags and members that a person can choose, and the person's id. */
export interface ThreadSorting {
  /** The names of all tags of the app. */
  readonly knownTags: readonly string[];
  /** The members to whom a thread can be assigned. */
  readonly people: readonly Assignee[];
  /** The account id of the signed-in person. */
  readonly me: string;
}

const assigneeOptions = (people: ThreadSorting["people"], wordsOf: (email: string) => string) =>
  people.map(({ userId, email }) => [userId, wordsOf(email)] as const);

/** The field for the assignee, and a button that assigns the thread to the signed-in person. */
const ThreadAssignee = ({
  thread: { assignee },
  form,
  sorting: { people, me },
  action,
}: {
  readonly thread: OwnedThread;
  readonly form: Filled;
  readonly sorting: ThreadSorting;
  /** The address to which the button sends the form. */
  readonly action: string;
}) => (
  <>
    <input type="hidden" name="shownAssignee" value={assignee?.userId ?? ""} />
    <Select
      form={form}
      name="assignee"
      label={editLabels.assignee}
      options={[["", "Nobody"], ...assigneeOptions(people, usePersonWords())]}
    />
    {assignee?.userId !== me && (
      <div class="actions">
        <button class="small" type="submit" formaction={action} formnovalidate>
          Assign to me
        </button>
      </div>
    )}
  </>
);

/** The tags of a thread, each with a button to remove it, and a field to add more. */
const ThreadTags = ({
  tags,
  known,
  form,
  action,
}: {
  readonly tags: readonly ThreadTag[];
  /** The names of all tags of the app. */
  readonly known: readonly string[];
  readonly form: Filled;
  /** The address to which the buttons that remove a tag send the form. */
  readonly action: string;
}) => (
  <>
    {tags.length > 0 && (
      <ul class="row tags" aria-label="Tags">
        {tags.map((tag) => (
          <li key={tag.id} class="row">
            <TagBadge tag={tag} />
            <button
              class="small plain"
              type="submit"
              name="removeTag"
              value={tag.name}
              formaction={action}
              formnovalidate
              aria-label={`Remove the tag ${visibleLine(tag.name)}`}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    )}
    <TextField
      form={form}
      name="addTags"
      label={editLabels.addTags}
      list="known-tags"
      autocomplete="off"
      hint="Separate tags with commas. A new word creates a tag."
    />
    <datalist id="known-tags">
      {known.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  </>
);

/**
 * Buttons that block the sender. After that, new reports of this sender are hidden. This thread stays visible.
 */
const BlockSender = ({
  contact,
  action,
  manage,
}: {
  /** The contact of the sender, as it is in the report. */
  readonly contact: string;
  readonly action: string;
  readonly manage: string;
}) => (
  <details class="reveal danger">
    <summary>Block this sender</summary>
    <div class="stack">
      <p>
        Everything that <Line text={contact} /> sends from now on is hidden, and deleted after 30 days. The
        sender does not notice this. To see the hidden messages or to unblock the sender, open{" "}
        <a href={manage}>Blocked senders</a>.
      </p>
      <input type="hidden" name="blockedContact" value={contact} />
      <div class="actions">
        <button
          class="danger small"
          type="submit"
          name="block"
          value="address"
          formaction={action}
          formnovalidate
        >
          Block this address
        </button>
        {contact.includes("@") && (
          <Can needs="owner">
            <button
              class="danger small"
              type="submit"
              name="block"
              value="domain"
              formaction={action}
              formnovalidate
            >
              Block the whole domain
            </button>
          </Can>
        )}
      </div>
    </div>
  </details>
);

/** The maximum number of characters of a message in the address of a new issue. */
const mostCharacters = 1_000;

const mostTitle = 120;

/** The maximum number of bytes of the address of a new issue. GitHub's limit is about 8,000 bytes. */
const mostBytes = 7_900;

interface NewIssue {
  readonly subject: string;
  readonly message: string;
  readonly consoleUrl: string;
}

/**
 * Returns the address of GitHub's form for a new issue. The text never contains the sender's name or address.
 */
export function newIssueAddress(repository: string, issue: NewIssue): string {
  // A character has at most two UTF-16 units.
  const characters = [...issue.message.slice(0, 2 * mostCharacters)].slice(0, mostCharacters);
  const withFirst = (count: number) =>
    issueAddressWith(repository, issue, characters.slice(0, count).join(""));
  // The encoded address has only ASCII characters, so its length is its number of bytes.
  const fits = (count: number) => withFirst(count).length <= mostBytes;
  if (fits(characters.length)) return withFirst(characters.length);
  let [fitting, tooMany] = [0, characters.length];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return withFirst(fitting);
}

/** Returns the address of GitHub's form for a new issue. `shown` is the beginning of the message. */
function issueAddressWith(
  repository: string,
  { subject, message, consoleUrl }: NewIssue,
  shown: string,
): string {
  const lines = shown.split("\n").map((line) => oneLine(line));
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []);
  // In a code block, GitHub creates no mentions or links.
  const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const rest = shown.length < message.length ? ["…"] : [];
  const body = [`Reported by a user: ${consoleUrl}`, "", `${fence}text`, ...lines, ...rest, fence].join("\n");
  const query = new URLSearchParams({ title: oneLine(subject, mostTitle), body });
  return `https://github.com/${repository}/issues/new?${query}`;
}

/** The part with similar threads. A script loads them. Without scripts, the link leads to a page with them. */
const SimilarLink = ({ address }: { readonly address: string }) => (
  <details class="reveal" data-fetches={address} data-part="similar-threads">
    <summary>Similar threads</summary>
    <p>
      <a href={address}>Find threads with the same rare words</a>
    </p>
  </details>
);
