import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { shortTransport } from "../../../src/client/transport.ts";
import {
  type CommandLine,
  type CommandLineOptions,
  createCommandLine,
  type Ran,
} from "../clients/command-line.ts";
import { type Service, startService } from "../service/service.ts";

/** A checkout of FAQ files on a machine that has the key of an app. */
export interface FaqCheckout {
  readonly line: CommandLine;
  /** The methods of the requests that commands sent, in their order. */
  readonly sent: string[];
  run(words: string, options?: CommandLineOptions): Promise<Ran>;
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  /** The names of all files in `faq`, without the state file. */
  names(): Promise<string[]>;
  /** All files, by name. */
  all(): Promise<Record<string, string>>;
}

export async function makeCheckout(env: Readonly<Record<string, string>>): Promise<FaqCheckout> {
  const line = await createCommandLine(env);
  const sent: string[] = [];
  const transport: ReturnType<typeof shortTransport> = (request) => {
    sent.push(request.method);
    return shortTransport()(request);
  };
  const names = async () => {
    const found = await readdir(line.cwd, { recursive: true, withFileTypes: true });
    return found
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(line.cwd.length + 1))
      .sort();
  };
  const read = (name: string) => readFile(join(line.cwd, name), "utf8");
  return {
    line,
    sent,
    run: (words, options = {}) =>
      line.run(words.split(" "), { ...options, world: { transport, ...options.world } }),
    async write(name, text) {
      await mkdir(dirname(join(line.cwd, name)), { recursive: true });
      await writeFile(join(line.cwd, name), text);
    },
    read,
    names: async () => (await names()).filter((name) => !name.includes(".innkeep-faq.json")),
    async all() {
      const found = await names();
      return Object.fromEntries(await Promise.all(found.map(async (name) => [name, await read(name)])));
    },
  };
}

/** The same files on another machine, as a fresh checkout has them. */
export async function cloneOf(
  checkout: FaqCheckout,
  env: Readonly<Record<string, string>>,
): Promise<FaqCheckout> {
  const clone = await makeCheckout(env);
  for (const [name, text] of Object.entries(await checkout.all())) await clone.write(name, text);
  return clone;
}

/** An app with an owner, and a checkout that has its key. */
export async function makeAppWithFaqFiles(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const env = { INNKEEP_BASE_URL: service.baseUrl, INNKEEP_API_KEY: app.key };
  const person = await service.signIn(owner);
  const call = (method: string, path: string, body?: object) =>
    service.request(method, path, { headers: { "x-api-key": app.key }, ...(body && { body }) });
  const list = async () => [(await call("GET", "/api/v1/faqs/remote")).body].flat().map(entryOf);
  return {
    app,
    owner,
    env,
    checkout: await makeCheckout(env),
    list,
    create: async (question: string, answer = "So.", more: object = {}) =>
      (await call("POST", "/api/v1/faqs/remote", { question, answer, ...more })).field("id"),
    /** A person changes an entry in the console. */
    edit: (id: string, body: object) =>
      service.request("PATCH", `/api/v1/console/faqs/${id}`, { headers: person, body }),
    remove: (id: string) => call("DELETE", `/api/v1/faqs/remote/${id}`),
  };
}

export type AppWithFaqFiles = Awaited<ReturnType<typeof makeAppWithFaqFiles>>;

/**
 * Registers the hooks of a file of tests: one server for all of them. Calls `begin` before each test with a new app and
 * its FAQ files.
 */
export function withFaqFiles(
  begin: (world: AppWithFaqFiles, service: Service) => Promise<void> | void,
): void {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => begin(await makeAppWithFaqFiles(service), service));
  afterAll(() => service.stop());
}

const entryOf = (value: unknown) => {
  const { id, question, answer, sortOrder } = Object(value);
  return { id: String(id), question: String(question), answer: String(answer), sortOrder: Number(sortOrder) };
};

/** A Markdown file of an entry. */
export const markdown = (fields: Readonly<Record<string, string | number>>, answer: string): string =>
  `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join("")}---\n${answer}\n`;
