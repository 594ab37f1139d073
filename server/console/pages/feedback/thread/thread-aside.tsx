import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { ExternalLink } from "../../../kit/display/external-link.tsx";
import { Line } from "../../../kit/display/user-text.tsx";
import { hasHidden } from "../../../kit/display/visible-text.ts";
import { type Filled, Select, TextField } from "../../../kit/form/field.tsx";
import { Refused } from "../../../kit/layout/notice.tsx";
import { PublicationBadge } from "../../changelog/publication-badge.tsx";
import { statusNames, typeNames } from "../feedback-badges.tsx";
import { MetadataPairs, Pair } from "./metadata-pairs.tsx";

export interface ThreadAsideProps {
  readonly thread: OwnedThread;
  readonly form: Filled;
  readonly address: string;
  /** The release notes that name the thread. */
  readonly releases: readonly NamingRelease[];
  readonly now: Date;
}

interface NamingRelease {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly publishedAt: string | null;
  readonly address: string;
}

/** The facts about a thread, and the fields that can be changed. */
export const ThreadAside = ({ thread, form, address, releases, now }: ThreadAsideProps) => (
  <aside class="aside" aria-label="About this thread">
    <EditFields thread={thread} form={form} />
    <Facts thread={thread} />
    <Releases releases={releases} now={now} />
    <Metadata metadata={thread.feedback.metadata} />
    <details class="reveal danger">
      <summary>Delete thread</summary>
      <div class="stack">
        <p>The report, its files, the conversation and all proposals are deleted permanently.</p>
        <button class="danger" type="submit" formaction={`${address}/delete`} formnovalidate>
          Delete permanently
        </button>
      </div>
    </details>
  </aside>
);

type EditFieldsProps = Pick<ThreadAsideProps, "thread" | "form">;

const EditFields = ({ thread, form }: EditFieldsProps) => (
  <div class="stack">
    <Refused refusal={form.refusal} />
    <Select form={form} name="status" label="Status" options={Object.entries(statusNames)} />
    <Select form={form} name="category" label="Type" options={Object.entries(typeNames)} />
    <TextField
      form={form}
      name="subject"
      label="Subject"
      hint={hasHidden(form.value("subject")) ? <HiddenInSubject text={form.value("subject")} /> : undefined}
      required
    />
    <TextField
      form={form}
      name="githubIssueUrl"
      label="Linked issue"
      type="url"
      placeholder="https://github.com/…"
      hint={<IssueLink url={thread.feedback.githubIssueUrl} />}
    />
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
