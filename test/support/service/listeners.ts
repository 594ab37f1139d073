import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { createApp } from "../../../server/app.ts";
import { attach, createListener } from "../../../server/http/listener.ts";
import { createLimiter } from "../../../server/http/rate-limits/rate-limits.ts";
import { createLog } from "../../../server/log.ts";
import { type MovableClock, movableClock } from "./movable-clock.ts";
import { metricsHeaders, type Service } from "./service.ts";

/** A further listener for the server of a service, with separate limits, metrics and log. */
export interface Listener {
  readonly baseUrl: string;
  /** The number of answers that were sent without Koa. */
  readyAnswers(): number;
  /** The log entries about answers, without ids and times. */
  logged(): readonly string[];
  /** The number of answers of each kind in the metrics. */
  counted(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * Two listeners for the same data, with the same clock: one sends ready answers, and in the other one Koa answers
 * everything.
 */
export async function openTwoListeners(service: Service) {
  const clock = movableClock({ wrongByMs: service.clock.offsetMs });
  const [ready, koa] = await Promise.all(
    [true, false].map((isReady) => openListener(service, isReady, clock)),
  );
  if (!ready || !koa) throw new Error("There are two listeners.");
  return {
    ready,
    koa,
    pass(milliseconds: number) {
      clock.advance(milliseconds);
      service.clock.advance(milliseconds);
    },
    stop: () => Promise.all([ready.stop(), koa.stop()]),
  };
}

/** Opens a listener for a server. `ready`: whether it sends ready answers. By default the server decides. */
export async function openListener(
  { deps }: Service,
  ready?: boolean,
  clock: MovableClock = movableClock({ wrongByMs: deps.clock.offsetMs }),
): Promise<Listener> {
  const { log, text } = captureLog();
  const limiter = createLimiter({ ...deps, clock });
  const answer = createApp({ ...deps, clock, limiter, log }, {}, ready === undefined ? {} : { ready });
  let readyAnswers = 0;
  const server = createListener(deps.settings.budgets);
  const counting: typeof answer = (request, response) => {
    answer(request, response);
    // Koa never answers before the listener has returned.
    if (response.headersSent) readyAnswers += 1;
  };
  attach(server, counting, { log, settings: deps.settings });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${portOf(server)}`;
  return {
    baseUrl,
    readyAnswers: () => readyAnswers,
    logged: () => text().trim().split("\n").filter(isAnswer).map(shownOf).sort(),
    async counted() {
      const figures = await (await fetch(`${baseUrl}/metrics`, { headers: metricsHeaders })).text();
      return figures
        .split("\n")
        .filter((line) => line.startsWith("innkeep_http_request_duration_seconds_count"));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The log also contains closed connections, but whether a client closes one in time is random. */
const isAnswer = (line: string): boolean => line.includes('"answered"');

function shownOf(line: string): string {
  const { time, requestId, ms, ...shown } = JSON.parse(line);
  return JSON.stringify({ ...shown, hasId: typeof requestId === "string" });
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function captureLog() {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { log: createLog("debug", stream), text: () => text };
}
