import { consoleChangelog } from "../../../../src/contract/changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { SignedInVisit } from "../../../console/definitions.ts";
import { HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import { Can, counted, Notice } from "../../../console/parts.tsx";
import { countOfSenders, currentEntry, fixesOf } from "./form.tsx";

/** What the page after a publication says about the note. */
export interface Published {
  /** The number of senders who get a mail. */
  readonly mails: number;
  /** The ids of the threads that the note fixes and that are not finished. */
  readonly unfinished: readonly string[];
}

/** Returns the query of the page after a publication. */
export const publishedQuery = (entryId: string, mails: number): string =>
  new URLSearchParams({ entry: entryId, mails: String(mails) }).toString();

/**
 * Returns what the page says about the note that the person has just published. Returns undefined if there is none, or
 * if the person may not read it.
 */
export async function justPublished(visit: SignedInVisit): Promise<Published | undefined> {
  const { ask, query } = visit;
  if (query("done") !== "published" || query("entry") === "") return undefined;
  try {
    const entry = await ask(consoleChangelog.read, { params: { entryId: query("entry") } });
    const { threads } = await fixesOf(visit, currentEntry(entry), true);
    const unfinished = threads.filter(({ status }) => status === "open" || status === "in_progress");
    const mails = /^\d{1,6}$/.test(query("mails")) ? Number(query("mails")) : 0;
    return { mails, unfinished: unfinished.map(({ id }) => id) };
  } catch (error) {
    if (error instanceof ApiError && ["not_found", "bad_request"].includes(error.code)) return undefined;
    throw error;
  }
}

/**
 * Says how many senders get a mail about the published note, and offers to resolve the threads that the note fixes. The
 * form is that of the inbox, so the inbox then shows the result and offers to undo it. (rule F48)
 */
export const PublishedNotice = ({
  published: { mails, unfinished },
  links,
  appId,
}: {
  readonly published: Published;
  readonly links: Links;
  readonly appId: string;
}) => (
  <>
    {mails > 0 && (
      <Notice>{`${countOfSenders(mails)} ${mails === 1 ? "gets" : "get"} a mail about the note.`}</Notice>
    )}
    {unfinished.length > 0 && (
      <Can needs="maintainer">
        <Notice>
          <form class="row spread" method="post" action={links.inbox(appId, "change")}>
            <IdempotencyField />
            <HiddenFields values={unfinished.map((id) => ["id", id])} />
            <span>{`${counted(unfinished.length, "thread")} that the note fixes ${unfinished.length === 1 ? "is" : "are"} not resolved.`}</span>
            <button class="small" type="submit" name="act" value="resolve">
              {unfinished.length === 1 ? "Resolve the thread" : `Resolve ${unfinished.length} threads`}
            </button>
          </form>
        </Notice>
      </Can>
    )}
  </>
);
