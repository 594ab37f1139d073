import { badRequest } from "../../src/contract/errors.ts";
import { seedContentAgain, seedDemo } from "../demo/seed-demo.ts";
import type { Deps } from "../deps.ts";
import type { Handlers } from "../http/handler.ts";
import { openAddress } from "../secrets/sealed-address.ts";
import { removeContent } from "../store/deployment/reset.ts";
import { everyTopic } from "../store/engine/topics.ts";
import { outbox } from "../store/feedback/outbox.ts";
import { targetOf } from "./clock-move.ts";
import type { development as contract } from "./dev-contract.ts";
import { errorOf, type Fault, type Faults } from "./faults.ts";
import type { MovableClock } from "./movable-clock.ts";
import { createSnapshots } from "./snapshots/snapshots.ts";

const mostMessages = 1_000;

export function development(deps: Deps, clock: MovableClock, faults: Faults): Handlers<typeof contract> {
  const { database, keptFiles, passingTime } = deps;
  const snapshots = createSnapshots(deps, clock);
  const capture = () => database.write((tx) => outbox.capture(tx, clock.now().toISOString()));
  return {
    readClock: async () => ({ now: clock.now().toISOString() }),

    async moveClock({ body }) {
      const target = targetOf(body, clock.now());
      clock.setOffset(target.getTime() - Date.now());
      await passingTime.catchUp();
      await capture();
      // Waiting parts must compute again how long they sleep.
      await database.write(async (tx) => tx.signal(everyTopic));
      return { now: target.toISOString() };
    },

    async addFault({ body: { path, status, code, times, delayMs } }) {
      const error = errorOf(status, code);
      if (error === undefined) throw badRequest("status", `does not match the code ${code}`);
      const fault = { path, error, times, delayMs };
      faults.add(fault);
      return faultAnswer(fault);
    },

    listFaults: async () => ({ items: faults.list().map(faultAnswer) }),

    async clearFaults() {
      faults.clear();
    },

    async listOutbox() {
      await capture();
      const rows = await outbox.latest(database, mostMessages);
      const target = (row: { target: string }) => openAddress(deps.sealer, row.target);
      return {
        items: rows.map((row) => ({ ...row, target: target(row), payload: JSON.parse(row.payload) })),
      };
    },

    saveSnapshot: ({ body: { name } }) => snapshots.save(name),

    listSnapshots: async () => ({ items: await snapshots.list() }),

    async loadSnapshot({ params: { name } }) {
      const facts = await snapshots.load(name);
      await passingTime.catchUp();
      return facts;
    },

    async reset() {
      faults.clear();
      clock.setOffset(0);
      const demo = deps.settings.demo ? await seedDemo(deps) : undefined;
      const hashes = await database.write(async (tx) => {
        const unused = await removeContent(tx);
        if (demo) await seedContentAgain(deps, tx, demo);
        tx.signal(everyTopic);
        return unused;
      });
      await keptFiles.removeUnreferenced(hashes);
      return { now: clock.now().toISOString() };
    },
  };
}

const faultAnswer = ({ path, error, times, delayMs }: Fault) => ({
  path,
  status: error?.status ?? null,
  code: error?.code ?? null,
  times,
  delayMs,
});
