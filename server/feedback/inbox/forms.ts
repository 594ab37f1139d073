import { apps } from "../../../src/contract/apps.ts";
import { readMarks } from "../../../src/contract/read-marks.ts";
import { goTo, type Reply } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";

/** Marks the threads of the list as read, as far as nothing has happened on them since the page was made. */
export async function markAllRead({ ask, fields, links, param }: SignedInVisit): Promise<Reply> {
  const appId = param("appId");
  const given = ["status", "type", "until"].map((name) => [name, fields.text(name)] as const);
  const body = Object.fromEntries(given.filter(([, value]) => value !== ""));
  await ask(readMarks.updateAll, { params: { appId }, body, idempotencyKey: fields.idempotencyKey });
  return goTo(inboxOf(links.inbox(appId), fields.text("list")), "read");
}

/** Hides what has changed since the last visit. */
export async function hideChanges({ ask, fields, links, looks, param }: SignedInVisit): Promise<Reply> {
  const appId = param("appId");
  await ask(apps.read, { params: { appId } });
  await looks.hideChanges(appId);
  return goTo(inboxOf(links.inbox(appId), fields.text("list")));
}

const inboxOf = (inbox: string, list: string): string =>
  list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`;
