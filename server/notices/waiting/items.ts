import type { Reader } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { threadUrl } from "../../feedback/threads/answer.ts";
import { circumstances } from "../causes/store.ts";
import type { Item } from "./rules.ts";
import { type NoticeRow, noticeFacts } from "./store.ts";

type ItemDeps = Pick<Deps, "settings">;

/** The app that notices are about, and the member who gets them. */
interface Place {
  readonly appId: string;
  /** The member who gets the notices; undefined for the chat of the app. */
  readonly userId?: string;
}

/** An object that needs an action, its texts, and the number of notices about the object. */
export interface NeededItem extends Item, Pick<NoticeRow, "subjectId" | "feedbackId"> {}

/**
 * Returns the first `most` objects that need an action. `more` counts the further objects, which are not read.
 * (rule N5)
 */
export async function itemsOf(
  deps: ItemDeps,
  reader: Reader,
  place: Place,
  { rows, most }: { readonly rows: readonly NoticeRow[]; readonly most: number },
): Promise<{ readonly items: readonly NeededItem[]; readonly more: number }> {
  const items: NeededItem[] = [];
  let more = rows.reduce((sum, { further }) => sum + (further ?? 0), 0);
  for (const object of objectsIn(rows)) {
    const known = items.length < most ? await knownOf(deps, reader, place, object) : undefined;
    const { kind, count, subjectId, feedbackId } = object;
    if (known) items.push({ kind, count, subjectId, feedbackId, ...known });
    else if (items.length === most) more += 1;
  }
  return { items, more };
}

function objectsIn(rows: readonly NoticeRow[]): (NoticeRow & { readonly count: number })[] {
  const objects = new Map<string, NoticeRow & { readonly count: number }>();
  for (const row of rows) {
    if (row.further !== null) continue;
    const name = `${row.kind} ${row.subjectId}`;
    const known = objects.get(name);
    objects.set(name, { ...(known ?? row), count: (known?.count ?? 0) + 1 });
  }
  return [...objects.values()];
}

/** Returns the link and data of an object; undefined if it was deleted or needs no action any more. (rule N5) */
export async function knownOf(
  { settings }: ItemDeps,
  reader: Reader,
  { appId, userId }: Place,
  { kind, subjectId, feedbackId }: Pick<NoticeRow, "kind" | "subjectId" | "feedbackId">,
): Promise<Pick<Item, "link" | "words" | "detail"> | undefined> {
  if (kind === "delivery") {
    // The settings of the chat are on the page of the app.
    const page = subjectId === appId ? "apps" : "webhooks";
    return { link: `${settings.consoleUrl}/${page}/${appId}`, words: undefined, detail: undefined };
  }
  if (kind === "slot" || kind === "testers") {
    const test = await circumstances.testers(reader, subjectId);
    const hasTooFew = test !== undefined && test.testers < test.seats;
    if (kind === "testers" && !hasTooFew) return undefined;
    const detail = kind === "testers" && test ? `${test.testers} of ${test.seats}` : undefined;
    return { link: `${settings.consoleUrl}/cycles/${appId}/${subjectId}`, words: undefined, detail };
  }
  const thread = feedbackId === null ? undefined : await noticeFacts.thread(reader, feedbackId);
  if (feedbackId === null || thread === undefined) return undefined;
  if (kind === "assigned" && userId !== undefined && thread.assigneeId !== userId) return undefined;
  const link = threadUrl(settings, appId, feedbackId);
  const ofThread = { words: thread.subject, detail: undefined };
  if (kind === "storm") return { ...ofThread, link, detail: `${thread.occurrences} times so far` };
  if (kind !== "proposal" && kind !== "approval" && kind !== "work") return { ...ofThread, link };
  const run = await noticeFacts.run(reader, subjectId);
  if (run === undefined || (kind === "proposal" && run.status !== "awaiting_approval")) return undefined;
  const detail = run.outcome === "failed" ? "it failed" : "its worker is silent";
  return { ...ofThread, link: `${link}#proposal`, detail: kind === "work" ? detail : undefined };
}
