import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { databases, postgres } from "../../support/database/databases.ts";
import { volumeKinds } from "../../support/database/full-volume.ts";
import { pdf } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { type SendingReports, sha256Of, startSending } from "../../support/load/sending-reports.ts";
import { startInnkeep } from "../../support/programs/built-program.ts";
import {
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../support/s3/object-store.ts";
import { faultsOf } from "../../support/service/refusals.ts";
import { request } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** The rule is five seconds. This machine may be busy. */
const longestMs = 20_000;
const patience = { timeout: 60_000 };
const senders = 4;
const kinds = await volumeKinds();

describe.runIf(hasObjectStore)(`S3 storage that fails (${needsObjectStore})`, () => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await startObjectStore();
  });
  afterAll(() => store.remove());

  const serve = async (engine = databases[0]) => {
    const bucket = await store.makeBucket();
    const environment = { INNKEEP_S3_URL: bucket.url, INNKEEP_RATE_LIMITS: "off" };
    const service = await startService({ ...(engine ? { engine } : {}), environment });
    onTestFinished(() => service.stop());
    const { key } = await service.makeApp();
    const post = (path: string, body: unknown) =>
      service.request("POST", `/api/v1${path}`, {
        headers: { "x-api-key": key },
        body,
        signal: AbortSignal.timeout(longestMs),
      });
    return { service, post };
  };

  const expectStored = async ({ deps, baseUrl }: Service, accepted: SendingReports["accepted"]) => {
    const rows = await deps.database.all<{ name: string; sha256: string; id: string }>(
      "SELECT name, sha256, feedback_id AS id FROM uploads",
    );
    const stored = new Set(rows.map(({ id, sha256 }) => `${id} ${sha256}`));
    expect(accepted.filter(({ id, sha256 }) => !stored.has(`${id} ${sha256}`))).toEqual([]);
    for (const { name, sha256 } of rows) {
      const answer = await fetch(`${baseUrl}/uploads/${name}`);
      expect(answer.status, name).toBe(200);
      expect(sha256Of(new Uint8Array(await answer.arrayBuffer()))).toBe(sha256);
    }
    await expect.poll(() => filesIn(join(deps.settings.data, "files", "temporary"))).toEqual([]);
  };

  const outages = [
    { name: "hangs", begin: async () => store.hang(), end: async () => store.goOn() },
    { name: "is killed", begin: () => store.kill(), end: () => store.start() },
  ];
  const cases = databases.flatMap((engine) =>
    outages.map((outage) => ({ engine, outage, on: engine.name, what: outage.name })),
  );

  it.each(cases)(
    "refuses uploads temporarily while it $what, and no accepted upload is lost, on $on",
    {
      timeout: 240_000,
    },
    async ({ engine, outage }) => {
      const { service, post } = await serve(engine);
      const sending = startSending({ senders, post: (body) => post("/feedback/remote", body) });
      onTestFinished(sending.end);
      for (let round = 1; round <= 2; round += 1) {
        const before = sending.accepted.length;
        await expect.poll(() => sending.accepted.length, patience).toBeGreaterThan(before + senders);
        const refusedBefore = sending.refused();
        await outage.begin();
        try {
          await expect.poll(sending.refused, patience).toBeGreaterThan(refusedBefore + 2 * senders);
          const goOn = [
            { path: "/feedback/remote", body: { type: "bug", message: "Without a picture." } },
            { path: "/faqs/remote", body: { question: `Why ${round}?`, answer: "It has failed." } },
          ];
          for (const { path, body } of goOn)
            await expect.poll(async () => (await post(path, body)).status, patience).toBe(201);
        } finally {
          await outage.end();
        }
        const acceptedBefore = sending.accepted.length;
        await expect.poll(() => sending.accepted.length, patience).toBeGreaterThan(acceptedBefore + senders);
      }
      await sending.end();
      expect(sending.faults).toEqual([]);
      await expectStored(service, sending.accepted);
    },
  );

  it.each(kinds)(
    "does not prevent reports without files, even if there is no space for temporary files: $name",
    {
      timeout: 240_000,
    },
    async (kind) => {
      const volume = await kind.create();
      onTestFinished(() => volume.remove());
      const { address, remove } = await postgres.create();
      onTestFinished(remove);
      const { url: bucketUrl } = await store.makeBucket();
      const url = "url" in address ? address.url : "";
      const data = join(volume.folder, "data");
      const { ready, child, kill } = await startInnkeep(
        ["--demo", "--port", "0", "--data", data, "--database-url", url],
        { INNKEEP_RATE_LIMITS: "off", INNKEEP_SECRET: "s".repeat(32), INNKEEP_S3_URL: bucketUrl },
      );
      onTestFinished(kill);
      const post = (fields: Record<string, string>, bytes?: Buffer) => {
        const form = new FormData();
        for (const [name, value] of Object.entries({ type: "bug", ...fields })) form.set(name, value);
        if (bytes)
          form.append("attachments", new Blob([new Uint8Array(bytes)], { type: "application/pdf" }), "a.pdf");
        const headers = { "x-api-key": ready.demo.apiKey };
        return request(ready.baseUrl, "POST", "/api/v1/feedback/remote", { headers, body: form });
      };
      const { bytes } = pdf(3_000_000);
      const sendFile = () => post({ message: "With a document." }, bytes);
      expect((await sendFile()).status).toBe(201);
      const pid = child.pid ?? 0;
      await volume.fill(pid);
      const refused = await sendFile();
      expect(refused.status).toBe(503);
      expect(faultsOf(refused)).toEqual([]);
      expect((await post({ message: "Without a document." })).status).toBe(201);
      await expect.poll(() => filesIn(join(data, "files"))).toEqual([]);
      await volume.free(pid);
      await expect.poll(async () => (await sendFile()).status, patience).toBe(201);
      await expect.poll(() => filesIn(join(data, "files"))).toEqual([]);
    },
  );
});
