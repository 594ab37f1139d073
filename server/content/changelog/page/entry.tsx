import type { EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import { consoleChangelog } from "../../../../src/contract/console-changelog.ts";
import type { Role } from "../../../../src/contract/endpoint.ts";
import { withoutFeedbackLines } from "../../../../src/contract/feedback-lines.ts";
import { Can } from "../../../console/can.tsx";
import { filledWith } from "../../../console/filled-form.ts";
import type { Filled } from "../../../console/forms.tsx";
import { IdempotencyField } from "../../../console/idempotency-field.tsx";
import { ConsolePage } from "../../../console/layout.tsx";
import { appNavigationOf } from "../../../console/navigation.ts";
import { type Reply, show } from "../../../console/reply.ts";
import { Line } from "../../../console/text.tsx";
import { TimestampUtc } from "../../../console/timestamp.tsx";
import type { SignedInVisit } from "../../../console/visit.ts";
import { ChangelogEntryForm, type ChangelogEntryFormProps } from "./changelog-entry-form.tsx";
import { ChangelogEntryPreview } from "./changelog-entry-preview.tsx";
import { currentEntry, entryAgain, entryFields, givenEntry } from "./changelog-entry-values.ts";
import { PublicationBadge } from "./publication-badge.tsx";

const emptyEntry = { releaseType: "minor", bodyFormat: "markdown" };

export const newEntryPage = (visit: SignedInVisit): Promise<Reply> =>
  showEntry(visit, { form: filledWith(emptyEntry) });

export async function entryPage(visit: SignedInVisit): Promise<Reply> {
  const entry = await readEntry(visit);
  const current = currentEntry(entry);
  return showEntry(visit, { entry, form: filledWith(entryFields(current)), current });
}

/** The form as it was sent: with its refusal, with a preview, or with more rows. */
export async function entryPageAgain(
  visit: SignedInVisit,
  shown: Pick<ShownEntry, "preview" | "more"> & { readonly form?: Filled },
): Promise<Reply> {
  const entry = visit.param("entryId") === "" ? undefined : await readEntry(visit);
  const current = entry && currentEntry(entry);
  return showEntry(visit, { form: entryAgain(visit.fields), ...shown, entry, current });
}

export const readEntry = ({ ask, param }: SignedInVisit): Promise<EditedChangelogEntry> =>
  ask(consoleChangelog.read, { params: { entryId: param("entryId") } });

interface ShownEntry extends Pick<ChangelogEntryFormProps, "form" | "current" | "more"> {
  readonly entry?: EditedChangelogEntry | undefined;
  readonly preview?: boolean;
}

async function showEntry(visit: SignedInVisit, { entry, preview, ...shown }: ShownEntry): Promise<Reply> {
  const navigation = await appNavigationOf(visit, "changelog", entry ? "viewer" : "maintainer");
  const { links, app } = navigation;
  const action = entry ? links.entry(app.id, entry.id) : links.changelog(app.id, "new");
  const title = titleOf(entry, app.role);
  const existingId = shown.form.refusal?.details.entryId;
  const threads = entry ? await visit.reads.feedbackOfReleaseNote(entry.id) : [];
  const receivers = await receiversOf(visit, entry, app.id);
  return show(
    <ConsolePage navigation={navigation} title={title} narrow>
      <a class="back" href={links.changelog(app.id)}>
        <span aria-hidden="true">←</span> Changelog
      </a>
      <div class="head">
        <div class="row">
          <h1>{title}</h1>
          {entry && <PublicationBadge publishedAt={entry.publishedAt} now={visit.now} />}
          {entry?.publishedAt && <PublicationTime at={entry.publishedAt} />}
        </div>
      </div>
      <div class="stack wide">
        {preview && (await previewOf(visit))}
        <Can needs="maintainer" otherwise={entry && (await textOf(visit, entry))}>
          <ChangelogEntryForm
            {...shown}
            action={action}
            fields={visit.fields}
            published={entry ? entry.publishedAt !== null : false}
            existing={existingId && links.entry(app.id, existingId)}
          />
        </Can>
        <LinkedThreads threads={threads} receivers={receivers} addressOf={(id) => links.thread(app.id, id)} />
        <Can needs="maintainer">{entry && <DeleteEntry action={`${action}/delete`} />}</Can>
      </div>
    </ConsolePage>,
    shown.form.refusal?.status,
  );
}

function titleOf(entry: EditedChangelogEntry | undefined, role: Role): string {
  if (!entry) return "New release note";
  return role === "viewer" ? "Release note" : "Edit release note";
}

/** How many senders will get a mail; undefined for a note that is out, or not stored. */
async function receiversOf({ reads, now }: SignedInVisit, entry: ShownEntry["entry"], appId: string) {
  if (entry === undefined || (entry.publishedAt !== null && entry.publishedAt <= now.toISOString()))
    return undefined;
  return reads.countTold({ id: entry.id, appId });
}

interface LinkedThreadsProps {
  readonly threads: readonly { readonly id: string; readonly subject: string }[];
  readonly addressOf: (id: string) => string;
  /** How many senders will get a mail; undefined once it is published. */
  readonly receivers: number | undefined;
}

/** The feedback that the release note names. */
const LinkedThreads = ({ threads, addressOf, receivers }: LinkedThreadsProps) =>
  threads.length === 0 ? null : (
    <section class="card stack" aria-labelledby="feedback">
      <h2 id="feedback">Feedback</h2>
      <p class="muted small">The text names these threads. Apps do not see the lines that do so.</p>
      {receivers !== undefined && (
        <p>
          When it is published, {receivers === 1 ? "1 sender gets" : `${receivers} senders get`} a mail: those
          who have answered and have not unsubscribed.
        </p>
      )}
      <ul>
        {threads.map(({ id, subject }) => (
          <li key={id}>
            <a href={addressOf(id)}>
              <Line text={subject} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );

/** The time as the list shows it. In the field, a browser shows it in the format of its own language. */
const PublicationTime = ({ at }: { readonly at: string }) => (
  <span class="muted small">
    <TimestampUtc at={at} />
  </span>
);

const previewOf = async (visit: SignedInVisit) => {
  const entry = givenEntry(visit.fields);
  return <ChangelogEntryPreview entry={entry} html={await htmlOf(visit, entry.body)} unsaved />;
};

/** A release note for a person who cannot change it. */
const textOf = async (visit: SignedInVisit, entry: EditedChangelogEntry) => {
  const current = currentEntry(entry);
  return <ChangelogEntryPreview entry={current} html={await htmlOf(visit, current.body)} />;
};

/** Loads the Markdown renderer only where it is needed, because it loads more slowly than the rest of the console. */
async function htmlOf({ settings }: SignedInVisit, body = ""): Promise<string> {
  const { createMarkdown } = await import("../../../console/markdown.ts");
  return createMarkdown(`${settings.baseUrl}/uploads/`)(withoutFeedbackLines(body));
}

const DeleteEntry = ({ action }: { readonly action: string }) => (
  <details class="reveal danger">
    <summary>Delete this release note</summary>
    <form class="stack" method="post" action={action}>
      <p>Apps can no longer read it. You cannot restore it.</p>
      <IdempotencyField />
      <div class="actions">
        <button class="danger" type="submit">
          Delete permanently
        </button>
      </div>
    </form>
  </details>
);
