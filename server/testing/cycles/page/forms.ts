import { cycles } from "../../../../src/contract/cycles.ts";
import { filledAgain } from "../../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../../console/reply.ts";
import type { SignedInVisit } from "../../../console/visit.ts";
import { cycleAddress, readCycle, showCycle } from "./cycle.tsx";

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
