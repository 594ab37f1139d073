import { expect, it, onTestFinished } from "vitest";
import { createClient, ServerError, withEtag } from "../../src/index.ts";
import { listen } from "../support/network/recording-server.ts";
import { startService } from "../support/service/service.ts";

it("a program can replace the FAQ that it has read, and is refused after somebody else changed the FAQ", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const app = await service.makeApp();
  const { faqs } = createClient({ baseUrl: service.baseUrl, credentials: { appKey: app.key } });
  await faqs.create({ body: { question: "A?", answer: "A." } });
  const { answer, etag } = await withEtag((options) => faqs.list(options));
  expect(answer.map(({ question }) => question)).toEqual(["A?"]);
  const wanted = [...answer.map(({ id }) => ({ id })), { question: "B?", answer: "B." }];
  const replaced = await faqs.replace({ body: { faqs: wanted }, ifMatch: etag });
  expect(replaced.map(({ question }) => question)).toEqual(["A?", "B?"]);
  const late = faqs.replace({ body: { faqs: [] }, ifMatch: etag });
  await expect(late).rejects.toMatchObject({ status: 412, code: "precondition_failed" });
  await expect(late).rejects.toBeInstanceOf(ServerError);
});

it("the ETag is undefined if the server sends none, and a failed call throws an error", async () => {
  const baseUrl = await listen(({ url }, response) => {
    if (url?.endsWith("faqs/remote")) return void response.end("[]");
    response.writeHead(404).end("{}");
  });
  const client = createClient({ baseUrl, credentials: { appKey: "sdk_a" } });
  const read = await withEtag((options) => client.faqs.list({ ...options, ifMatch: undefined }));
  expect(read).toEqual({ answer: [], etag: undefined });
  const failed = withEtag((options) => client.changelog.list(options));
  await expect(failed).rejects.toMatchObject({ status: 404 });
});
