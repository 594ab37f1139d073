import { consoleChangelog } from "../../../../src/contract/changelog.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { SignedInVisit } from "../../../console/definitions.ts";
import { HiddenFields, IdempotencyField } from "../../../console/forms.tsx";
import type { Links } from "../../../console/links.ts";
import { Can, counted, Notice } from "../../../console/parts.tsx";
import { isReasonForAll, type ReachCounts, reachInWords } from "../../../mail/outgoing/rules.ts";
import { currentEntry, type Fixes, fixesOf } from "./form.tsx";

/** What the page after a publication says about the note. */
export interface Published {
  /** How many senders get a mail, and why others do not; undefined if this is not known. */
  readonly reach: ReachCounts | undefined;
  /** The ids of the threads that the note fixes and that are not finished. */
  readonly unfinished: readonly string[];
}

/** Returns the query of the page after a publication. */
export function publishedQuery(entryId: string, publication: Fixes | undefined): string {
  if (!publication || publication.threads.length === 0)
    return new URLSearchParams({ entry: entryId }).toString();
  const { reasonForAll = "", ...counts } = publication.reach;
  const given = Object.entries({ ...counts, reasonForAll }).filter(([, value]) => value);
  const values = given.map(([name, value]) => [name, String(value)]);
  return new URLSearchParams([["entry", entryId], ...values]).toString();
}

/** Reads what `publishedQuery` has written. Each thread has a report, so the counts cannot all be 0. */
function reachIn({ query }: SignedInVisit): ReachCounts | undefined {
  const count = (name: string) => (/^\d{1,6}$/.test(query(name)) ? Number(query(name)) : 0);
  const reason = query("reasonForAll");
  if (count("senders") + count("unaddressed") === 0) return undefined;
  return {
    receivers: count("receivers"),
    reasonForAll: isReasonForAll(reason) ? reason : undefined,
    senders: count("senders"),
    unconfirmed: count("unconfirmed"),
    unsubscribed: count("unsubscribed"),
    mailed: count("mailed"),
    full: count("full"),
    unaddressed: count("unaddressed"),
  };
}

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
    return { reach: reachIn(visit), unfinished: unfinished.map(({ id }) => id) };
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
  published: { reach, unfinished },
  links,
  appId,
}: {
  readonly published: Published;
  readonly links: Links;
  readonly appId: string;
}) => (
  <>
    {reach && <Notice>{reachInWords(reach)}</Notice>}
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
