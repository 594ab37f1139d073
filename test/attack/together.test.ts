import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { descriptorsOf, type Held, hold, memoryOf, p99, timesOf } from "../support/attackers.ts";
import { temporaryFolder } from "../support/folder.ts";
import { innkeepServeWithin } from "../support/innkeep.ts";
import { headOf } from "../support/raw-connection.ts";
import { rounds } from "../support/torture.ts";

const seconds = rounds(3, 60);
const json = { "Content-Type": "application/json" };

interface Target {
  readonly baseUrl: string;
  readonly demo: { readonly apiKey: string; readonly email: string };
}

const post = ({ baseUrl }: Target, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  });

const holdAgain = async (hold: () => Promise<Held>): Promise<void> => {
  const held = await hold();
  await sleep(1_000);
  held.release();
};

const attacks: Record<string, (target: Target, at: number) => Promise<unknown>> = {
  "slow heads": ({ baseUrl }) => holdAgain(() => hold(baseUrl, 1_000, "GET / HTTP/1.1\r\nX-Slow: ")),
  "bodies without a credential": ({ baseUrl }) => {
    const head = headOf("POST", "/api/v1/testing/auth/exchange", { ...json, "Content-Length": 32_768 });
    return holdAgain(() => hold(baseUrl, 300, `${head}${"x".repeat(20_000)}`));
  },
  "slow uploads": ({ baseUrl, demo }) => {
    const headers = { ...json, "x-api-key": demo.apiKey, "Content-Length": 1_000_000 };
    return holdAgain(() => hold(baseUrl, 40, headOf("POST", "/api/v1/feedback/remote", headers)));
  },
  "long lists": (target) => {
    const body = { type: "bug", message: "x", images: Array(100_000).fill("x") };
    return post(target, "/api/v1/feedback/remote", body, { "x-api-key": target.demo.apiKey });
  },
  "guessed passwords": (target) =>
    post(target, "/api/v1/console/session", { email: target.demo.email, password: "a wrong guess" }),
  "made-up test keys": (target, at) => {
    const now = new Date().toISOString();
    const session = { testKey: `stk_${at}`, startedAt: now, endedAt: now, screens: [] };
    return post(target, "/api/v1/testing/sdk/session", session, { "x-api-key": target.demo.apiKey });
  },
};

const all = (target: Target, at: number) =>
  Promise.all(Object.values(attacks).map((attack) => attack(target, at)));

it.each([...Object.entries(attacks), ["all of them together", all] as const])(
  "under %s others are served, within the memory and the descriptors that there are",
  async (_, attack) => {
    const argv = ["--demo", "--data", await temporaryFolder(), "--port", "0"];
    const { ready, child } = await innkeepServeWithin(1_024, argv);
    const pid = child.pid ?? 0;
    const idle = await memoryOf(pid);
    const until = performance.now() + seconds * 1_000;
    const attacking = (async () => {
      // An attacker minds no reset.
      for (let at = 0; performance.now() < until; at += 1) await attack(ready, at).catch(() => {});
    })();
    let memory = 0;
    let descriptors = 0;
    const headers = { authorization: `Bearer ${ready.demo.maintainerToken}` };
    const times = await timesOf(async () => {
      expect((await fetch(`${ready.baseUrl}/api/v1/console/apps`, { headers })).status).toBe(200);
      memory = Math.max(memory, await memoryOf(pid));
      descriptors = Math.max(descriptors, await descriptorsOf(pid));
    }, attacking);
    expect(p99(times)).toBeLessThan(1_000);
    expect(memory - idle).toBeLessThan(256);
    expect(descriptors).toBeLessThan(1_024);
  },
  120_000,
);
