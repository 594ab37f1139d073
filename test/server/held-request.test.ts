import { expect, it } from "vitest";
import { hold } from "../../server/http/held-request.ts";
import { movableClock } from "../support/service/movable-clock.ts";

interface Held {
  readonly seconds: number;
  readonly found?: string;
  readonly wait?: number;
  readonly stops?: boolean;
}

/** Holds a request for some seconds. Returns how many reads it has returned to the limit. */
async function givenBack({ seconds, found = "nothing", wait = 55, stops = false }: Held): Promise<number> {
  const clock = movableClock();
  const stopping = new AbortController();
  let reads = 0;
  const giveBack = () => {
    reads += 1;
  };
  const until = async <Found>(_: readonly string[], look: () => Promise<Found>) => {
    clock.advance(seconds * 1_000);
    if (stops) stopping.abort();
    return look();
  };
  const deps = { clock, stopping: stopping.signal, waiting: { until } };
  const enough = (seen: string) => seen !== "nothing";
  const holding = { topics: [], look: async () => found, enough, milliseconds: wait * 1_000 };
  await hold(deps, { giveBack, signal: () => stopping.signal }, holding);
  return reads;
}

it.each<Held & { readonly of: string; readonly gives: number }>([
  { of: "a long wait without news", seconds: 55, gives: 1 },
  { of: "a wait of 20 seconds without news", seconds: 20, gives: 1 },
  { of: "a shorter wait without news", seconds: 19, gives: 0 },
  { of: "a long wait with news", seconds: 55, found: "a decision", gives: 0 },
  { of: "a short wait that ends because the server stops", seconds: 1, stops: true, gives: 1 },
  { of: "a wait with news when the server stops", seconds: 1, stops: true, found: "a decision", gives: 0 },
  { of: "a slow read that does not wait", seconds: 30, wait: 0, gives: 0 },
])("after $of, the rate limit gets back $gives reads", async ({ gives, ...held }) => {
  expect(await givenBack(held)).toBe(gives);
});
