import { cycles } from "../../../../src/contract/console/cycles.ts";
import { filledAgain } from "../../kit/form/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../reply.ts";
import type { SignedInVisit } from "../../visit.ts";
import { cycleAddress, readCycle, showCycle } from "./page.tsx";

export function cancelCycle(visit: SignedInVisit): Promise<Reply> {
  const { ask, fields } = visit;
  return reshowForm(
    async () => {
      const { cycle } = await readCycle(visit);
      await ask(cycles.cancel, {
        params: { cycleId: cycle.id },
        body: {},
        idempotencyKey: fields.idempotencyKey,
      });
      return goTo(cycleAddress(visit), "cycle-cancelled");
    },
    (refusal) => showCycle(visit, { cancel: filledAgain(fields, refusal) }),
  );
}
