import { beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";

describe("the commands for a development server", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
    return () => service.stop();
  });

  /** Runs `innkeep dev …` against the server. */
  async function dev(...words: string[]) {
    const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl });
    return line.run(["dev", ...words]);
  }

  it("show and set the time", async () => {
    const set = await dev("clock", "set", "2031-05-06T07:08:09+02:00");
    expect(set).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^2031-05-06T05:08:09/) });
    expect((await dev("clock")).stdout).toMatch(/^2031-05-06T05:0/);
    expect((await dev("clock", "--json")).json()).toMatchObject({ now: expect.stringMatching(/^2031/) });
  });

  it.each([
    ["+1d", "2031-05-07T12:"],
    ["-2h", "2031-05-06T10:"],
    ["1d12h", "2031-05-08T00:"],
    ["P1M", "2031-06-06T12:"],
    ["-P1D", "2031-05-05T12:"],
  ])("move the clock by %s", async (move, time) => {
    await dev("clock", "set", "2031-05-06T12:00:00Z");
    expect(await dev("clock", move)).toMatchObject({ exit: 0, stdout: expect.stringMatching(time) });
  });

  it.each([["tomorrow"], ["--jsn"], ["set"], ["+1d +1d"], ["set now please"]])(
    "refuse the move %s of the clock",
    async (move) => {
      const { exit, stderr } = await dev("clock", ...move.split(" "));
      expect([exit, stderr]).toEqual([2, expect.stringContaining("does not move a clock.\nGive +1d")]);
    },
  );

  it("say that the command of `dev exec` is written after --", async () => {
    const { exit, stderr } = await dev("exec", "node", "-e", "0");
    const next = "Write the command after --: innkeep dev exec -- node -e 0\n";
    expect([exit, stderr]).toEqual([2, `error: -e is not a flag of \`innkeep dev exec\`.\n${next}`]);
  });

  it("add, list and remove faults", async () => {
    const added = await dev(
      "faults",
      "add",
      "/api/v1/faqs",
      "--status",
      "503",
      "--times",
      "2",
      "--delay-ms",
      "5",
    );
    expect(added.stdout).toBe("The next 2 requests to /api/v1/faqs: wait 5 ms, then get 503 busy.\n");
    expect((await dev("faults", "list")).stdout).toBe("/api/v1/faqs\t503\tbusy\t2\t5\n");
    expect((await service.request("GET", "/api/v1/faqs/remote")).status).toBe(503);
    expect((await dev("faults", "clear")).exit).toBe(0);
    expect((await dev("faults", "list", "--json")).json()).toEqual({ items: [] });
  });

  it("name every mistake in a fault", async () => {
    const { exit, stderr } = await dev("faults", "add", "api", "--status", "200");
    expect(exit).toBe(2);
    expect(stderr).toContain("<path> must be a path that begins with /");
    expect(stderr).toContain("--status must be at least 400");
  });

  it("cause an event with the given fields", async () => {
    const owner = await service.makeUser();
    const { id } = await service.makeApp(owner);
    const set = ["--set", "message=It crashes", "--set", "metadata.os=Android", "--set", "metadata.ram:=8"];
    const made = await dev("trigger", "feedback.created", "--app", id, ...set, "--json");
    expect(made.exit).toBe(0);
    const { items } = Object(made.json());
    expect(items).toMatchObject([{ type: "feedback.created", data: { appId: id } }]);
    const { feedbackId } = items[0].data;
    const thread = await service.request("GET", `/api/v1/console/feedback/${feedbackId}`, {
      headers: await service.signIn(owner),
    });
    expect(thread.body).toMatchObject({
      feedback: { message: "It crashes", metadata: { os: "Android", ram: 8 } },
    });
    const shown = await dev("trigger", "run.decided", "--app", id);
    expect(shown.stdout).toMatch(
      /^feedback\.created {2}\S+ {2}http\S+\nrun\.proposed .*\nrun\.decided .*\n$/,
    );
  });

  it.each([
    [["feedback.creatd"], "(Did you mean feedback.created?)"],
    [["feedback.created", "--set", "message"], "--set must be path=value or path:=json"],
    [["feedback.created", "--set", "metadata:={"], "--set metadata must be JSON after `:=`."],
    [["feedback.created", "--set", "type=praise"], "type must be one of"],
  ])("refuse to cause the event %s", async (words, message) => {
    const owner = await service.makeUser();
    await service.makeApp(owner);
    const { exit, stderr } = await dev("trigger", ...words);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it("save, list and load snapshots, and reset the server", async () => {
    const owner = await service.makeUser();
    const { key } = await service.makeApp(owner);
    const headers = { "x-api-key": key };
    const faqs = async () => (await service.request("GET", "/api/v1/faqs/remote", { headers })).body;
    const body = { question: "Why?", answer: "So." };
    await service.request("POST", "/api/v1/faqs/remote", { headers, body });
    expect((await dev("snapshot", "save", "one")).stdout).toMatch(/^Saved one: \d+ rows and 0 files/);
    expect((await dev("reset")).stdout).toMatch(/^The server is reset/);
    expect(await faqs()).toEqual([]);
    expect((await dev("snapshot", "list", "--fields", "name,files")).stdout).toBe("one\t0\n");
    expect((await dev("snapshot", "load", "one")).exit).toBe(0);
    expect(await faqs()).toMatchObject([{ question: "Why?" }]);
  });

  it("say that a snapshot does not exist", async () => {
    expect(await dev("snapshot", "load", "none")).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining("There is no snapshot with the name none."),
    });
  });
});

const commands = [
  "trigger faq.changed",
  "clock",
  "clock +1d",
  "faults add /a --status 500",
  "faults list",
  "faults clear",
  "reset",
];
const snapshots = ["snapshot save one", "snapshot load one", "snapshot list"];

describe.each([...commands, ...snapshots])("the command dev %s", (words) => {
  it("says that another server is not a development server", async () => {
    const other = await listen((_, response) => {
      response.statusCode = 404;
      response.end('{"error":"Not found.","code":"not_found"}');
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: other });
    expect(await line.run(["dev", ...words.split(" ")])).toMatchObject({
      exit: 7,
      stdout: "",
      stderr:
        `error: ${other} is not a development server: it does not run with --dev.\n` +
        "`innkeep dev` starts one; --base-url and INNKEEP_BASE_URL name another server.\n",
    });
  });
});
