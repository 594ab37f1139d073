import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sweepFiles } from "../../../../server/files/store.ts";
import { databases, postgres } from "../../../support/database/databases.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import { filesIn } from "../../../support/files/temporary-folder.ts";
import {
  type Bucket,
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../../support/s3/object-store.ts";
import { makeDeployment } from "../../../support/service/deployment.ts";
import { type Service, startService } from "../../../support/service/service.ts";

describe.runIf(hasObjectStore)(`uploads in S3 (${needsObjectStore})`, () => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await startObjectStore();
  });
  afterAll(() => store.remove());

  const serve = async (bucket: Bucket | undefined, engine = databases[0]) => {
    const environment: Record<string, string> = bucket ? { INNKEEP_S3_URL: bucket.url } : {};
    const service = await startService({ ...(engine ? { engine } : {}), environment });
    onTestFinished(() => service.stop());
    return service;
  };
  const report = async (service: Service, key: string, image: string) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "It is cut off.", images: [image] },
    });
  const imageOf = async (service: Service) => {
    const name = await service.deps.database.get<{ name: string }>("SELECT name FROM uploads");
    return `/uploads/${name?.name}`;
  };

  it.each(databases)(
    "are served in the same way as from a folder, with the same headers, on $name",
    async (engine) => {
      const bucket = await store.makeBucket();
      const picture = png(200_000);
      const services = [await serve(undefined, engine), await serve(bucket, engine)];
      const sides = [];
      for (const service of services) {
        const { key } = await service.makeApp();
        expect((await report(service, key, dataUrl(picture))).status).toBe(201);
        sides.push({ baseUrl: service.baseUrl, path: await imageOf(service) });
      }
      const etag = (await fetch(`${sides[0]?.baseUrl}${sides[0]?.path}`)).headers.get("etag") ?? "";
      const asked: [string, Record<string, string>][] = [
        ["GET", {}],
        ["HEAD", {}],
        ["GET", { "if-none-match": etag }],
        ["GET", { "if-none-match": '"other"' }],
        ["HEAD", { range: "bytes=0-9" }],
        ["OPTIONS", {}],
        ["POST", {}],
        ...[
          "bytes=0-9",
          "bytes=199990-",
          "bytes=-7",
          "bytes=0-",
          "bytes=200000-",
          "bytes=9-2",
          "bytes=0-1,4-5",
          "lines=1-2",
        ].map((range): [string, Record<string, string>] => ["GET", { range }]),
        ["GET", { range: "bytes=0-9", "if-range": etag }],
        ["GET", { range: "bytes=0-9", "if-range": '"other"' }],
      ];
      for (const [method, headers] of asked) {
        const answers = await Promise.all(
          sides.map(async ({ baseUrl, path }) => {
            const answer = await fetch(baseUrl + path, { method, headers });
            const { date, "x-request-id": id, ...kept } = Object.fromEntries(answer.headers);
            const named = JSON.stringify(kept).replaceAll(path.slice("/uploads/".length), "NAME");
            const bytes = Buffer.from(await answer.arrayBuffer());
            return { status: answer.status, named, bytes: answer.ok ? bytes.toString("hex") : "" };
          }),
        );
        expect(answers[1], `${method} ${JSON.stringify(headers)}`).toEqual(answers[0]);
      }
    },
  );

  it("are all served by a server whose folder is new each time", async () => {
    const bucket = await store.makeBucket("inn");
    const deployment = await makeDeployment(postgres, bucket.url);
    onTestFinished(() => deployment.remove());
    const first = await deployment.serve();
    const { key } = await first.makeApp();
    await report(first, key, dataUrl(png(5_000)));
    const path = await imageOf(first);
    await first.stop();
    expect((await filesIn(deployment.data)).filter((file) => !file.endsWith(".lock"))).toEqual([]);
    await rm(deployment.data, { recursive: true });
    const second = await deployment.serve();
    onTestFinished(() => second.stop());
    expect((await fetch(second.baseUrl + path)).status).toBe(200);
    expect((await report(second, key, dataUrl(png(6_000)))).status).toBe(201);
  });

  it("are deleted with their thread, and a file that another thread has is kept", async () => {
    const bucket = await store.makeBucket();
    const service = await serve(bucket);
    const owner = await service.makeUser();
    const { key } = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const [one, two] = [dataUrl(png(1_000)), dataUrl(png(2_000))];
    const first = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { type: "bug", message: "Both.", images: [one, two] },
    });
    await report(service, key, one);
    await service.request("DELETE", `/api/v1/console/feedback/${first.field("id")}`, {
      headers: { ...headers, "if-match": "*" },
    });
    await expect.poll(() => bucket.names()).toHaveLength(2);
    expect(await bucket.names()).toContain("deployment");
  });

  it("are deleted at night if nothing refers to them, except those of the last hour", async () => {
    const bucket = await store.makeBucket();
    const service = await serve(bucket);
    await service.makeApp();
    const stray = `files/${"a".repeat(64)}`;
    await bucket.request("PUT", stray, "left by a killed server");
    expect(await sweepFiles(service.deps)).toBe(0);
    const later = {
      ...service.deps.files,
      settled: async function* () {
        yield ["a".repeat(64)];
      },
    };
    expect(await sweepFiles({ ...service.deps, files: later })).toBe(1);
    expect(await bucket.names()).toEqual(["deployment"]);
  });

  it("are no longer downloaded from the storage after the client disconnects", async () => {
    const bucket = await store.makeBucket();
    const service = await serve(bucket);
    const { key } = await service.makeApp();
    expect((await report(service, key, dataUrl(png(2_000_000)))).status).toBe(201);
    const path = await imageOf(service);
    for (let round = 0; round < 150; round += 1) {
      const leaving = new AbortController();
      const answer = await fetch(service.baseUrl + path, { signal: leaving.signal });
      leaving.abort();
      await answer.body?.cancel().catch(() => undefined);
    }
    const answer = await fetch(service.baseUrl + path);
    expect((await answer.arrayBuffer()).byteLength).toBe(2_000_000);
  });

  it("leave no object and no file if the request ends without a report", async () => {
    const bucket = await store.makeBucket();
    const service = await serve(bucket);
    const { key } = await service.makeApp();
    const refused = await service.request("POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": key },
      body: { message: "", images: [dataUrl(png(1_000))] },
    });
    expect(refused.status).toBe(400);
    expect(await bucket.names()).toEqual(["deployment"]);
    expect(await filesIn(join(service.deps.settings.data, "files"))).toEqual([]);
    expect((await stat(join(service.deps.settings.data, "files", "temporary"))).mode & 0o777).toBe(0o700);
  });
});
