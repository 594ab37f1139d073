import { threads } from "../../../src/contract/console/feedback.ts";
import { runs } from "../../../src/contract/console/runs.ts";
import { changedValues, givenFor } from "../changes.ts";
import { currentThread } from "../current.ts";
import { filledAgain } from "../filled.ts";
import { readThread, showThread } from "../pages/thread.tsx";
import { goTo, orAgain, type Reply } from "../reply.ts";
import type { SignedInVisit } from "../visit.ts";

/** Approves or rejects the run that the form showed, not whichever is newest now. */
export function decide(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const [runId, decision] = [fields.text("runId"), fields.text("decision")];
  return orAgain(
    async () => {
      const body = { decision, note: fields.text("note") };
      const run = await ask(runs.decide, { params: { runId }, body, once: fields.once });
      return goTo(threadAddress(visit), run.status);
    },
    (refusal) => showThread(visit, { decision: filledAgain(fields, refusal), decidedRunId: runId }),
  );
}

export function addMessage(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  const direction = fields.text("direction");
  return orAgain(
    async () => {
      const body = { direction, body: fields.text("body") };
      await ask(threads.addMessage, { params: { id: visit.param("id") }, body, once: fields.once });
      return goTo(threadAddress(visit), direction === "note" ? "noted" : "replied");
    },
    (refusal) => {
      const form = filledAgain(fields, refusal);
      return showThread(visit, direction === "outbound" ? { reply: form } : { note: form });
    },
  );
}

export function editThread(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return orAgain(
    async () => {
      const current = currentThread(await readThread(visit));
      const changed = changedValues(fields, givenFor(fields, current), current);
      const body = changed.githubIssueUrl === "" ? { ...changed, githubIssueUrl: null } : changed;
      await ask(threads.update, { params: { id: visit.param("id") }, body, once: fields.once });
      return goTo(threadAddress(visit), "changed");
    },
    (refusal) => showThread(visit, { edit: filledAgain(fields, refusal) }),
  );
}

export async function deleteThread(visit: SignedInVisit): Promise<Reply> {
  await visit.ask(threads.remove, { params: { id: visit.param("id") }, once: visit.fields.once });
  return goTo(visit.links.inbox(visit.param("appId")), "thread-deleted");
}

const threadAddress = ({ links, param }: SignedInVisit): string => links.thread(param("appId"), param("id"));
