import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandLine } from "../../support/clients/command-line.ts";
import { send, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import {
  dataUrl,
  gif,
  jpeg,
  mov,
  mp4,
  pdf,
  png,
  type SampleFile,
  webm,
  webp,
} from "../../support/files/sample-files.ts";
import { accepts, answers } from "../../support/network/recording-server.ts";

const id = "0197b3a0-0000-7000-8000-000000000001";
const consoleUrl = `https://example.org/console/feedback/app/${id}`;

const place = (line: CommandLine, { name, bytes }: SampleFile) => writeFile(join(line.cwd, name), bytes);

describe("the command feedback send", () => {
  it("sends the values of the flags with the app key and a new Idempotency-Key", async () => {
    const { line, received, bodies } = await startFeedbackSending();
    const flags = [
      "--subject",
      "S",
      "--email",
      "a@b.c",
      "--name",
      "A",
      "--source",
      "ci",
      "--dedupe-key",
      "k",
    ];
    expect(await line.run([...send, ...flags, "--metadata", "os=linux"])).toMatchObject({ exit: 0 });
    expect(bodies()).toEqual([
      {
        type: "bug",
        message: "It broke",
        subject: "S",
        email: "a@b.c",
        name: "A",
        source: "ci",
        dedupeKey: "k",
        metadata: { os: "linux" },
      },
    ]);
    expect(received[0]?.headers).toMatchObject({
      "x-api-key": "sdk_test",
      "content-type": "application/json",
      "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it("prints the id and the console link", async () => {
    const { line } = await startFeedbackSending(answers(201, { success: true, id, consoleUrl }));
    expect(await line.run(send)).toMatchObject({
      exit: 0,
      stdout: `${id}\n${consoleUrl}\n`,
      stderr: "Feedback sent.\n",
    });
  });

  it.each([[], ["--json"], ["--json", "--debug"], ["--best-effort"]])(
    "writes no address of the sender's page to the log with %j",
    async (...flags) => {
      const statusUrl = "https://example.org/p/t/AZH9o9zudEe23kLIw8gvjQ";
      const { line } = await startFeedbackSending(answers(201, { success: true, id, consoleUrl, statusUrl }));
      const summary = join(line.cwd, "summary.md");
      await writeFile(summary, "");
      const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: summary };
      const ran = await line.run([...send, ...flags], { env });
      expect(ran.exit).toBe(0);
      expect(ran.stdout + ran.stderr + (await readFile(summary, "utf8"))).not.toContain(
        "AZH9o9zudEe23kLIw8gvjQ",
      );
      const wanted = await line.run([...send, ...flags, "--status-url"], { env });
      expect(wanted.stdout).toContain(statusUrl);
    },
  );

  it("says that the report was added to open feedback", async () => {
    const { line } = await startFeedbackSending(
      answers(201, { success: true, id, consoleUrl, deduplicated: true }),
    );
    expect((await line.run(send)).stderr).toBe("Added to feedback that is already open.\n");
  });

  it("names the resolved thread of the same failure", async () => {
    const earlier = { id, consoleUrl: `${consoleUrl}0` };
    const { line } = await startFeedbackSending(answers(201, { success: true, id, consoleUrl, earlier }));
    const { stdout, stderr } = await line.run(send);
    expect(stderr).toBe(
      `Feedback sent.\nThis failure occurred again. It was resolved before: ${consoleUrl}0\n`,
    );
    expect(stdout).toBe(`${id}\n${consoleUrl}\n`);
    const json = await line.run([...send, "--json"]);
    expect([json.json(), json.stderr]).toEqual([expect.objectContaining({ earlier }), ""]);
  });

  it("names the values that the server did not keep", async () => {
    const dropped = { metadataDropped: ["log", "env"], filesDropped: ["images[0]"] };
    const { line } = await startFeedbackSending(
      answers(201, { success: true, id: "f1", consoleUrl: "x", ...dropped }),
    );
    const { exit, stderr } = await line.run(send);
    expect(exit).toBe(0);
    expect(stderr).toContain("The server dropped metadata, because there was too much of it: log, env.\n");
    expect(stderr).toContain(
      "The server dropped files, because the storage of the app is full: images[0].\n",
    );
  });

  it("accepts an answer with only the specified fields", async () => {
    const { line } = await startFeedbackSending(accepts);
    expect(await line.run(send)).toMatchObject({ exit: 0, stdout: "Feedback sent.\n", stderr: "" });
  });

  it("prints the server's answer unchanged with --json, with unknown fields", async () => {
    const answer = { success: true, id, consoleUrl, ticket: 7 };
    const { line } = await startFeedbackSending(answers(201, answer));
    const ran = await line.run([...send, "--json"]);
    expect(ran.json()).toEqual(answer);
    expect(ran.stderr).toBe("");
  });

  it.each([
    ["standard input", "-", "from stdin\nline 2\n", "from stdin\nline 2"],
    ["a file", "@notes.txt", "", "from a file"],
    ["text that starts with @", "@@notes.txt", "", "@notes.txt"],
  ])("reads the message from %s", async (_, message, stdin, expected) => {
    const { line, bodies } = await startFeedbackSending();
    await writeFile(join(line.cwd, "notes.txt"), "from a file\n");
    await line.run(["feedback", "send", "--type", "bug", "--message", message], { stdin });
    expect(bodies()).toEqual([{ type: "bug", message: expected }]);
  });

  it("accepts metadata as text, or as JSON after `:=`", async () => {
    const { line, bodies } = await startFeedbackSending();
    const flags = ["a=1", "b:=1", 'c:={"d":[true]}', "e=x=y", "a=2"].flatMap((pair) => ["--metadata", pair]);
    await line.run([...send, ...flags]);
    expect(bodies()[0].metadata).toEqual({ a: "2", b: 1, c: { d: [true] }, e: "x=y" });
  });

  it("leaves out empty fields", async () => {
    const { line, bodies } = await startFeedbackSending();
    await line.run([...send, "--email", "", "--subject", "  "]);
    expect(bodies()).toEqual([{ type: "bug", message: "It broke" }]);
  });

  it("sends files of every kind as data URLs, and detects the kind by the content", async () => {
    const { line, bodies } = await startFeedbackSending();
    const misnamed = { ...png(), name: "shot.jpeg.txt" };
    for (const file of [misnamed, jpeg(), gif(), mp4(), webm(), pdf()]) await place(line, file);
    const images = [misnamed, jpeg(), gif()].flatMap(({ name }) => ["--image", name]);
    const videos = [mp4(), webm()].flatMap(({ name }) => ["--video", name]);
    await line.run([...send, ...images, ...videos, "--attach", pdf().name]);
    expect(bodies()[0]).toMatchObject({
      images: [misnamed, jpeg(), gif()].map(dataUrl),
      videos: [mp4(), webm()].map(dataUrl),
      attachments: [{ name: "report.pdf", data: dataUrl(pdf()) }],
    });
  });

  it("accepts a WebP image and a QuickTime video", async () => {
    const { line, bodies } = await startFeedbackSending();
    await Promise.all([place(line, webp()), place(line, mov())]);
    await line.run([...send, "--image", webp().name, "--video", mov().name]);
    expect(bodies()[0]).toMatchObject({ images: [dataUrl(webp())], videos: [dataUrl(mov())] });
  });

  it("uses the Idempotency-Key of a flag", async () => {
    const { line, received } = await startFeedbackSending();
    await line.run([...send, "--idempotency-key", "build-77"]);
    expect(received[0]?.headers["idempotency-key"]).toBe("build-77");
  });

  it("shows the request with --dry-run with only the names of files, and sends and keeps nothing", async () => {
    const { line, received } = await startFeedbackSending();
    await place(line, png());
    const ran = await line.run([...send, "--image", "shot.png", "--dry-run", "--json"]);
    expect(ran.json()).toMatchObject({
      dryRun: true,
      method: "POST",
      body: { type: "bug", images: ["<image/png shot.png, 0.0 MB>"] },
    });
    expect(received).toEqual([]);
    expect((await line.run(["feedback", "resend", "--list", "--json"])).json()).toEqual({ items: [] });
  });
});

describe("the progress of an upload", () => {
  it("is one line for each sent file in a pipe", async () => {
    const { line } = await startFeedbackSending();
    await Promise.all([place(line, png()), place(line, pdf(2_097_152))]);
    const { stderr } = await line.run([...send, "--image", "shot.png", "--attach", "report.pdf"]);
    expect(stderr).toBe("Sent shot.png (0.0 MB), file 1 of 2.\nSent report.pdf (2.0 MB), file 2 of 2.\n");
  });

  it("is a bar on a terminal, which is removed at the end", async () => {
    const { line } = await startFeedbackSending();
    await place(line, pdf(2_097_152));
    const { stderr } = await line.run([...send, "--attach", "report.pdf"], { terminal: true });
    expect(stderr).toContain("100 % of 2.7 MB");
    expect(stderr.endsWith("\r\u001b[2K")).toBe(true);
  });

  it("is one line for each file on a terminal that cannot remove lines", async () => {
    const { line } = await startFeedbackSending();
    await place(line, png());
    const ran = await line.run([...send, "--image", "shot.png"], { terminal: true, env: { TERM: "dumb" } });
    expect(ran.stderr).toBe("Sent shot.png (0.0 MB), file 1 of 1.\n");
  });

  it("is removed while other output is printed", async () => {
    const { line } = await startFeedbackSending(answers(503, { error: "Wait.", code: "busy" }), accepts);
    await place(line, png());
    const { stderr } = await line.run([...send, "--image", "shot.png"], { terminal: true });
    expect(stderr).toContain("\r\u001b[2KWait. Trying again for up to 15 s.\n");
  });

  it("is not shown with --json in a pipe", async () => {
    const { line } = await startFeedbackSending();
    await place(line, png());
    expect((await line.run([...send, "--image", "shot.png", "--json"])).stderr).toBe("");
  });
});
