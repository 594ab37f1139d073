import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { createApp } from "../../../server/app.ts";
import type { Clock } from "../../../server/clock.ts";
import type { Deps } from "../../../server/deps.ts";
import { startErasing } from "../../../server/erasure/eraser.ts";
import { startOutbox } from "../../../server/feedback/chat/worker.ts";
import { attach, createListener } from "../../../server/http/listener.ts";
import { createLog } from "../../../server/log.ts";
import { createMailHandler } from "../../../server/mail/incoming/handle.ts";
import { startMailReceiver } from "../../../server/mail/incoming/receiver.ts";
import { startMail } from "../../../server/mail/outgoing/worker.ts";
import { startPushes } from "../../../server/notices/browsers/worker.ts";
import { startNotices } from "../../../server/notices/mails/worker.ts";
import { randomName } from "../../../server/secrets/secrets.ts";
import { readSettings } from "../../../server/settings/read-settings.ts";
import { type Budgets, budgetsOf, type Settings } from "../../../server/settings/settings.ts";
import { createDeps } from "../../../server/start/open-deps.ts";
import { bindFiles } from "../../../server/start/open-files.ts";
import { startWebhooks } from "../../../server/webhooks/endpoints/worker.ts";
import { sqlite, type TestDatabase, type TestEngine } from "../database/databases.ts";
import { inBackground } from "../database/traced-database.ts";
import { removableFolder } from "../files/temporary-folder.ts";
import { type AppMakers, createAppMakers } from "./app-and-credential-makers.ts";
import { type CycleMakers, createCycleMakers } from "./cycle-makers.ts";
import { type Answer, request, type Sending } from "./request.ts";

export interface TestClock extends Clock {
  /** Moves the clock, also backwards. */
  advance(milliseconds: number): void;
  /** Its difference from real time. */
  setOffset(milliseconds: number): void;
  /** Sets the wall clock, as an administrator of the machine could do, without a message to the server. */
  jump(milliseconds: number): void;
  /** Lets time pass on both clocks. */
  pass(milliseconds: number): void;
}

export interface Service extends AppMakers, CycleMakers {
  readonly deps: Deps;
  readonly baseUrl: string;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  /** Everything the server has logged. */
  logged(): string;
  request(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** Signals to running requests that the server stops, as a stop signal does. */
  beginStop(): void;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly engine?: TestEngine;
  /** A database to share with another service. */
  readonly database?: TestDatabase;
  readonly environment?: Record<string, string>;
  readonly settings?: Partial<Settings>;
  /** Budgets that differ from the defaults. */
  readonly budgets?: Partial<Budgets>;
  /** The deployment's secret. Servers of one database share it. */
  readonly secret?: string;
  /** The host of its own addresses, in place of the number 127.0.0.1. */
  readonly hostName?: string;
  /** Whether its clock does not move until a test moves it. */
  readonly still?: boolean;
  /** Whether its job erases people. It does unless this is false. */
  readonly erases?: boolean;
}

const metricsToken = "the token of the tests for the figures";
/** The session that shows the account. */
export const metricsHeaders = { authorization: `Bearer ${metricsToken}` };

/** The real server on a free port of 127.0.0.1, on an empty database. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = options.database ?? (await (options.engine ?? sqlite).create());
  const folder = await removableFolder();
  const budgets = { ...budgetsOf(undefined), ...options.budgets };
  const server = createListener(budgets);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server);
  const settings = {
    ...readSettings(
      { port, data: folder.path, ...addressWith(options.hostName, port) },
      options.environment ?? {},
    ),
    budgets,
    metricsToken,
    ...options.settings,
  };
  const clock = createTestClock(options.still);
  const log = captureLog();
  const stopping = new AbortController();
  const opened = await database.open({ clock });
  const databaseUrl = "url" in database.address ? database.address.url : undefined;
  if (settings.s3) await bindFiles(opened, { ...settings, databaseUrl });
  const deps = createDeps(settings, opened, {
    clock,
    log: log.log,
    secret: options.secret ?? randomName(),
    stopping: stopping.signal,
  });
  attach(server, createApp(deps), deps);
  const stopErasing = options.erases === false ? async () => {} : inBackground(() => startErasing(deps));
  const outbox = inBackground(() => startOutbox(deps));
  const stopWebhooks = inBackground(() => startWebhooks(deps));
  const stopNotices = inBackground(() => startNotices(deps));
  const stopPushes = inBackground(() => startPushes(deps));
  const mail = await inBackground(() => startMail(deps));
  const receiver = inBackground(() => startMailReceiver(deps, createMailHandler(deps)));
  return {
    deps,
    clock,
    database,
    baseUrl: settings.baseUrl,
    logged: log.text,
    request: (method, path, sending) => request(settings.baseUrl, method, path, sending),
    ...createAppMakers(deps),
    ...createCycleMakers(deps),
    beginStop: () => stopping.abort(),
    async stop() {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([
        outbox.stop(),
        stopWebhooks(),
        stopNotices(),
        stopPushes(),
        mail.stop(),
        receiver.stop(),
        stopErasing(),
      ]);
      if (options.database) await opened.close();
      else await database.remove();
      await folder.remove();
    },
  };
}

const addressWith = (host: string | undefined, port: number) =>
  host === undefined ? {} : { baseUrl: `http://${host}:${port}` };

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address;
  throw new Error("The server does not listen.");
}

function createTestClock(still = false): TestClock {
  const start = { wall: Date.now(), steady: performance.now() };
  let offset = 0;
  let jumped = 0;
  let passed = 0;
  return {
    now: () => new Date((still ? start.wall : Date.now()) + offset + jumped + passed),
    steadyMs: () => (still ? start.steady : performance.now()) + passed,
    get offsetMs() {
      return offset;
    },
    advance(milliseconds) {
      offset += milliseconds;
    },
    setOffset(milliseconds) {
      offset = milliseconds;
    },
    jump(milliseconds) {
      jumped += milliseconds;
    },
    pass(milliseconds) {
      passed += milliseconds;
    },
  };
}

function captureLog() {
  const stream = new PassThrough();
  let text = "";
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { log: createLog("debug", stream), text: () => text };
}
