import type { EditedChangelogEntry } from "../../../../src/contract/changelog.ts";
import { consoleChangelog } from "../../../../src/contract/console/changelog.ts";
import { withoutFeedbackLines } from "../../../../src/contract/feedback-lines.ts";
import { TimestampUtc } from "../../kit/display/timestamp.tsx";
import { Line } from "../../kit/display/user-text.tsx";
import type { Filled } from "../../kit/form/field.tsx";
import { filledWith } from "../../kit/form/filled-form.ts";
import { IdempotencyField } from "../../kit/form/idempotency-field.tsx";
import { ConsolePage } from "../../kit/layout/console-page.tsx";
import { appNavigationOf } from "../../kit/layout/navigation.ts";
import { type Reply, show } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
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
  const navigation = await appNavigationOf(visit, "changelog");
  const { links, app } = navigation;
  const action = entry ? links.entry(app.id, entry.id) : links.changelog(app.id, "new");
  const title = entry ? "Edit release note" : "New release note";
  const existingId = shown.form.refusal?.details.entryId;
  const threads = entry ? await visit.reads.feedbackOfReleaseNote(entry.id) : [];
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
        <ChangelogEntryForm
          {...shown}
          action={action}
          fields={visit.fields}
          published={entry ? entry.publishedAt !== null : false}
          existing={existingId && links.entry(app.id, existingId)}
        />
        <LinkedThreads threads={threads} addressOf={(id) => links.thread(app.id, id)} />
        {entry && <DeleteEntry action={`${action}/delete`} />}
      </div>
    </ConsolePage>,
    shown.form.refusal?.status,
  );
}

interface LinkedThreadsProps {
  readonly threads: readonly { readonly id: string; readonly subject: string }[];
  readonly addressOf: (id: string) => string;
}

/** The feedback that the release note names. */
const LinkedThreads = ({ threads, addressOf }: LinkedThreadsProps) =>
  threads.length === 0 ? null : (
    <section class="card stack" aria-labelledby="feedback">
      <h2 id="feedback">Feedback</h2>
      <p class="muted small">The text names these threads. Apps do not see the lines that do so.</p>
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

/** Loads the Markdown renderer only for a preview, because it loads more slowly than the rest of the console. */
async function previewOf({ settings, fields }: SignedInVisit) {
  const { createMarkdown } = await import("../../kit/display/markdown.ts");
  const entry = givenEntry(fields);
  const text = withoutFeedbackLines(entry.body ?? "");
  const html = createMarkdown(`${settings.baseUrl}/uploads/`)(text);
  return <ChangelogEntryPreview entry={entry} html={html} />;
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
