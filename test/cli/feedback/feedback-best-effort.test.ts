import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { send, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { png } from "../../support/files/sample-files.ts";
import { accepts, answers } from "../../support/network/recording-server.ts";

const refusal = answers(400, { error: "No.", code: "bad_request" });
const bestEffort = [...send, "--best-effort"];
const gitHub = { CI: "true", GITHUB_ACTIONS: "true" };
const log = (lines: number) =>
  Array.from({ length: lines }, (_, at) => `line ${at + 1} of the build`).join("\n");

describe("the command feedback send with a long log", () => {
  it("sends the beginning and the end, with a line that says what is left out", async () => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "log.txt"), log(2_000));
    const { exit, stderr } = await line.run([...send, "--message", "@log.txt"]);
    expect(exit).toBe(0);
    const { message } = bodies()[0];
    expect([...message].length).toBeLessThanOrEqual(10_000);
    const [, cut = "", whole = ""] =
      /\n\[… ([\d,]+) of ([\d,]+) characters were cut here …\]\n/.exec(message) ?? [];
    expect(stderr).toContain(
      `The message is too long, so ${cut} of ${whole} characters were cut from its middle.`,
    );
    expect(Number(whole.replace(",", ""))).toBe(log(2_000).length);
    const kept = message.replace(/\n\[.*\]\n/, "");
    expect(Number(cut.replace(",", "")) + kept.length).toBe(log(2_000).length);
    const lines: string[] = message.split("\n");
    expect([lines[0], lines.at(-1)]).toEqual(["line 1 of the build", "line 2000 of the build"]);
    expect(lines.filter((text) => !/^line \d+ of the build$|^\[… /.test(text))).toEqual([]);
  });

  it("counts characters, not bytes, and splits no character", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run([...send, "--message", "-"], { stdin: "🍺".repeat(20_000) });
    const { message } = bodies()[0];
    expect([[...message].length <= 10_000, message.isWellFormed()]).toEqual([true, true]);
    await line.run([...send, "--message", "-"], { stdin: "🍺".repeat(10_000) });
    expect(bodies()[1].message).toBe("🍺".repeat(10_000));
  });

  it("reads only the beginning and the end of a very large log", async () => {
    const { line, bodies } = await startFeedbackSending();
    const file = join(line.cwd, "log.txt");
    await writeFile(file, "the beginning\n");
    await truncate(file, 3 * 1_073_741_824);
    await writeFile(file, "\nthe end\n", { flag: "a" });
    const { exit, stderr } = await line.run([...send, "--message", "@log.txt"]);
    const { message } = bodies()[0];
    expect(message).toMatch(/\n\[… all but [\d,]+ characters of 3072\.0 MB were cut here …\]\n/);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(/all but [\d,]+ characters of 3072\.0 MB were cut/),
    ]);
    expect([message.startsWith("the beginning\n"), message.endsWith("\nthe end")]).toEqual([true, true]);
  });

  it("reads a device without an end only up to a limit", async () => {
    const { line, bodies } = await startFeedbackSending();
    expect(await line.run([...send, "--message", "@/dev/zero"])).toMatchObject({ exit: 0 });
    expect(bodies()[0].message).toMatch(/ characters of more than 64\.0 MB were cut here …\]/);
  });

  it.each([
    ["an empty file", "", "(The file log.txt is empty.)"],
    ["blank lines", " \n\n", "(The file log.txt is empty.)"],
    ["NUL characters", "a\0b", "a\ufffdb"],
    ["UTF-16, as PowerShell writes it", Buffer.from("\ufeffIt broke", "utf16le"), "It broke"],
    ["UTF-8 with a mark", "\ufeffIt broke", "It broke"],
    ["text of an older encoding", Buffer.from([0x61, 0xff, 0x62]), "aÿb"],
  ])("accepts %s", async (_, text, message) => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "log.txt"), text);
    expect(await line.run([...send, "--message", "@log.txt"])).toMatchObject({ exit: 0 });
    expect(bodies()[0].message).toBe(message);
  });

  it("accepts an empty standard input", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run([...send, "--message", "-"], { stdin: "" });
    expect(bodies()[0].message).toBe("(Standard input was empty.)");
  });
});

describe("the command feedback send --best-effort with a faulty report", () => {
  it("sends the valid parts, and names the omitted parts in the message", async () => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "shot.png"), png().bytes);
    const flags = ["--image", "shot.png", "--image", "no.png", "--attach", "shot.png", "--metadata", "x"];
    const { exit } = await line.run([...bestEffort, ...flags, "--subject", "s".repeat(201)]);
    expect(exit).toBe(0);
    expect(bodies()[0].message).toBe(
      "It broke\n\nLeft out of this report:\n" +
        "- --metadata x must be key=text or key:=json\n" +
        "- --image no.png cannot be read (it does not exist)\n" +
        "- --attach shot.png must be PDF; its bytes are PNG: send it with --image",
    );
    expect(bodies()[0].images).toHaveLength(1);
    expect(bodies()[0]).toHaveProperty("subject");
  });

  it("sends as many files as the limits allow", async () => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "a.png"), png().bytes);
    const images = ["a.png", "a.png", "a.png", "a.png"].flatMap((name) => ["--image", name]);
    expect(await line.run([...bestEffort, ...images])).toMatchObject({ exit: 0 });
    expect(bodies()[0].images).toHaveLength(3);
    expect(bodies()[0].message).toContain("--image at most 3 can be sent, but there are 4");
  });

  it("sends a report without its log, and names omitted parts beside a long log", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run([...bestEffort, "--message", "@no.txt"]);
    expect(bodies()[0].message).toContain(
      "(No message.)\n\nLeft out of this report:\n- --message the file no.txt",
    );
    await writeFile(join(line.cwd, "log.txt"), log(2_000));
    const { stderr } = await line.run([...bestEffort, "--message", "@log.txt", "--image", "no.png"]);
    const { message } = bodies()[1];
    expect([...message].length).toBeLessThanOrEqual(10_000);
    const whole = log(2_000).length.toLocaleString("en-US");
    expect(message.match(/ of ([\d,]+) characters were cut here/g)).toEqual([
      ` of ${whole} characters were cut here`,
    ]);
    expect(stderr.match(/The message is too long/g)).toHaveLength(1);
    expect(message).toMatch(/line 2000 of the build\n\nLeft out of this report:\n- --image no\.png .*$/);
  });

  it.each([
    ["an unknown type", ["--type", "bog"], "--type must be one of"],
    ["an invalid server address", ["--base-url", "nowhere"], "--base-url is not"],
  ])("ends with exit code 0 and a warning after %s", async (_, flags, why) => {
    const { line, received } = await startFeedbackSending();
    const { exit, stderr } = await line.run([...bestEffort, ...flags]);
    expect([exit, received.length]).toEqual([0, 0]);
    expect(stderr).toContain("Warning: the feedback was not sent.\n");
    expect(stderr).toContain(why);
  });

  it("fails without the flag as usual", async () => {
    const { line, received } = await startFeedbackSending();
    expect(await line.run([...send, "--image", "no.png"])).toMatchObject({ exit: 2 });
    expect(received).toEqual([]);
  });
});

describe("the command feedback send --best-effort", () => {
  it.each([
    ["the server refuses", refusal, {}],
    ["the server fails", answers(500, {}), {}],
    ["the server redirects", answers(302, {}), {}],
    ["something else answers", answers(200, undefined), {}],
    ["nothing listens", accepts, { INNKEEP_BASE_URL: "http://127.0.0.1:9" }],
    ["no key is stored", accepts, { INNKEEP_API_KEY: "" }],
  ])("ends with exit code 0 and a warning if %s, and keeps the report", async (_, answer, env) => {
    const { line, kept } = await startFeedbackSending(answer);
    const { exit, stdout, stderr } = await line.run(bestEffort, { env });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(stderr).toContain("Warning: the feedback was not sent.\n");
    expect(await kept()).toHaveLength(1);
  });

  it("writes a warning annotation on GitHub", async () => {
    const { line } = await startFeedbackSending(refusal);
    const { stderr } = await line.run(bestEffort, { env: gitHub });
    expect(stderr).toContain("::warning title=Feedback was not sent::");
    expect(stderr).not.toContain("::error");
  });

  it("says with --json that nothing was sent, and what was kept", async () => {
    const { line, keptId } = await startFeedbackSending(refusal);
    const ran = await line.run([...bestEffort, "--json"]);
    expect(ran.json()).toMatchObject({
      success: false,
      error: { code: "bad_request", status: 400 },
      spooled: { id: await keptId(), outcome: "refused" },
    });
  });

  it.each([
    ["an unknown flag", ["--subjct", "Tests fail"], "--subjct is not a flag of `innkeep feedback send`"],
    [
      "a value for a flag that takes none",
      ["--no-ci-metadata=yes"],
      "--no-ci-metadata=yes is not a flag of `innkeep feedback send`",
    ],
    ["a flag without its value", ["--subject"], "--subject needs a value"],
    ["an invalid choice", ["--color", "pink"], "--color"],
    ["an extra argument", ["more"], "`more` is too much"],
  ])("ends with exit code 0 and a warning after %s, and sends nothing", async (_, flags, why) => {
    const { line, received } = await startFeedbackSending();
    const { exit, stdout, stderr } = await line.run([...bestEffort, ...flags], { env: gitHub });
    expect({ exit, stdout, sent: received.length }).toEqual({ exit: 0, stdout: "", sent: 0 });
    expect(stderr).toContain("Warning: the feedback was not sent.\n");
    expect(stderr).toContain(why);
    expect(stderr).toContain("::warning title=Feedback was not sent::");
    const json = await line.run(["--json", ...bestEffort, ...flags]);
    expect(json.exit).toBe(0);
    expect(json.json()).toMatchObject({ success: false, error: { code: "usage" }, spooled: null });
  });

  it("does not ignore a faulty command line without the flag, or of other commands", async () => {
    const { line } = await startFeedbackSending();
    expect((await line.run([...send, "--subjct", "x"])).exit).toBe(2);
    expect((await line.run(["feedback", "list", "--best-effort"])).exit).toBe(2);
    expect((await line.run([...bestEffort, "--help"])).exit).toBe(0);
  });

  it("still ends as interrupted if a person interrupts it", async () => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: "http://127.0.0.1:9",
      INNKEEP_API_KEY: "sdk_a",
    });
    const signal = AbortSignal.abort(new Error("interrupted"));
    expect((await line.run(bestEffort, { signal })).exit).toBe(130);
  });
});
