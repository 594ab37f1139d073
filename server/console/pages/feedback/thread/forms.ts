import { threads } from "../../../../../src/contract/console/feedback.ts";
import { runs } from "../../../../../src/contract/console/proposals.ts";
import { changedValues, givenFor } from "../../../kit/form/changed-values.ts";
import { goTo, type Reply, reshowForm } from "../../../reply.ts";
import type { SignedInVisit } from "../../../visit.ts";
import { inboxPositionOf, inboxPositionQuery } from "../inbox-position.ts";
import { currentThread, holdsDrafts, type ThreadPart } from "./form-parts.ts";
import { readThread, showThread } from "./page.tsx";

/** Approves or rejects the proposal that the form showed, never a newer one. */
export function decide(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const [runId, decision] = [fields.text("runId"), fields.text("decision")];
  return doPart(visit, "decision", async () => {
    const body = { decision, note: fields.text("note") };
    const proposal = await ask(runs.decide, {
      params: { runId },
      body,
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: proposal.status, anchor: "proposal" };
  });
}

export function addMessage(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields, param } = visit;
  const note = fields.text("direction") === "note";
  return doPart(visit, note ? "note" : "reply", async () => {
    const text = fields.text(note ? "noteBody" : "replyBody");
    const body = { direction: fields.text("direction"), body: text };
    const { id } = await ask(threads.addMessage, {
      params: { id: param("id") },
      body,
      idempotencyKey: fields.idempotencyKey,
    });
    return { done: note ? "noted" : "replied", anchor: `message-${id}`, messageId: id };
  });
}

export const editThread = (visit: SignedInVisit): Promise<Reply> =>
  doPart(visit, "edit", async () => {
    const { ask, fields, param } = visit;
    const current = currentThread(await readThread(visit));
    const changed = changedValues(fields, givenFor(fields, current), current);
    const body = changed.githubIssueUrl === "" ? { ...changed, githubIssueUrl: null } : changed;
    await ask(threads.update, { params: { id: param("id") }, body, idempotencyKey: fields.idempotencyKey });
    return { done: "changed" };
  });

/** The result of a part of the form: the word for its notice, and where to see it on the page. */
interface Done {
  readonly done: string;
  readonly anchor?: string;
  readonly messageId?: string;
}

/** Does one part of the form. If another part holds unsaved text, the next page keeps it. */
function doPart(visit: SignedInVisit, part: ThreadPart, act: () => Promise<Done>): Promise<Reply> {
  const { fields, links, param } = visit;
  return reshowForm(
    async () => {
      const { done, anchor, messageId } = await act();
      const address = links.thread(param("appId"), param("id")) + inboxPositionQuery(inboxPositionOf(visit));
      if (!holdsDrafts(fields, part)) return goTo(address, done, anchor);
      const sent = { fields, part, ...(messageId === undefined ? {} : { messageId }) };
      return showThread(visit, { sent, done });
    },
    (refusal) => showThread(visit, { sent: { fields, part, refusal } }),
  );
}

export async function deleteThread(visit: SignedInVisit): Promise<Reply> {
  await visit.ask(threads.remove, {
    params: { id: visit.param("id") },
    idempotencyKey: visit.fields.idempotencyKey,
  });
  const { list } = inboxPositionOf(visit);
  const inbox = visit.links.inbox(visit.param("appId"));
  return goTo(list === "" ? inbox : `${inbox}?${new URLSearchParams(list)}`, "thread-deleted");
}
