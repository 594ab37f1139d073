import type { OwnedThread } from "../../../../src/contract/threads.ts";
import { hasHidden } from "../../../../src/words/hidden.ts";
import { Can } from "../../../console/can.tsx";
import { ExternalLink } from "../../../console/external-link.tsx";
import { type Filled, Select, TextField } from "../../../console/forms.tsx";
import { Notice, Refused } from "../../../console/parts.tsx";
import { Line } from "../../../console/text.tsx";
import { PublicationBadge } from "../../../content/changelog/page/publication-badge.tsx";
import { statusNames, typeNames } from "../badges.tsx";
import { editLabels, type ThreadForms } from "../fields.tsx";
import { BlockSender } from "./block-sender.tsx";
import { MetadataPairs, Pair } from "./metadata-pairs.tsx";
import { ThreadAssignee, type ThreadSorting } from "./thread-assignee.tsx";
import { ThreadTags } from "./thread-tags.tsx";

export interface ThreadAsideProps {
  readonly thread: OwnedThread;
  readonly forms: ThreadForms;
  readonly sorting: ThreadSorting;
  /** The page of blocked senders. */
  readonly blocked: string;
  readonly address: string;
  /** The release notes that name the thread. */
  readonly releases: readonly NamingRelease[];
  readonly now: Date;
  /** The link to the sender's page; undefined if the app has no such pages. */
  readonly statusLink: StatusLinkProps["link"] | undefined;
}

interface NamingRelease {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly publishedAt: string | null;
  readonly address: string;
}

/** The facts about a thread, and the fields that can be changed. */
export const ThreadAside = (props: ThreadAsideProps) => {
  const { thread, address, releases, now, statusLink } = props;
  return (
    <aside class="aside" aria-label="About this thread">
      <Can needs="maintainer" otherwise={<State thread={thread} />}>
        <EditFields {...props} />
      </Can>
      <Facts thread={thread} />
      <Can needs="maintainer">
        {statusLink && <StatusLink link={statusLink} action={`${address}/status-link`} />}
      </Can>
      <Can needs="maintainer">
        <Refused refusal={props.forms.block.refusal} />
        {thread.sender.email !== null && (
          <BlockSender contact={thread.sender.email} action={`${address}/block`} manage={props.blocked} />
        )}
      </Can>
      <Releases releases={releases} now={now} />
      <Metadata metadata={thread.feedback.metadata} />
      <Can needs="maintainer">
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

/** What the fields show, for a person who cannot change them. */
const State = ({ thread: { feedback, assignee } }: Pick<ThreadAsideProps, "thread">) => (
  <section>
    <h2>State</h2>
    <dl class="pairs">
      <Pair name="Status" value={nameIn(statusNames, feedback.status)} />
      <Pair name="Assigned to" value={assignee?.email ?? "Nobody"} />
      <Pair name="Type" value={nameIn(typeNames, feedback.category)} />
    </dl>
    {feedback.githubIssueUrl !== null && (
      <p>
        <ExternalLink to={feedback.githubIssueUrl}>Open the issue</ExternalLink>
      </p>
    )}
  </section>
);

const nameIn = (names: Readonly<Record<string, string>>, value: string): string => names[value] ?? value;

type EditFieldsProps = Pick<ThreadAsideProps, "thread" | "forms" | "sorting" | "address">;

const EditFields = ({
  thread,
  forms: { edit: form, assign, unsaved },
  sorting,
  address,
}: EditFieldsProps) => (
  <div class="stack">
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
      hint={<IssueLink url={thread.feedback.githubIssueUrl} />}
    />
    <ThreadTags tags={thread.tags} known={sorting.knownTags} form={form} action={`${address}/tags`} />
    <div class="actions">
      <button class="small" type="submit">
        Save
      </button>
    </div>
  </div>
);

/** An input field cannot mark hidden characters, so the text is shown here with its marks. */
const HiddenInSubject = ({ text }: { readonly text: string }) => (
  <>
    The field does not show all characters of this text: <Line text={text} />
  </>
);

const IssueLink = ({ url }: { readonly url: string | null }) =>
  url === null ? <>Where the work is tracked.</> : <ExternalLink to={url}>Open the issue</ExternalLink>;

const Facts = ({ thread: { sender, feedback } }: { readonly thread: OwnedThread }) => (
  <section>
    <h2>Sender</h2>
    <dl class="pairs">
      <Pair name="Name" value={sender.name} />
      <Pair name="Contact" value={sender.email} />
      <Pair name="Source" value={feedback.source} />
      <Pair name="Id" value={feedback.id} />
    </dl>
  </section>
);

interface StatusLinkProps {
  readonly link: { readonly refusal: Filled["refusal"]; readonly url: string | undefined };
  readonly action: string;
}

/** The page of the sender. Its link is shown once, because everybody who has it can read the replies. */
const StatusLink = ({ link: { refusal, url }, action }: StatusLinkProps) => (
  <section class="stack tight" aria-labelledby="status-link">
    <h2 id="status-link">Sender's page</h2>
    <Refused refusal={refusal} />
    {url === undefined ? (
      <p class="hint">The sender got its link in the answer to the report. A new link ends the old ones.</p>
    ) : (
      <p>
        Give this link to the sender only: <a href={url}>{url}</a>
      </p>
    )}
    <div class="actions">
      <button class="small" type="submit" formaction={action} formnovalidate>
        Make a new link
      </button>
    </div>
  </section>
);

const Releases = ({ releases, now }: Pick<ThreadAsideProps, "releases" | "now">) =>
  releases.length === 0 ? null : (
    <section>
      <h2>Release notes</h2>
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
    </section>
  );

const Metadata = ({ metadata }: { readonly metadata: Readonly<Record<string, unknown>> }) => {
  if (Object.keys(metadata).length === 0) return null;
  return (
    <section>
      <h2>Metadata</h2>
      <MetadataPairs metadata={metadata} />
    </section>
  );
};
