import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";

/** A server that returns the request that it got, and a user with every credential for it. */
async function echo() {
  const baseUrl = await listen(async (request, response) => {
    const { method, url, headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { "x-api-key": key, authorization } = headers;
    response.setHeader("set-cookie", "session=secret");
    response.end(
      JSON.stringify({ method, url, shown: key ?? authorization, sent: Buffer.concat(chunks).toString() }),
    );
  });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: "key",
    INNKEEP_AGENT_TOKEN: "agent",
    INNKEEP_DEVICE_TOKEN: "device",
    INNKEEP_TOKEN: "maintainer",
  });
  const api = async (...argv: string[]) => (await line.run(["api", ...argv, "--json"])).json();
  return { baseUrl, line, api };
}

describe("the command api", () => {
  it.each([
    ["/api/v1/faqs/remote", "key"],
    ["/api/v1/faqs/remote/7", "key"],
    ["/api/v1/changelog/remote?limit=1", "key"],
    ["/api/v1/agent/runs/7", "Bearer agent"],
    ["/api/v1/console/apps", "Bearer maintainer"],
    ["/api/v1/testing/sdk/session", "key"],
    ["/api/v1/testing/me/tasks?day=2", "Bearer device"],
    ["/api/v1/testing/auth/exchange", undefined],
    ["/healthz", undefined],
  ])("sends to %s the right credential", async (path, shown) => {
    const { api } = await echo();
    expect(await api(path)).toMatchObject({ method: "GET", url: path, ...(shown && { shown }) });
  });

  it("chooses the credential by the resolved path, not by its notation", async () => {
    const { api } = await echo();
    expect(await api("/api/v1/faqs/../agent/runs/7")).toMatchObject({
      url: "/api/v1/agent/runs/7",
      shown: "Bearer agent",
    });
  });

  it.each(["api/v1/faqs/remote", "/api/v1/faqs/remote"])("accepts the path %s", async (path) => {
    const { api } = await echo();
    expect(await api(path)).toMatchObject({ url: "/api/v1/faqs/remote" });
  });

  it("accepts a complete address of this server, and of no other server", async () => {
    const { api, baseUrl, line } = await echo();
    expect(await api(`${baseUrl}/api/v1/faqs/remote`)).toMatchObject({ url: "/api/v1/faqs/remote" });
    for (const other of ["https://evil.example/api/v1/faqs/remote", `${baseUrl}0/api/v1/faqs/remote`]) {
      expect(await line.run(["api", other])).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining("A credential is sent only to its own server."),
      });
    }
  });

  it("sends fields as text and as JSON", async () => {
    const { api } = await echo();
    const fields = ["-f", "question=a=b", "-F", "sortOrder=3", "--field", "answer=true"];
    expect(await api("/api/v1/faqs/remote", ...fields)).toMatchObject({
      method: "POST",
      sent: '{"question":"a=b","answer":"true","sortOrder":3}',
    });
  });

  it("sends a given body with any method", async () => {
    const { line } = await echo();
    const argv = ["api", "/api/v1/faqs/remote/7", "-X", "patch", "--body", "-", "--json"];
    const ran = await line.run(argv, { stdin: '{ "answer": "So." }' });
    expect(ran.json()).toMatchObject({ method: "PATCH", sent: '{"answer":"So."}' });
  });

  it("sends a body from a file, or from standard input", async () => {
    const { line, api } = await echo();
    await writeFile(join(line.cwd, "entry.json"), '{ "answer": "@So." }\n');
    const sent = { method: "POST", sent: '{"answer":"@So."}' };
    expect(await api("/api/v1/faqs/remote", "--input", "entry.json")).toMatchObject(sent);
    const ran = await line.run(["api", "/api/v1/faqs/remote", "--input", "-", "--json"], {
      stdin: '{"answer":"@So."}',
    });
    expect(ran.json()).toMatchObject(sent);
  });

  it("shows status and headers with --include, but no cookies", async () => {
    const { line } = await echo();
    const { stdout } = await line.run(["api", "/healthz", "--include"]);
    expect(stdout).toMatch(/^200\n/);
    expect(stdout).toContain("set-cookie: [redacted]\n");
  });

  it("prints an answer that is no JSON unchanged", async () => {
    const baseUrl = await listen((_, response) => void response.end("up 1\nbusy 0\n"));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    expect((await line.run(["api", "/metrics"])).stdout).toBe("up 1\nbusy 0\n");
    expect((await line.run(["api", "/metrics", "--json"])).json()).toBe("up 1\nbusy 0\n");
  });

  it.each([
    [["--input", "nowhere.json"], "--input: the file nowhere.json cannot be read"],
    [["--input", "-"], "--input is not JSON."],
    [["--input", "-", "--body", "{}"], "Give --body or --input, not both."],
    [["--input", "-", "-f", "a=b"], "--input is the whole body"],
    [["--paginate", "-f", "a=b"], "--paginate only reads lists"],
    [["--paginate", "-X", "DELETE"], "--paginate only reads lists"],
    [["-X", "FETCH"], "FETCH is not a method."],
    [["-f", "question"], "must be of the form name=value"],
    [["-F", "sortOrder=three"], "--json-field must be NAME=JSON, with valid JSON, not"],
    [["--body", "{"], "--body is not JSON."],
    [["--body", "{}", "-f", "a=b"], "--body is the whole body"],
  ])("refuses %j", async (flags, message) => {
    const { line } = await echo();
    expect(await line.run(["api", "/healthz", ...flags])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it("recognises a path that a Windows shell changed into a file name", async () => {
    const { line } = await echo();
    expect(await line.run(["api", "C:/Program Files/Git/api/v1/faqs/remote"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Set MSYS_NO_PATHCONV=1"),
    });
  });
});

describe("the command api --paginate", () => {
  /** A list of three entries on two pages. The requested addresses are recorded. */
  async function list() {
    const asked: string[] = [];
    const baseUrl = await listen(({ url = "" }, response) => {
      asked.push(url);
      const isSecond = new URL(url, "http://a").searchParams.get("cursor") === "a/b+c";
      response.end(
        JSON.stringify(
          isSecond ? { items: [3], nextCursor: null } : { items: [1, 2], total: 3, nextCursor: "a/b+c" },
        ),
      );
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_a" });
    const api = (...argv: string[]) =>
      line.run(["api", "/api/v1/console/audit?limit=2", "--paginate", ...argv]);
    return { api, asked };
  }

  it("prints one page in each line, and requests the next page with its cursor", async () => {
    const { api, asked } = await list();
    const { stdout } = await api();
    expect(stdout).toBe('{"items":[1,2],"total":3,"nextCursor":"a/b+c"}\n{"items":[3],"nextCursor":null}\n');
    expect(asked).toEqual([
      "/api/v1/console/audit?limit=2",
      "/api/v1/console/audit?limit=2&cursor=a%2Fb%2Bc",
    ]);
  });

  it("prints one list with --json", async () => {
    const { api } = await list();
    expect((await api("--json")).json()).toEqual({ items: [1, 2, 3], nextCursor: null });
    expect((await api("--fields", "items")).stdout).toBe("[1,2,3]\n");
  });

  it("prints the headers of each page with --include", async () => {
    const { api } = await list();
    expect((await api("--include")).stdout.match(/^200\n/gm)).toHaveLength(2);
    expect((await api("--include", "--json")).json()).toMatchObject({
      pages: [{ status: 200, body: { items: [1, 2] } }, { body: { items: [3] } }],
    });
  });

  it("prints an answer without pages once", async () => {
    const { line } = await echo();
    const ran = await line.run(["api", "/api/v1/faqs/remote", "--paginate", "--json"]);
    expect(ran.json()).toMatchObject({ method: "GET", url: "/api/v1/faqs/remote" });
  });

  it("ends if the server returns the cursor of the same page twice", async () => {
    const baseUrl = await listen((_, response) => void response.end('{"items":[],"nextCursor":"again"}'));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    expect((await line.run(["api", "/list", "--paginate"])).exit).toBe(1);
  });
});
