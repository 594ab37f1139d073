import { goTo, type Reply } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

/** Discards one text. A text that is already gone counts as discarded. */
export async function discardDraft({ drafts, fields, links }: SignedInVisit): Promise<Reply> {
  await drafts.remove(fields.text("draft"));
  return goTo(links.drafts, "draft-discarded");
}
