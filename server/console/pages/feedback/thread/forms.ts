import { threads } from "../../../../../src/contract/console/feedback.ts";
import { runs } from "../../../../../src/contract/console/proposals.ts";
import { changedValues, givenFor } from "../../../kit/form/changed-values.ts";
import { currentThread } from "../../../kit/form/current-values.ts";
import { goTo, type Reply, reshowForm } from "../../../reply.ts";
import type { SignedInVisit } from "../../../visit.ts";
import { inboxPositionOf, inboxPositionQuery } from "../inbox-position.ts";
import { holdsDrafts, type ThreadPart } from "./form-parts.ts";
import { readThread, showThread } from "./page.tsx";

/** Approves or rejects the run that the form showed, not whichever is newest now. */
export function decide(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const [runId, decision] = [fields.text("runId"), fields.text("decision")];
  return doPart(visit, "decision", async () => {
    const body = { decision, note: fields.text("note") };
    const run = await ask(runs.decide, { params: { runId }, body, once: fields.once });
    return { done: run.status, place: "proposal" };
  });
}

export function addMessage(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const note = fields.text("direction") === "note";
  return doPart(visit, note ? "note" : "reply", async () => {
    const text = fields.text(note ? "noteBody" : "replyBody");
    const body = { direction: fields.text("direction"), body: text };
    const { id } = await ask(threads.addMessage, { params: { id: param("id") }, body, once: fields.once });
    return { done: note ? "noted" : "replied", place: `message-${id}`, messageId: id };
  });
}

export const editThread = (visit: SignedInVisit): Promise<Reply> =>
  doPart(visit, "edit", async () => {
    const { ask, fields, param } = visit;
    const current = currentThread(await readThread(visit));
    const changed = changedValues(fields, givenFor(fields, current), current);
    const body = changed.githubIssueUrl === "" ? { ...changed, githubIssueUrl: null } : changed;
    await ask(threads.update, { params: { id: param("id") }, body, once: fields.once });
    return { done: "changed" };
  });

/** What a part of the form did: a word for it, and where on the page it is seen. */
interface Done {
  readonly done: string;
  readonly place?: string;
  readonly messageId?: string;
}

/** Does one part of the form. Where another part holds text that is not saved, the page that follows holds it, too. */
function doPart(visit: SignedInVisit, part: ThreadPart, act: () => Promise<Done>): Promise<Reply> {
  const { fields, links, param } = visit;
  return reshowForm(
    async () => {
      const { done, place, messageId } = await act();
      const address = links.thread(param("appId"), param("id")) + inboxPositionQuery(inboxPositionOf(visit));
      if (!holdsDrafts(fields, part)) return goTo(address, done, place);
      const sent = { fields, part, ...(messageId === undefined ? {} : { messageId }) };
      return showThread(visit, { sent, done });
    },
    (refusal) => showThread(visit, { sent: { fields, part, refusal } }),
  );
}

export async function deleteThread(visit: SignedInVisit): Promise<Reply> {
  await visit.ask(threads.remove, { params: { id: visit.param("id") }, once: visit.fields.once });
  const { list } = inboxPositionOf(visit);
  const inbox = visit.links.inbox(visit.param("appId"));
  return goTo(list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`, "thread-deleted");
}
