import { once } from "node:events";
import { createServer } from "node:http";
import Koa from "koa";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AnswerWithPage, answerErrors } from "../../../server/http/answers.ts";
import { createLog } from "../../../server/log.ts";
import { ApiError } from "../../../src/contract/errors.ts";

describe("a failed request", () => {
  it.each<[string, AnswerWithPage, number, object | string]>([
    ["is answered with a page if a page exists", pageAfter(0), 404, "<h1>Not here</h1>"],
    ["waits for a page that is created in several steps", pageAfter(2), 404, "<h1>Not here</h1>"],
    ["is answered with JSON if the client accepts no page", () => false, 404, { code: "not_found" }],
    ["is answered with JSON if the page fails", fails, 404, { code: "not_found" }],
    ["is answered with JSON if the page fails later", failsLater, 404, { code: "not_found" }],
  ])("%s", async (_, answerWithPage, status, body) => {
    const { answer, log } = await failingServer(answerWithPage);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    if (typeof body === "string") expect(text).toBe(body);
    else expect(JSON.parse(text)).toMatchObject(body);
    expect(log().includes("the page is broken")).toBe(
      answerWithPage === fails || answerWithPage === failsLater,
    );
  });
});

function pageAfter(turns: number): AnswerWithPage {
  return async (ctx) => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    ctx.status = 404;
    ctx.body = "<h1>Not here</h1>";
    return true;
  };
}

function fails(): boolean {
  throw new Error("the page is broken");
}

async function failsLater(): Promise<boolean> {
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error("the page is broken");
}

async function failingServer(answerWithPage: AnswerWithPage) {
  let logged = "";
  const log = createLog("debug", {
    write: (line) => {
      logged += line;
    },
  });
  const app = new Koa();
  app.use(answerErrors({ log }, answerWithPage));
  app.use(() => {
    throw new ApiError("not_found");
  });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { answer: await fetch(`http://127.0.0.1:${port}/`), log: () => logged };
}
