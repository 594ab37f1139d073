import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { startBrowser, type TestBrowser } from "../support/browser/browser.ts";
import { type DemoServer, post, submit } from "./demo-server.ts";
import { type Figure, median } from "./table.ts";

const rounds = 25;
const warmUp = 5;
const mostTimes = 3;
/** A person looks at the page before the next key, and meanwhile the browser finishes what it does after loading it. */
const pauseMilliseconds = 200;

interface Act {
  readonly name: string;
  readonly key: string;
  /** The key that is pressed before, without being measured. */
  readonly before?: string;
}

const acts: readonly Act[] = [
  { name: "resolve", key: "e" },
  { name: "archive", key: "y" },
  { name: "assign", key: "m", before: "]" },
  { name: "undo", key: "z", before: "e" },
];

/**
 * What a person waits for at a key of the desk, in Chromium: the form is sent, and the page with the next thread is
 * loaded. The unit is the time of an empty page of the same server: the desk of an app without feedback. Both are
 * measured alternately.
 */
export async function measureTriage(demo: DemoServer): Promise<Figure[]> {
  const browser = await startBrowser();
  try {
    return await measureIn(browser, demo);
  } finally {
    await browser.close();
  }
}

async function measureIn(
  browser: TestBrowser,
  { port, person, appId, apiKey }: DemoServer,
): Promise<Figure[]> {
  const origin = `http://127.0.0.1:${port}`;
  const leaving = acts.filter(({ key }) => key === "e" || key === "y").length;
  for (let at = 0; at < (rounds + warmUp) * leaving + 60; at += 1) await submit(origin, apiKey);
  const emptyApp = await (await post(`${origin}/api/v1/console/apps`, { name: "Empty" }, person)).json();
  const context = await browser.newContext();
  const [name = "", value = ""] = (person.cookie ?? "").split("=");
  await context.addCookies([{ name, value, url: origin }]);
  const [desk, empty] = [await context.newPage(), await context.newPage()];
  const emptyPage = `/console/feedback/${emptyApp.id}`;
  await empty.goto(origin + emptyPage);
  await desk.goto(`${origin}/console/feedback/${appId}`);
  await loaded(desk, () => desk.locator("#threads a.to").first().click());
  const figures: Figure[] = [];
  for (const act of acts) figures.push(await compare(act, desk, empty, emptyPage));
  return figures;
}

async function compare({ name, key, before }: Act, desk: Page, empty: Page, path: string): Promise<Figure> {
  const pairs: { readonly act: number; readonly empty: number }[] = [];
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const ofEmpty = await loaded(empty, () => empty.evaluate((to) => location.assign(to), path));
    if (before !== undefined) await loaded(desk, () => desk.keyboard.press(before));
    await sleep(pauseMilliseconds);
    const ofAct = await loaded(desk, () => desk.keyboard.press(key));
    if ((await desk.locator("#acted").getAttribute("hidden")) !== null)
      throw new Error(`The key ${key} did nothing: ${desk.url()}`);
    if (round >= warmUp) pairs.push({ act: ofAct, empty: ofEmpty });
  }
  const middle = (of: keyof (typeof pairs)[number]) => median(pairs.map((pair) => pair[of])).toFixed(0);
  return {
    name: `act of triage: ${name}`,
    value: median(pairs.map((pair) => pair.act / pair.empty)),
    unit: "x empty page",
    goal: ["<=", mostTimes],
    detail: `${middle("act")} ms of ${middle("empty")} ms, in Chromium`,
  };
}

/** Returns the milliseconds until the page to which something leads is loaded. */
async function loaded(page: Page, lead: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  const ready = page.waitForEvent("load");
  await lead();
  await ready;
  return performance.now() - started;
}
