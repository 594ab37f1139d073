import { reachableApps } from "./core/app-id.ts";
import type { Invocation } from "./core/context.ts";
import { type Listed, wholeId } from "./core/ids.ts";

/** The id of a listing, given as a whole or by its start. */
export const listingIdOf = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "listing",
    command: "innkeep testing listing list",
    list: () => listings(invocation),
  });

/** The id of a cycle, given as a whole or by its start. */
export const cycleIdOf = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "cycle",
    command: "innkeep testing cycle list LISTING",
    list: async () => (await cycles(invocation)).map(({ id, startsOn }) => ({ id, name: startsOn })),
  });

/** The id of a slot, given as a whole or by its start. A slot of a finished cycle needs its whole id. */
export const slotIdOf = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "slot",
    command: "innkeep testing cycle view CYCLE",
    list: () => slots(invocation),
    leftOut: "Write the whole id for a slot of a cycle that is over.",
  });

async function listings(invocation: Invocation): Promise<readonly Listed[]> {
  const apps = await reachableApps(invocation);
  const { list } = invocation.client().listings;
  const lists = await Promise.all(apps.map(({ id }) => list({ params: { appId: id } })));
  return lists.flatMap(({ items }) => items).map(({ id, appName }) => ({ id, name: appName }));
}

async function cycles(invocation: Invocation) {
  const { list } = invocation.client().cycles;
  const all = await listings(invocation);
  const lists = await Promise.all(all.map(({ id }) => list({ params: { listingId: id } })));
  return lists.flatMap(({ items }) => items);
}

const lasting: readonly string[] = ["recruiting", "running"];

async function slots(invocation: Invocation): Promise<readonly Listed[]> {
  const { read } = invocation.client().cycles;
  const open = (await cycles(invocation)).filter(({ status }) => lasting.includes(status));
  const grids = await Promise.all(open.map(({ id }) => read({ params: { cycleId: id } })));
  return grids
    .flatMap(({ slots }) => slots)
    .map(({ slotId, seat, tester }) => ({ id: slotId, name: `slot ${seat} ${tester?.email ?? ""}` }));
}
