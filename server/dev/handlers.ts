import type { Handlers } from "../http/handler.ts";
import type { DevActions } from "./actions.ts";
import type { development as contract } from "./contract.ts";
import type { Fault } from "./faults.ts";

export const development = (actions: DevActions): Handlers<typeof contract> => ({
  readClock: async () => ({ now: actions.now().toISOString() }),
  moveClock: async ({ body }) => ({ now: (await actions.moveClock(body)).toISOString() }),
  addFault: async ({ body }) => faultAnswer(actions.addFault(body)),
  listFaults: async () => ({ items: actions.faults().map(faultAnswer) }),
  async clearFaults() {
    actions.clearFaults();
  },
  listOutbox: async () => ({ items: await actions.messages() }),
  saveSnapshot: ({ body: { name } }) => actions.saveSnapshot(name),
  listSnapshots: async () => ({ items: await actions.snapshots() }),
  loadSnapshot: ({ params: { name } }) => actions.loadSnapshot(name),
  reset: async () => ({ now: (await actions.reset()).toISOString() }),
});

const faultAnswer = ({ path, error, times, delayMs }: Fault) => ({
  path,
  status: error?.status ?? null,
  code: error?.code ?? null,
  times,
  delayMs,
});
