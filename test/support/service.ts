import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { v7 } from "uuid";
import { createApp } from "../../server/app.ts";
import type { Clock } from "../../server/clock.ts";
import type { Deps } from "../../server/deps.ts";
import { readSettings } from "../../server/environment.ts";
import { createLog } from "../../server/log.ts";
import { createDeps } from "../../server/open-deps.ts";
import { startOutbox } from "../../server/outbox/worker.ts";
import { hashOf, mintCredential, randomName } from "../../server/secrets.ts";
import type { Settings } from "../../server/settings.ts";
import { credentialsTopic } from "../../server/store/topics.ts";
import { sqlite, type TestDatabase, type TestEngine } from "./databases.ts";
import { removableFolder } from "./folder.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where it is none. */
  readonly body: unknown;
  /** The text at a path of the body, such as `entries.0.id`; throws where there is none. */
  field(path: string): string;
}

export interface Sending {
  readonly headers?: Record<string, string>;
  /** Sent as JSON; strings, bytes and forms as they are. */
  readonly body?: unknown;
}

export interface TestClock extends Clock {
  /** Moves the clock, also backwards. */
  advance(milliseconds: number): void;
}

export interface Service {
  readonly deps: Deps;
  readonly baseUrl: string;
  readonly clock: TestClock;
  readonly database: TestDatabase;
  /** Everything the server has logged. */
  logged(): string;
  request(method: string, path: string, sending?: Sending): Promise<Answer>;
  /** A user without a password. */
  makeUser(email?: string): Promise<{ id: string; email: string }>;
  makeApp(
    owner?: { id: string },
    app?: Partial<AppTraits>,
  ): Promise<{ id: string; ownerId: string; key: string }>;
  makeKey(appId: string, kind?: "full" | "intake"): Promise<string>;
  makeToken(owner: { id: string }, kind: "agent" | "maintainer", traits?: TokenTraits): Promise<string>;
  /** Headers of a browser signed in as the user. */
  signIn(user: { id: string }): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

interface AppTraits {
  readonly name: string;
  readonly feedbackEnabled: boolean;
  readonly changelogEnabled: boolean;
  readonly chatWebhookUrl: string | null;
}

interface TokenTraits {
  readonly scopes?: readonly string[];
  readonly appId?: string;
}

export interface ServiceOptions {
  readonly engine?: TestEngine;
  /** A database to share with another service. */
  readonly database?: TestDatabase;
  readonly environment?: Record<string, string>;
  readonly settings?: Partial<Settings>;
}

/** The real server on a free port of 127.0.0.1, on an empty database. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = options.database ?? (await (options.engine ?? sqlite).create());
  const folder = await removableFolder();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server);
  const settings = {
    ...readSettings({ port, data: folder.path }, options.environment ?? {}),
    ...options.settings,
  };
  const clock = createTestClock();
  const log = captureLog();
  const stopping = new AbortController();
  const opened = await database.open({ clock });
  const deps = createDeps(settings, opened, {
    clock,
    log: log.log,
    secret: randomName(),
    stopping: stopping.signal,
  });
  server.on("request", createApp(deps).callback());
  const outbox = startOutbox(deps);
  return {
    deps,
    clock,
    database,
    baseUrl: settings.baseUrl,
    logged: log.text,
    request: (method, path, sending) => request(settings.baseUrl, method, path, sending),
    ...createMakers(deps),
    async stop() {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await outbox.stop();
      if (options.database) await opened.close();
      else await database.remove();
      await folder.remove();
    },
  };
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address;
  throw new Error("The server does not listen.");
}

async function request(
  baseUrl: string,
  method: string,
  path: string,
  { headers, body }: Sending = {},
): Promise<Answer> {
  const raw = typeof body === "string" || body instanceof Uint8Array || body instanceof FormData;
  const json = body === undefined || raw ? {} : { "Content-Type": "application/json" };
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...json, ...headers },
    redirect: "manual",
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed = parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed,
    field: (path) => fieldOf(parsed, path),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldOf(body: unknown, path: string): string {
  let value = body;
  for (const step of path.split(".")) {
    value =
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([key]) => key === step)?.[1]
        : undefined;
  }
  if (typeof value !== "string") throw new Error(`There is no text at ${path} of ${JSON.stringify(body)}`);
  return value;
}

function createTestClock(): TestClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    get offsetMs() {
      return offset;
    },
    advance(milliseconds) {
      offset += milliseconds;
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

function createMakers({ database, clock, settings }: Deps) {
  const at = () => clock.now().toISOString();
  const makeUser = async (email = `${v7()}@example.org`) => {
    const user = { id: v7(), email };
    await database.insert("users", { ...user, password_hash: "", created_at: at() });
    return user;
  };
  const makeKey = async (appId: string, kind = "full") => {
    const key = mintCredential("sdk_");
    const row = {
      id: v7(),
      app_id: appId,
      label: "",
      kind,
      prefix: "sdk_",
      key_hash: hashOf(key),
      created_at: at(),
    };
    await database.insert("app_keys", row);
    return key;
  };
  return {
    makeUser,
    makeKey,
    async makeApp(owner?: { id: string }, app: Partial<AppTraits> = {}) {
      const ownerId = (owner ?? (await makeUser())).id;
      const id = v7();
      await database.write(async (tx) => {
        await tx.insert("apps", {
          id,
          owner_id: ownerId,
          name: app.name ?? "Demo",
          feedback_enabled: Number(app.feedbackEnabled ?? true),
          changelog_enabled: Number(app.changelogEnabled ?? true),
          chat_webhook_url: app.chatWebhookUrl ?? null,
          created_at: at(),
        });
        tx.signal(credentialsTopic);
      });
      return { id, ownerId, key: await makeKey(id) };
    },
    async makeToken(
      owner: { id: string },
      kind: "agent" | "maintainer",
      { scopes = [], appId }: TokenTraits = {},
    ) {
      const token = mintCredential(kind === "agent" ? "sda_" : "sdm_");
      await database.insert("tokens", {
        id: v7(),
        user_id: owner.id,
        kind,
        label: "test",
        scopes: JSON.stringify(scopes),
        app_id: appId ?? null,
        prefix: token.slice(0, 10),
        token_hash: hashOf(token),
        created_at: at(),
        created_by: "test",
      });
      return token;
    },
    async signIn(user: { id: string }) {
      const session = randomName();
      const expires = new Date(clock.now().getTime() + 30 * 86_400_000).toISOString();
      const row = { token_hash: hashOf(session), user_id: user.id, created_at: at(), expires_at: expires };
      await database.insert("sessions", row);
      return { cookie: `innkeep=${session}`, origin: settings.baseUrl };
    },
  };
}
