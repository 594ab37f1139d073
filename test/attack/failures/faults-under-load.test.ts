import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../server/database/open.ts";
import { quickFolder } from "../../support/files/quick-folder.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import {
  type AcceptedReport,
  type SendingReports,
  sha256Of,
  startSending,
} from "../../support/load/sending-reports.ts";
import { type StoppableProxy, stoppableProxy } from "../../support/network/stoppable-proxy.ts";
import { type PostgresCluster, startPostgresCluster } from "../../support/postgres/postgres-cluster.ts";
import { innkeep, startInnkeep } from "../../support/programs/built-program.ts";
import {
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../support/s3/object-store.ts";
import { request } from "../../support/service/request.ts";
import { quietGoal } from "../../support/torture.ts";

const backMs = quietGoal(2_000);
const patience = { timeout: 90_000 };
const senders = 6;
const slowMs = 100;

/** Two servers that share a database and a file store, and the proxies before both. */
interface Deployment {
  readonly cluster: PostgresCluster;
  readonly store: ObjectStore;
  readonly toDatabase: StoppableProxy;
  readonly toStore: StoppableProxy;
  /** The addresses of both servers. A new start changes the address. */
  readonly addresses: readonly [() => string, () => string];
  readonly apiKey: string;
  readonly maintainerToken: string;
  /** The fault affects only the second server. */
  signal(signal: NodeJS.Signals): void;
  restart(): Promise<void>;
  readonly databaseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Fault {
  readonly what: string;
  begin(deployment: Deployment): unknown;
  end(deployment: Deployment): unknown;
  /** Whether reports with pictures are refused during the fault. A slow part causes no refusals. */
  readonly refuses?: boolean;
}

const faults: readonly Fault[] = [
  {
    what: "one server is killed",
    begin: ({ signal }) => signal("SIGKILL"),
    end: ({ restart }) => restart(),
    refuses: true,
  },
  {
    what: "one server hangs",
    begin: ({ signal }) => signal("SIGSTOP"),
    end: ({ signal }) => signal("SIGCONT"),
    refuses: true,
  },
  {
    what: "PostgreSQL is killed",
    begin: ({ cluster }) => cluster.crash(),
    end: ({ cluster }) => cluster.start(),
    refuses: true,
  },
  {
    what: "PostgreSQL hangs",
    begin: ({ cluster }) => cluster.hang(),
    end: ({ cluster }) => cluster.goOn(),
    refuses: true,
  },
  {
    what: "PostgreSQL is slow",
    begin: ({ toDatabase }) => toDatabase.delay(slowMs),
    end: ({ toDatabase }) => toDatabase.delay(0),
  },
  {
    what: "the S3 store is killed",
    begin: ({ store }) => store.kill(),
    end: ({ store }) => store.start(),
    refuses: true,
  },
  {
    what: "the S3 store hangs",
    begin: ({ store }) => store.hang(),
    end: ({ store }) => store.goOn(),
    refuses: true,
  },
  {
    what: "the S3 store is slow",
    begin: ({ toStore }) => toStore.delay(slowMs),
    end: ({ toStore }) => toStore.delay(0),
  },
];

describe.runIf(hasObjectStore)(`two servers under load (${needsObjectStore})`, () => {
  let cluster: PostgresCluster;
  let store: ObjectStore;
  beforeAll(async () => {
    [cluster, store] = await Promise.all([startPostgresCluster({ parent: quickFolder }), startObjectStore()]);
  });
  afterAll(() => Promise.all([cluster.remove(), store.remove()]));

  it.each(faults)(
    "lose no confirmed write, refuse without partial writes, and recover if $what",
    { timeout: 300_000 },
    async ({ what, begin, end, refuses }) => {
      const deployment = await deploy(cluster, store);
      const sending = startSending({ senders, post: poster(deployment) });
      onTestFinished(sending.end);
      await acceptMore(sending, 3 * senders);

      const refusedBefore = sending.refused();
      await begin(deployment);
      try {
        if (refuses) await expect.poll(sending.refused, patience).toBeGreaterThan(refusedBefore + senders);
        else await acceptMore(sending, 2 * senders);
      } finally {
        await end(deployment);
      }

      const tookMs = await untilBothAccept(deployment);
      process.stdout.write(`${what}: both servers accept reports again after ${tookMs.toFixed(0)} ms\n`);
      expect(tookMs).toBeLessThan(backMs);
      await acceptMore(sending, 3 * senders);
      await sending.end();
      expect(sending.faults).toEqual([]);
      await expectStoredOnce(deployment, sending.accepted);
      const { databaseUrl, environment } = deployment;
      const check = ["admin", "check", "--data", await temporaryFolder(), "--database-url", databaseUrl];
      expect(await innkeep(check, { env: environment })).toMatchObject({ code: 0 });
    },
  );
});

async function deploy(cluster: PostgresCluster, store: ObjectStore): Promise<Deployment> {
  const bucket = await store.makeBucket();
  const toStore = await proxyOf(bucket.url);
  const databaseUrl = await cluster.createDatabase();
  const toDatabase = await proxyOf(databaseUrl);
  const environment = {
    INNKEEP_RATE_LIMITS: "off",
    INNKEEP_SECRET: "s".repeat(32),
    INNKEEP_S3_URL: toStore.url,
  };
  const start = async (...more: string[]) => {
    const folder = ["--data", await temporaryFolder(), "--database-url", toDatabase.url];
    const server = await startInnkeep([...more, "--port", "0", ...folder], environment);
    onTestFinished(server.kill);
    return server;
  };
  const first = await start("--demo");
  let second = await start();
  return {
    cluster,
    store,
    toDatabase: toDatabase.proxy,
    toStore: toStore.proxy,
    addresses: [() => first.ready.baseUrl, () => second.ready.baseUrl],
    ...first.ready.demo,
    signal: (signal) => void second.child.kill(signal),
    async restart() {
      second = await start();
    },
    databaseUrl,
    environment,
  };
}

/** The same address, through a proxy. */
async function proxyOf(address: string) {
  const url = new URL(address);
  const proxy = await stoppableProxy(Number(url.port));
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

/** Sends each report to one server after the other until one accepts it, with the same key, as correct apps do. */
function poster({ addresses, apiKey }: Deployment) {
  const run = randomUUID();
  let turn = 0;
  return async (body: unknown, number: number) => {
    turn += 1;
    const address = addresses[turn % 2 === 0 ? 0 : 1]();
    const headers = { "x-api-key": apiKey, "idempotency-key": `${run} ${number}` };
    const signal = AbortSignal.timeout(8_000);
    const sent = request(address, "POST", "/api/v1/feedback/remote", { headers, body, signal });
    return sent.catch(() => undefined);
  };
}

async function acceptMore({ accepted }: SendingReports, count: number): Promise<void> {
  const before = accepted.length;
  await expect.poll(() => accepted.length, patience).toBeGreaterThanOrEqual(before + count);
}

/** The milliseconds until each server has accepted a report. */
async function untilBothAccept({ addresses, apiKey }: Deployment): Promise<number> {
  const began = performance.now();
  const headers = { "x-api-key": apiKey };
  const body = { type: "bug", message: "Is it back?" };
  const accepts = async (address: () => string) => {
    const signal = AbortSignal.timeout(1_000);
    const sent = request(address(), "POST", "/api/v1/feedback/remote", { headers, body, signal });
    return sent.then(
      ({ status }) => status,
      () => 0,
    );
  };
  for (const address of addresses) await expect.poll(() => accepts(address), patience).toBe(201);
  return performance.now() - began;
}

/** Expects that each report is stored exactly once, with the picture that was sent. */
async function expectStoredOnce(
  { addresses: [address], maintainerToken, databaseUrl }: Deployment,
  accepted: readonly AcceptedReport[],
): Promise<void> {
  const headers = { authorization: `Bearer ${maintainerToken}` };
  const missing: string[] = [];
  for (const { id, message, sha256 } of accepted) {
    const thread = await request(address(), "GET", `/api/v1/console/feedback/${id}`, { headers });
    const [, picture = ""] = /"(http[^"]*\/uploads\/[^"]*)"/.exec(thread.text) ?? [];
    const bytes =
      picture && (await (await fetch(picture.replace(/^.*(?=\/uploads\/)/, address()))).arrayBuffer());
    if (!thread.text.includes(message) || !bytes || sha256Of(new Uint8Array(bytes)) !== sha256)
      missing.push(`${message} ${thread.status}`);
  }
  expect(missing).toEqual([]);
  const database = await openDatabase({ url: databaseUrl }, { migrations: "none" });
  const twice = "SELECT body FROM messages WHERE body LIKE 'Report %' GROUP BY body HAVING COUNT(*) > 1";
  expect(await database.all(twice)).toEqual([]);
  await database.close();
}
