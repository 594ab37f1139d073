import { expect, it, vi } from "vitest";
import { runAdmin } from "../../../server/admin/main.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import {
  descriptorsOf,
  type HostileConnections,
  holdConnections,
  memoryOf,
  p99,
  timesOf,
} from "../../support/network/hostile-connections.ts";
import { headOf } from "../../support/network/raw-connection.ts";
import { innkeepServeWithin } from "../../support/programs/built-program.ts";
import { quietGoal, rounds } from "../../support/torture.ts";

const seconds = rounds(1.5, 60);
const json = { "Content-Type": "application/json" };

interface Target {
  readonly baseUrl: string;
  readonly demo: { readonly apiKey: string; readonly email: string };
  /** Whether the measurement is over. */
  isOver(): boolean;
}

const post = ({ baseUrl }: Target, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(baseUrl + path, {
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  });

/** Holds connections until the server has closed them all, or the measurement is over. */
const holdOut = async ({ isOver }: Target, opening: Promise<HostileConnections>): Promise<void> => {
  const held = await opening;
  await vi.waitUntil(() => held.open() === 0 || isOver(), { timeout: 120_000, interval: 100 });
  held.release();
};

const attacks: Record<string, (target: Target, at: number) => Promise<unknown>> = {
  "slow heads": (target) =>
    holdOut(target, holdConnections(target.baseUrl, 1_000, "GET / HTTP/1.1\r\nX-Slow: ")),
  "bodies without a credential": (target) => {
    const head = headOf("POST", "/api/v1/testing/auth/exchange", { ...json, "Content-Length": 32_768 });
    return holdOut(target, holdConnections(target.baseUrl, 300, `${head}${"x".repeat(20_000)}`));
  },
  "slow uploads": (target) => {
    const headers = { ...json, "x-api-key": target.demo.apiKey, "Content-Length": 1_000_000 };
    return holdOut(
      target,
      holdConnections(target.baseUrl, 40, headOf("POST", "/api/v1/feedback/remote", headers)),
    );
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

/** Repeats one attack. An attacker ignores a reset. */
const repeat = async (attack: (target: Target, at: number) => Promise<unknown>, target: Target) => {
  for (let at = 0; !target.isOver(); at += 1) await attack(target, at).catch(() => {});
};

/** Another owner of the same server: an account, an app and a key that no attacker has. */
async function makeOther(data: string) {
  const owner = "other@example.org";
  const scopes = ["apps:read"];
  await runAdmin({ command: "user create", email: owner, password: "a password of some length", data });
  const { apiKey } = await runAdmin({ command: "app create", name: "Another app", owner, data });
  const { token } = await runAdmin({ command: "token create", kind: "maintainer", owner, scopes, data });
  return { apiKey: String(apiKey), token: String(token) };
}

/** The requests of the other owner and the other app, alternately, each as often as its limits allow. */
function requestsOf(baseUrl: string, { apiKey, token }: Awaited<ReturnType<typeof makeOther>>) {
  const key = { "x-api-key": apiKey };
  const report = { type: "bug", message: "See the picture.", images: [dataUrl(png(100_000))] };
  const get = async (path: string, headers: Record<string, string>) =>
    expect((await fetch(baseUrl + path, { headers })).status).toBe(200);
  let next = 0;
  let reportedAt = 0;
  const turns = [
    () => get("/api/v1/console/apps", { authorization: `Bearer ${token}` }),
    () => get("/api/v1/faqs/remote", key),
    async () => {
      reportedAt = performance.now();
      const headers = { ...json, ...key };
      const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, {
        method: "POST",
        headers,
        body: JSON.stringify(report),
      });
      expect(answer.status).toBe(201);
    },
  ] as const;
  return () => {
    // 120 reports a minute are allowed.
    const isLimited = performance.now() - reportedAt < 600;
    next = (next + 1) % (isLimited ? 2 : 3);
    return turns[next]?.();
  };
}

it.each([
  ...Object.entries(attacks).map(([name, attack]) => [name, [attack]] as const),
  ["all of them together", Object.values(attacks)] as const,
])(
  "during %s another owner is served, and the server stays within its limits of memory and descriptors",
  async (name, attacking) => {
    const data = await temporaryFolder();
    const { ready, child } = await innkeepServeWithin(1_024, ["--demo", "--data", data, "--port", "0"]);
    const request = requestsOf(ready.baseUrl, await makeOther(data));
    const pid = child.pid ?? 0;
    const idle = await memoryOf(pid);
    const until = performance.now() + seconds * 1_000;
    const target: Target = { ...ready, isOver: () => performance.now() > until };
    let memory = 0;
    let descriptors = 0;
    const times = await timesOf(
      async () => {
        await request();
        memory = Math.max(memory, await memoryOf(pid));
        descriptors = Math.max(descriptors, await descriptorsOf(pid));
      },
      Promise.all(attacking.map((attack) => repeat(attack, target))),
    );
    process.stdout.write(`${name}: ${times.length} requests, p99 ${p99(times).toFixed(0)} ms\n`);
    expect(p99(times)).toBeLessThan(quietGoal(1_000));
    expect(memory - idle).toBeLessThan(256);
    expect(descriptors).toBeLessThan(1_024);
  },
  240_000,
);
