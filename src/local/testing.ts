/// <reference lib="esnext.disposable" preserve="true" />

import { request } from "node:http";
import { resolve } from "node:path";
import { isObject } from "../contract/json.ts";
import { isoDuration } from "./clock-move.ts";
import { clientVariables, serverEnvironment, serverSettings, startServerProcess } from "./server-process.ts";

/** The folder of the built file. The build replaces this name according to the module format. */
declare const BUILT_FOLDER: string;

/** The built file of the server. */
const serverProgram = `${BUILT_FOLDER}/dev-server.cjs`;

/** The content of a new server. Names and values are those of the API. */
export interface Seed {
  readonly apps: readonly {
    readonly name: string;
    readonly githubRepository?: string | null;
    readonly faqs?: readonly { question: string; answer: string; sortOrder?: number }[];
    /** The release notes. A release note without `publish` and without `publishedAt` is a draft. */
    readonly changelog?: readonly {
      title: string;
      version: string;
      body?: string;
      items?: readonly { type: string; text: string }[];
      publish?: boolean;
      publishedAt?: string;
    }[];
    readonly feedback?: readonly {
      type: "bug" | "feature" | "question" | "general";
      message: string;
      subject?: string;
      name?: string;
      email?: string;
      source?: string;
      metadata?: Record<string, unknown>;
      dedupeKey?: string;
    }[];
  }[];
}

export interface StartOptions {
  /** The content of the server: a JSON or YAML file, or an object. Default: the demo app. */
  readonly seed?: string | Seed;
  /** The time at which the clock starts; the real time by default. */
  readonly now?: string | Date;
  /** Settings of the server, such as `{ INNKEEP_RATE_LIMITS: "on" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Makes the next requests to a path fail or wait. */
export interface Fault {
  /** This path and all paths below it. */
  readonly path: string;
  /** The HTTP status of the answer, from 400 to 599. */
  readonly status?: number;
  /** An error code of the API, such as `device_taken`. */
  readonly code?: string;
  /** The number of requests that fail or wait; 1 by default. */
  readonly times?: number;
  /** The number of milliseconds that each request waits before its answer. */
  readonly delayMs?: number;
}

/** A message that the server would have sent. */
export interface CapturedMessage {
  readonly id: string;
  readonly kind: string;
  readonly appId: string;
  readonly subjectId: string;
  readonly target: string;
  readonly payload: unknown;
  readonly status: string;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

/** A development server in a separate process. */
export interface Innkeep {
  readonly baseUrl: string;
  readonly consoleUrl: string;
  /** The account that owns the apps. */
  readonly email: string;
  readonly password: string;
  /** The first app and its key. */
  readonly appId: string;
  readonly apiKey: string;
  readonly apps: readonly { readonly id: string; readonly name: string; readonly apiKey: string }[];
  readonly agentToken: string;
  readonly maintainerToken: string;
  /** The device token of a tester in a running test, and the test key of the slot of this tester. */
  readonly deviceToken: string;
  readonly testKey: string;
  /** The id of a thread with an agent's proposal, and the id of this proposal. Not set with a seed. */
  readonly threadId?: string;
  readonly runId?: string;
  /** The addresses and keys as variables, for a program under test. */
  readonly env: Readonly<Record<string, string>>;
  /** The server's time. */
  now(): Promise<Date>;
  /**
   * Moves the clock (by `1d`, `-2h30m`, `P1D` or milliseconds) and applies due changes. Resolves to the new
   * time.
   */
  advance(duration: string | number): Promise<Date>;
  /** Sets the clock of the server. The clock continues from this time. Resolves to the new time. */
  setTime(instant: string | Date): Promise<Date>;
  /** Makes the next requests to a path fail or wait. */
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** The messages that would have been sent, newest first. */
  messages(): Promise<CapturedMessage[]>;
  /** Resets the server to the real time and the seed, without faults. Keys and tokens do not change. */
  reset(): Promise<void>;
  /** Saves the database, the files and the clock under a name. */
  saveSnapshot(name: string): Promise<void>;
  /** Restores the database, the files and the clock from the snapshot with this name. */
  loadSnapshot(name: string): Promise<void>;
  /** Ends the server and removes its data. Without this call, the server ends when this process ends. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a server without rate limits, which ends with this process. Throws an Error, or a TypeError for
 * invalid options.
 */
export async function startInnkeep(options: StartOptions = {}): Promise<Innkeep> {
  assertOptions(options);
  const { seed, now, settings } = options;
  const server = await startServerProcess({
    program: serverProgram,
    seed: typeof seed === "string" ? resolve(seed) : seed,
    environment: serverEnvironment({ ...process.env, ...settings }),
  });
  const innkeep = control(server.ready.baseUrl);
  const { demo, baseUrl, consoleUrl } = server.ready;
  if (now !== undefined) {
    await innkeep.setTime(now).catch(async (error) => {
      await server.stop();
      throw error;
    });
  }
  return {
    ...demo,
    baseUrl,
    consoleUrl,
    env: clientVariables(server.ready),
    ...innkeep,
    stop: server.stop,
    [Symbol.asyncDispose]: server.stop,
  };
}

/** Returns the functions that control a server through the endpoints under `/dev`. */
function control(baseUrl: string) {
  const move = async (body: object) =>
    new Date((await call<{ now: string }>(baseUrl, "POST", "/dev/clock", body)).now);
  return {
    now: () => move({ advance: "PT0S" }),
    async advance(duration: string | number) {
      const given =
        typeof duration === "number"
          ? `${duration < 0 ? "-" : ""}PT${Math.abs(duration) / 1_000}S`
          : duration;
      const advance = isoDuration(given);
      if (advance === undefined)
        throw new TypeError(`${given} is not a length of time such as 1d, -2h30m or P1D.`);
      return move({ advance });
    },
    setTime: async (instant: string | Date) => move({ set: instantOf(instant) }),
    async addFault(fault: Fault) {
      await call(baseUrl, "POST", "/dev/faults", fault);
    },
    clearFaults: () => call<void>(baseUrl, "DELETE", "/dev/faults"),
    messages: async () => (await call<{ items: CapturedMessage[] }>(baseUrl, "GET", "/dev/outbox")).items,
    async saveSnapshot(name: string) {
      await call(baseUrl, "POST", "/dev/snapshots", { name });
    },
    async loadSnapshot(name: string) {
      await call(baseUrl, "POST", `/dev/snapshots/${encodeURIComponent(name)}/load`);
    },
    async reset() {
      await call(baseUrl, "POST", "/dev/reset");
    },
  };
}

const known = ["seed", "now", "settings"];

/** Throws a TypeError that lists every fault, such as an unknown option. */
function assertOptions(options: unknown): void {
  const faults = isObject(options) ? faultsOf(options) : ["The options must be an object."];
  if (faults.length > 0) throw new TypeError(faults.join("\n"));
}

/** Returns the instant of a text or a Date in ISO 8601. Throws a TypeError for any other value. */
function instantOf(given: string | Date): string {
  if (isInstant(given)) return new Date(given).toISOString();
  throw new TypeError(notInstant(given));
}

function faultsOf({ seed, now, settings = {}, ...others }: Record<string, unknown>): string[] {
  return [
    ...Object.keys(others).map((name) => `There is no option ${name}. The options are ${known.join(", ")}.`),
    ...(seed === undefined || typeof seed === "string" || isObject(seed)
      ? []
      : ["`seed` must be an object or the path of a file."]),
    ...(now === undefined || isInstant(now) ? [] : [notInstant(now)]),
    ...(isObject(settings)
      ? Object.entries(settings).flatMap(settingFaults)
      : ["`settings` must be an object."]),
  ];
}

function settingFaults([name, value]: [string, unknown]): string[] {
  if (!serverSettings.includes(name))
    return [
      `A server for tests does not accept the setting ${name}. It accepts ${serverSettings.join(", ")}.`,
    ];
  return value === undefined || typeof value === "string" ? [] : [`The setting ${name} must be a string.`];
}

const isInstant = (given: unknown): boolean =>
  (typeof given === "string" || given instanceof Date) && !Number.isNaN(new Date(given).getTime());

const notInstant = (given: unknown): string =>
  `${String(given)} is not an instant such as 2031-03-01T09:00:00Z.`;

/**
 * Calls an endpoint under `/dev`. Uses `node:http`, because tests often replace `fetch`. Throws an Error if the server
 * refuses.
 */
async function call<Answer>(
  baseUrl: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sending = request(`${baseUrl}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    sending.on("error", reject);
    sending.end(text);
  });
  const value = answer.text === "" ? undefined : JSON.parse(answer.text);
  if (answer.status < 400) return value;
  const issues: { path: string; message: string }[] = value?.issues ?? [];
  const faults = issues.map((issue) => `\n  ${issue.path} ${issue.message}`).join("");
  throw new Error(`${method} ${path} answered ${answer.status}: ${value?.error}${faults}`);
}
