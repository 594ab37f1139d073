import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";

const run = promisify(execFile);
const MB = 1_048_576;
const path = "/api/v1/feedback/remote";
const proofPath = "/api/v1/testing/proofs";

const exists = async (program: string): Promise<boolean> =>
  run(program, ["--version"]).then(
    () => true,
    () => false,
  );

describe("a refusal that is sent before the body is read", () => {
  let service: Service;
  let spent: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "feedback=1/3600" } });
    spent = (await service.makeApp()).key;
    await service.request("POST", path, {
      headers: { "x-api-key": spent },
      body: { type: "bug", message: "The only one." },
    });
  });
  afterAll(() => service.stop());

  const picture = (bytes: number) =>
    JSON.stringify({ type: "bug", message: "See the picture.", images: ["A".repeat(bytes)] });
  const json = { "content-type": "application/json" };
  const proof = () => {
    const form = new FormData();
    form.append("dayIndex", "1");
    form.append("images", new Blob([Buffer.alloc(300, 7)], { type: "image/png" }), "day.png");
    return form;
  };

  it.each([
    [
      401,
      "a proof with a bad token",
      proofPath,
      () => ({ headers: { authorization: "Bearer x" }, body: proof() }),
    ],
    [
      401,
      "a picture of 1 MB with a bad key",
      path,
      () => ({ headers: { ...json, "x-api-key": "x" }, body: picture(MB) }),
    ],
    [
      429,
      "a picture of 1 MB over the limit",
      path,
      () => ({ headers: { ...json, "x-api-key": spent }, body: picture(MB) }),
    ],
    [404, "2 MB to an unknown address", "/api/v1/nothing", () => ({ headers: json, body: picture(2 * MB) })],
  ])("is received by fetch: %d for %s", async (status, _, to, sending) => {
    const send = () => fetch(service.baseUrl + to, { method: "POST", ...sending() });
    for (let n = 0; n < rounds(25, 400); n += 1) {
      const answer = await send();
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ code: expect.any(String) });
    }
  });

  it("is received by fetch: 413 for a body of 60 MB", async () => {
    const body = picture(60 * MB);
    for (let n = 0; n < rounds(3, 40); n += 1) {
      const answer = await fetch(service.baseUrl + path, {
        method: "POST",
        headers: { ...json, "x-api-key": (await service.makeApp()).key },
        body,
      });
      expect(answer.status).toBe(413);
    }
  });

  it("is received by Python's http.client, which sends everything before it reads", async () => {
    if (!(await exists("python3"))) return;
    const program = `
import http.client, sys
statuses = []
for n in range(${rounds(5, 100)}):
    for size in (4_000_000, 20_000_000):
        connection = http.client.HTTPConnection("127.0.0.1", ${new URL(service.baseUrl).port})
        connection.request("POST", "${path}", b"x" * size, {"x-api-key": "x", "content-type": "application/json"})
        statuses.append(connection.getresponse().status)
print(sorted(set(statuses)))
`;
    expect((await run("python3", ["-c", program])).stdout.trim()).toBe("[401]");
  });

  it("is received by curl", async () => {
    if (!(await exists("curl"))) return;
    for (let n = 0; n < rounds(5, 100); n += 1) {
      const argv = ["-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", "x-api-key: x", "-H", "expect:"];
      const sending = ["-H", "content-type: application/json", "--data-binary", "@-", service.baseUrl + path];
      const curl = run("curl", [...argv, ...sending]);
      curl.child.stdin?.end(Buffer.alloc(4_000_000, 120));
      expect((await curl).stdout).toBe("401");
    }
  });

  it("is followed by the end of the connection", async () => {
    const answer = await fetch(service.baseUrl + path, {
      method: "POST",
      headers: { ...json, "x-api-key": "x" },
      body: picture(MB),
    });
    expect(answer.headers.get("connection")).toBe("close");
  });
});
