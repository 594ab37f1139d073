import { IncomingMessage, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { createHoldAnswer } from "../../../server/http/answers.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const MB = 1_048_576;
afterEach(() => vi.restoreAllMocks());

/** Asks for a page and never reads the answer. Returns a function that closes the connection. */
async function askAndIgnore(baseUrl: string, path: string, headers: Readonly<Record<string, string>>) {
  const { hostname, port, host } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return () => void socket.destroy();
}

/** Stores an FAQ with long entries, and returns the path of its list. */
async function makeLongList(service: Service, { appId, key }: AppWithAgent): Promise<string> {
  const faqs = Array.from({ length: 1_000 }, (_, at) => ({
    question: `Q${at} ${"&".repeat(490)}?`,
    answer: "x".repeat(20_000),
  }));
  const headers = { ...key, "if-match": "*" };
  const answer = await service.request("PUT", "/api/v1/faqs/remote", { headers, body: { faqs } });
  expect(answer.status).toBe(200);
  return `/api/v1/console/apps/${appId}/faqs`;
}

/** Adds long notes to a thread, and returns the path of its page. */
async function makeLongPage(service: Service, cast: AppWithAgent): Promise<string> {
  const id = await submitFeedback(service, cast);
  const path = `/api/v1/console/feedback/${id}/messages`;
  const body = { direction: "note", body: "&".repeat(10_000) };
  for (let at = 0; at < 240; at += 1)
    expect(await service.request("POST", path, { headers: cast.person, body })).toMatchObject({
      status: 201,
    });
  return `/console/feedback/${cast.appId}/${id}`;
}

it.each([
  ["lists of the API", 50 * MB, makeLongList],
  ["pages of the console", 12 * MB, makeLongPage],
] as const)(
  "clients that do not read large %s cannot fill the memory, and others are served",
  async (_, answerBytes, makeLong) => {
    const service = await startService({
      environment: { INNKEEP_RATE_LIMITS: "off" },
      budgets: { answerBytes },
    });
    const cast = await makeAppWithAgent(service);
    const path = await makeLong(service, cast);
    const read = (more = {}) => service.request("GET", path, { headers: { ...cast.person, ...more } });
    const closed: (() => void)[] = [];
    const ignoreOne = async () => closed.push(await askAndIgnore(service.baseUrl, path, cast.person));
    for (let at = 0; at < 5; at += 1) await ignoreOne();
    /** An answer with a refusal. A slow server closes connections that read nothing, so more clients are needed. */
    const refused = (more = {}) =>
      eventually(async () => {
        const answer = await read(more);
        if (answer.status !== 503) await ignoreOne();
        expect(answer.status).toBe(503);
        return answer;
      });
    const answer = await refused();
    expect([answer.field("code"), answer.headers.get("retry-after")]).toEqual(["busy", "5"]);
    await refused({ accept: "text/html" });
    const small = await service.request("GET", `/api/v1/console/apps/${cast.appId}`, {
      headers: cast.person,
    });
    expect(small.status).toBe(200);
    for (const close of closed) close();
    await eventually(async () => expect((await read()).status).toBe(200));
    await service.stop();
  },
);

/** An answer of the server that nobody reads. */
const response = () => new ServerResponse(new IncomingMessage(new Socket()));
const holding = () => {
  const settings = readSettings({}, { INNKEEP_BUDGETS: `answerBytes=${4 * MB}` });
  return createHoldAnswer({ settings });
};
const busy = expect.objectContaining({ code: "busy" });

it("answers that share their memory are counted once, small answers are not counted, and a single answer can be larger than the limit", () => {
  const hold = holding();
  const body = Buffer.alloc(3 * MB);
  for (let at = 0; at < 10; at += 1) hold(response(), { body, canRefuse: true });
  for (let at = 0; at < 10; at += 1) hold(response(), { body: Buffer.alloc(MB - 1), canRefuse: true });
  expect(() => hold(response(), { body: Buffer.alloc(2 * MB), canRefuse: true })).toThrow(busy);
  hold(response(), { body: Buffer.alloc(2 * MB), canRefuse: false });
  holding()(response(), { body: Buffer.alloc(9 * MB), canRefuse: true });
});

it("the answer that has been read for the longest time is ended after ten seconds if another answer needs memory", () => {
  const hold = holding();
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const [slow, slower] = [response(), response()];
  hold(slower, { body: Buffer.alloc(2 * MB), canRefuse: true });
  now.mockReturnValue(5_000);
  hold(slow, { body: Buffer.alloc(2 * MB), canRefuse: true });
  expect(() => hold(response(), { body: Buffer.alloc(2 * MB), canRefuse: true })).toThrow(busy);
  now.mockReturnValue(10_001);
  hold(response(), { body: Buffer.alloc(2 * MB), canRefuse: true });
  expect([slower.destroyed, slow.destroyed]).toEqual([true, false]);
});
