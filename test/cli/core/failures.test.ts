import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import {
  type Answering,
  answers,
  hangsUp,
  listen,
  startRecordingServer,
} from "../../support/network/recording-server.ts";

const env = { INNKEEP_API_KEY: "sdk_ofTheTest000000000000000000000000000" };

async function lineTo(...given: Answering[]) {
  const { baseUrl, received } = await startRecordingServer(...given);
  return { line: await createCommandLine({ ...env, INNKEEP_BASE_URL: baseUrl }), received, baseUrl };
}

describe("a command", () => {
  it.each([
    [400, "bad_request", 2],
    [401, "invalid_api_key", 4],
    [403, "insufficient_scope", 5],
    [403, "feedback_disabled", 5],
    [404, "not_found", 6],
    [409, "already_decided", 7],
    [413, "payload_too_large", 2],
    [415, "unsupported_media_type", 2],
    [422, "idempotency_mismatch", 7],
    [429, "rate_limited", 75],
    [500, "internal", 75],
    [503, "busy", 75],
    [400, "invalid_code", 4],
    [409, "idempotency_in_progress", 75],
    [418, "teapot", 1],
  ])("ends after the answer %i %s with exit code %i", async (status, code, exit) => {
    const { line } = await lineTo(answers(status, { error: "No.", code }));
    const ran = await line.run(["faq", "list", "--json"]);
    expect(ran).toMatchObject({ exit, stdout: "" });
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: "No.", code, status, exitCode: exit });
  });

  it.each([[[]], [["feedback"]], [["audit"]]])(
    "that is missing after %j is reported as one JSON object with --json",
    async (words) => {
      const line = await createCommandLine(env);
      const ran = await line.run([...words, "--json"]);
      expect(ran).toMatchObject({ exit: 2, stdout: "" });
      expect(JSON.parse(ran.stderr)).toMatchObject({ code: "usage", exitCode: 2 });
    },
  );

  it("ends with exit code 75 and a useful command if it cannot reach the server", async () => {
    const line = await createCommandLine({ ...env, INNKEEP_BASE_URL: "http://127.0.0.1:9" });
    const ran = await line.run(["faq", "list"]);
    expect(ran.exit).toBe(75);
    expect(ran.stderr).toContain(
      "error: No answer from http://127.0.0.1:9: no program listens at that address.\nIs the server running?",
    );
  });

  it("sends one request to a port of this machine that refuses it, and prints nothing about waiting", async () => {
    const line = await createCommandLine({ ...env, INNKEEP_BASE_URL: "http://127.0.0.1:9" });
    const ran = await line.run(["faq", "list"]);
    expect(line.pauses).toEqual([]);
    expect(ran.stderr).not.toContain("Trying again");
  });

  it("prints each reason for a wait once, with the remaining time", async () => {
    const cut = (message: string) => answers(503, { error: message, code: "busy" });
    const { line } = await lineTo(
      cut("Busy."),
      cut("Busy."),
      cut("Starting."),
      cut("Busy."),
      answers(200, []),
    );
    const ran = await line.run(["faq", "list"], { now: () => new Date(0) });
    expect(line.pauses).toEqual([375, 750, 1_500, 3_000]);
    expect(ran.stderr).toBe("Busy. Trying again for up to 60 s.\nStarting. Trying again for up to 59 s.\n");
  });

  it("says that it will try again, and after which time", async () => {
    const { line } = await lineTo(
      answers(429, { error: "Too many.", code: "rate_limited" }, { "retry-after": "7" }),
      answers(200, []),
    );
    const ran = await line.run(["faq", "list"]);
    expect(ran).toMatchObject({ exit: 0, stderr: "Too many. Trying again in 7 s, as the server asks.\n" });
    expect(line.pauses).toEqual([7_000]);
  });

  it("says when a person can try again if the wait is too long", async () => {
    const { line } = await lineTo(
      answers(429, { error: "Too many.", code: "rate_limited" }, { "retry-after": "600" }),
    );
    const ran = await line.run(["faq", "list"]);
    expect(ran).toMatchObject({ exit: 75, stderr: "error: Too many.\nTry again in 600 s.\n" });
  });

  it("names the wrong setting if the address does not belong to an Innkeep server", async () => {
    const baseUrl = await listen((_, response) => void response.end("<h1>Hello</h1>"));
    const line = await createCommandLine({ ...env, INNKEEP_BASE_URL: baseUrl });
    expect(await line.run(["faq", "list"])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("Check --base-url and INNKEEP_BASE_URL."),
    });
  });

  it.each([404, 405])(
    "explains after an answer %i of another server that it may not have this endpoint (rule L60)",
    async (status) => {
      const { line } = await lineTo(answers(status, { error: "No." }));
      expect(await line.run(["faq", "list"])).toMatchObject({
        exit: 6,
        stderr:
          "error: No.\nA server that is not Innkeep may not have what this command needs. `innkeep doctor` shows which program answers at this address.\n",
      });
    },
  );

  it("hides control sequences and secrets in a hostile answer", async () => {
    const { line } = await lineTo(
      answers(400, { error: `\u001b[2J${env.INNKEEP_API_KEY}\u202e`, code: "bad" }),
    );
    expect((await line.run(["faq", "list"])).stderr).toBe("error: [2Jsdk_[redacted]\n");
  });

  it("ends with exit code 130 if it is interrupted, and prints nothing", async () => {
    const interruption = new AbortController();
    const baseUrl = await listen(() => interruption.abort(new Error("interrupted")));
    const line = await createCommandLine({ ...env, INNKEEP_BASE_URL: baseUrl });
    expect(await line.run(["faq", "list"], { signal: interruption.signal })).toMatchObject({
      exit: 130,
      stdout: "",
      stderr: "",
    });
  });
});

describe("the address of the server", () => {
  it.each(["not an address", "ftp://example.com", "localhost:4700"])(
    "is refused with its flag if it is %s",
    async (baseUrl) => {
      const line = await createCommandLine(env);
      expect(await line.run(["faq", "list", "--base-url", baseUrl])).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining("--base-url is not the address of a server."),
      });
    },
  );

  it("is refused if it contains a password, which is not shown", async () => {
    const line = await createCommandLine({ ...env, INNKEEP_BASE_URL: "https://me:hunter2@example.com" });
    const { exit, stderr } = await line.run(["faq", "list"]);
    expect([exit, stderr.includes("hunter2")]).toEqual([2, false]);
  });

  it.each(["", "/", "//"])("can end with %j", async (end) => {
    const { line, received, baseUrl } = await lineTo(answers(200, []));
    expect((await line.run(["faq", "list", "--base-url", `${baseUrl}${end}`])).exit).toBe(0);
    expect(received).toHaveLength(1);
  });
});

describe("the flag --debug", () => {
  it("shows each request and answer without secrets", async () => {
    const { line } = await lineTo(answers(200, [{ id: "1", question: env.INNKEEP_API_KEY }]));
    const { stderr, exit } = await line.run(["faq", "list", "--debug"]);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^> GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/faqs\/remote\n/);
    expect(stderr).toContain("> x-api-key: [redacted]\n");
    expect(stderr).toContain('< [{"id":"1","question":"sdk_[redacted]"}]');
    expect(stderr).not.toContain(env.INNKEEP_API_KEY.slice(4));
  });

  it("also shows a failed connection", async () => {
    const { line } = await lineTo(hangsUp);
    const { stderr } = await line.run(["faq", "list"], { env: { INNKEEP_DEBUG: "1" } });
    expect(stderr).toContain("< ConnectionError: No answer from");
  });
});
