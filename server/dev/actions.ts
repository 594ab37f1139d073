import { badRequest } from "../../src/contract/errors.ts";
import { seedContentAgain, seedDemo } from "../demo/seed-demo.ts";
import type { Deps } from "../deps.ts";
import { openAddress } from "../secrets/sealed-address.ts";
import { removeContent } from "../store/deployment/reset.ts";
import { everyTopic } from "../store/engine/topics.ts";
import { outbox } from "../store/feedback/outbox.ts";
import { type ClockMove, targetOf } from "./clock-move.ts";
import { errorOf, type Fault, type Faults } from "./faults.ts";
import type { MovableClock } from "./movable-clock.ts";
import { createSnapshots } from "./snapshots/snapshots.ts";

const mostMessages = 1_000;

/** A fault as a developer asks for it. */
export interface WantedFault {
  readonly path: string;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly times: number;
  readonly delayMs: number;
}

/** What a development server can do, for its endpoints and for its page. */
export function createActions(deps: Deps, clock: MovableClock, faults: Faults) {
  const { database, passingTime } = deps;
  const snapshots = createSnapshots(deps, clock);
  const capture = () => database.write((tx) => outbox.capture(tx, clock.now().toISOString()));
  return {
    now: () => clock.now(),

    /** Moves the clock and makes the changes that are due. Gives the new time. */
    async moveClock(move: ClockMove): Promise<Date> {
      const target = targetOf(move, clock.now());
      clock.setOffset(target.getTime() - Date.now());
      await passingTime.catchUp();
      await capture();
      // Waiting parts must compute again how long they sleep.
      await database.write(async (tx) => tx.signal(everyTopic));
      return target;
    },

    /** Throws `bad_request` if status and code do not match. */
    addFault({ path, status, code, times, delayMs }: WantedFault): Fault {
      const error = errorOf(status, code);
      if (error === undefined) throw badRequest("status", `does not match the code ${code}`);
      const fault = { path, error, times, delayMs };
      faults.add(fault);
      return fault;
    },

    faults: () => faults.list(),
    clearFaults: () => faults.clear(),

    /** The newest messages that would have been sent, newest first. */
    async messages() {
      await capture();
      const rows = await outbox.latest(database, mostMessages);
      return rows.map((row) => ({
        ...row,
        target: openAddress(deps.sealer, row.target),
        payload: JSON.parse(row.payload),
      }));
    },

    saveSnapshot: (name: string) => snapshots.save(name),
    snapshots: () => snapshots.list(),
    async loadSnapshot(name: string) {
      const facts = await snapshots.load(name);
      await passingTime.catchUp();
      return facts;
    },

    /** Goes back to the start: real time, no faults, the content of the demo. */
    async reset(): Promise<Date> {
      faults.clear();
      clock.setOffset(0);
      const demo = deps.settings.demo ? await seedDemo(deps) : undefined;
      const hashes = await database.write(async (tx) => {
        const unused = await removeContent(tx);
        if (demo) await seedContentAgain(deps, tx, demo);
        tx.signal(everyTopic);
        return unused;
      });
      await deps.keptFiles.removeUnreferenced(hashes);
      return clock.now();
    },
  };
}

export type DevActions = ReturnType<typeof createActions>;
