import { truncateSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { send, sendOnce, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { dataUrl, mp4, pdf, png } from "../../support/files/sample-files.ts";
import {
  type Answering,
  accepts,
  answerAtOnce,
  answers,
  hangsUp,
  listen,
} from "../../support/network/recording-server.ts";

const full = answers(500, { error: "The disk is full.", code: "internal" });

describe("the reported state of an undelivered report", () => {
  it.each([
    ["an error of the server", full, "unknown", 75],
    ["a gateway that gave up", answers(504, "late"), "unknown", 75],
    ["a connection that ended after everything was sent", hangsUp, "unknown", 75],
    ["an answer that is not JSON", answers(200, undefined), "unknown", 1],
    ["a refusal", answers(400, { error: "No.", code: "bad_request" }), "refused", 2],
    ["a key that is not accepted", answers(401, { error: "No.", code: "invalid_api_key" }), "refused", 4],
    ["an answer with success: false", answers(201, { success: false }), "refused", 1],
  ])("is correct after %s", async (_, answer, outcome, exit) => {
    const { line, kept, received } = await startFeedbackSending(answer);
    expect(await line.run(sendOnce)).toMatchObject({ exit });
    expect(await kept()).toMatchObject([{ outcome }]);
    expect(received).toHaveLength(1);
  });

  it("is unsent immediately if no server listens on this machine, and the copy is kept", async () => {
    const { line, kept } = await startFeedbackSending();
    const { exit, stderr } = await line.run([...send, "--base-url", "http://127.0.0.1:9"]);
    expect(exit).toBe(75);
    expect(stderr).toContain("Nothing was posted.");
    expect(stderr).not.toContain("Trying again");
    expect(line.pauses).toEqual([]);
    expect(await kept()).toMatchObject([{ outcome: "unsent" }]);
  });

  it("leads to another attempt if no server listens and no copy could be stored", async () => {
    const { line } = await startFeedbackSending();
    const env = { INNKEEP_STATE_DIR: "/dev/null/state" };
    const { stderr } = await line.run([...send, "--base-url", "http://127.0.0.1:9"], { env });
    expect(line.pauses.slice(0, 4)).toEqual([375, 750, 1_500, 3_000]);
    expect(stderr.match(/Trying again/g)).toHaveLength(1);
  });

  it("is unsent without a key, and the report is kept", async () => {
    const { line, kept } = await startFeedbackSending();
    const { exit, stderr } = await line.run(send, { env: { INNKEEP_API_KEY: "" } });
    expect(exit).toBe(4);
    expect(stderr).toContain("INNKEEP_API_KEY");
    expect(await kept()).toMatchObject([{ outcome: "unsent" }]);
  });

  it("is unsent after several attempts if the connection ends during the sending", async () => {
    let requests = 0;
    const baseUrl = await listen((request) => {
      requests += 1;
      request.once("data", () => request.destroy());
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_test" });
    await writeFile(join(line.cwd, "clip.mp4"), mp4(10_485_760).bytes);
    const { stderr } = await line.run([...send, "--video", "clip.mp4"]);
    expect(stderr).toContain("Nothing was posted.");
    expect(stderr).toContain("--without-files");
    expect(requests).toBeGreaterThan(4);
  });

  it("names a file that changed during the sending without a copy, and no attempt follows", async () => {
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_test" });
    const clip = join(line.cwd, "clip.mp4");
    await writeFile(clip, mp4(10_485_760).bytes);
    await mkdir(join(line.stateFolder, ".."), { recursive: true });
    await writeFile(line.stateFolder, "in the way");
    const baseUrl = await listen((request) => void request.once("data", () => truncateSync(clip)));
    const { stderr } = await line.run([...send, "--video", "clip.mp4", "--base-url", baseUrl]);
    expect(stderr).toContain("The file clip.mp4 changed while it was sent.");
    expect(line.pauses).toEqual([]);
  });

  it("stays unknown even if a later attempt cannot begin", async () => {
    const { line, kept, keptId } = await startFeedbackSending(
      hangsUp,
      answers(403, { error: "No.", code: "forbidden" }),
    );
    await line.run(sendOnce);
    const id = await keptId();
    await line.run(["feedback", "resend", id]);
    expect(await kept()).toMatchObject([{ outcome: "unknown" }]);
  });

  it("is unknown after an interruption, with the command that sends the report again", async () => {
    const interruption = new AbortController();
    const baseUrl = await listen(async (request) => {
      for await (const _ of request);
      interruption.abort(new Error("interrupted"));
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_test" });
    const { exit, stderr } = await line.run(send, { signal: interruption.signal });
    expect(exit).toBe(130);
    expect(stderr).toContain("innkeep feedback resend");
  });
});

describe("the command feedback send with a server that accepts nothing for some time", () => {
  it.each([
    [429, { "retry-after": "7" }, [7_000]],
    [503, {}, [375]],
  ])("tries again after a %i at the given time or a little later", async (status, headers, pauses) => {
    const busy = answers(status, { error: "Wait.", code: "busy" }, headers);
    const { line, keys } = await startFeedbackSending(busy, accepts);
    expect(await line.run(send)).toMatchObject({ exit: 0 });
    expect(line.pauses).toEqual(pauses);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()).toHaveLength(2);
  });
});

describe("the command feedback send over a faulty connection", () => {
  it.each<[string, Answering]>([
    ["500", full],
    ["502", answers(502, "gone")],
    ["504", answers(504, "late")],
    ["408", answers(408, {})],
    ["425", answers(425, {})],
    ["a cut connection", hangsUp],
  ])("tries again after %s with the same key, and says so", async (_, answer) => {
    const { line, keys } = await startFeedbackSending(answer, answer, accepts);
    const { exit, stderr } = await line.run(send);
    expect(exit).toBe(0);
    expect(stderr.match(/Trying again for up to \d+ s\.\n/g)).toHaveLength(1);
    expect([keys().length, new Set(keys()).size]).toEqual([3, 1]);
  });

  it.each([
    ["in CI", { env: { CI: "true" }, terminal: true }, 60_000],
    ["in a pipe", {}, 60_000],
    ["on a terminal", { terminal: true }, 15_000],
  ])("waits for the expected time %s", async (_, where, most) => {
    const { line } = await startFeedbackSending(full);
    expect(await line.run(send, where)).toMatchObject({ exit: 75 });
    const waited = line.pauses.reduce((sum, pause) => sum + pause, 0);
    expect([waited <= most, waited > most - 8_000]).toEqual([true, true]);
  });

  it.each([
    ["2m", ["90"], 1],
    ["60s", ["90"], 0],
  ])(
    "waits for at most --max-wait %s if the server requests %j seconds",
    async (most, [seconds = ""], pauses) => {
      const { line } = await startFeedbackSending(answers(503, {}, { "retry-after": seconds }), accepts);
      const { exit, stderr } = await line.run([...send, "--max-wait", most]);
      expect([exit, line.pauses.length]).toEqual([pauses === 1 ? 0 : 75, pauses]);
      expect(stderr).toContain(
        pauses === 1 ? "Trying again in 90 s, as the server asks." : "Try again in 90 s.",
      );
    },
  );

  it("reports an unknown state if any attempt may have arrived", async () => {
    const refused = answers(403, { error: "No.", code: "forbidden" });
    const { line, kept } = await startFeedbackSending(hangsUp, refused);
    await line.run(send);
    expect(await kept()).toMatchObject([{ outcome: "unknown" }]);
  });

  it.each(["0s", "25d", "999999999d"])("refuses the value %s of --timeout", async (timeout) => {
    const line = await createCommandLine({ INNKEEP_API_KEY: "sdk_test" });
    const ran = await line.run([...sendOnce, "--timeout", timeout]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("from 1s to 1d") });
  });

  it("ends an attempt without an answer after --timeout", async () => {
    const baseUrl = await listen(() => {});
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_test" });
    const { exit, stderr } = await line.run([...sendOnce, "--timeout", "1s"]);
    expect(exit).toBe(75);
    expect(stderr).toContain("sent nothing for 1 seconds");
  });
});

describe("the command feedback send with a server that refuses", () => {
  it("names the flag and the file of a faulty field", async () => {
    const issues = [
      { path: "images.1", message: "must have the bytes of image/png" },
      { path: "dedupeKey", message: "is odd" },
    ];
    const { line } = await startFeedbackSending(
      answers(400, { error: "Malformed.", code: "bad_request", issues }),
    );
    await writeFile(join(line.cwd, "a.png"), png().bytes);
    await writeFile(join(line.cwd, "b.png"), png().bytes);
    const { exit, stderr } = await line.run([...send, "--image", "a.png", "--image", "b.png"]);
    expect(exit).toBe(2);
    expect(stderr).toContain("  --image b.png must have the bytes of image/png\n  --dedupe-key is odd\n");
  });

  it.each(["forbidden", "feedback_disabled", undefined])(
    "explains both meanings of an answer 403 (%s)",
    async (code) => {
      const { line } = await startFeedbackSending(answers(403, { error: "No.", code }));
      const { exit, stderr } = await line.run(send);
      expect(exit).toBe(5);
      expect(stderr).toContain("this key may not send feedback, or that feedback is turned off for the app");
    },
  );

  it("names the sizes after an answer 413, and sends only the text if a flag requests it", async () => {
    const { line, keptId, received, keys } = await startFeedbackSending(
      answers(413, { error: "Too large." }),
      accepts,
    );
    await writeFile(join(line.cwd, "clip.mp4"), mp4(2_097_152).bytes);
    const { exit, stderr } = await line.run([...send, "--video", "clip.mp4"]);
    const id = await keptId();
    expect(exit).toBe(2);
    expect(stderr).toContain("  --video clip.mp4 has 2.0 MB\n");
    expect(stderr).toContain(`innkeep feedback resend ${id} --without-files`);
    await line.run(["feedback", "resend", id, "--without-files"]);
    expect(JSON.parse(String(received[1]?.body))).toEqual({ type: "bug", message: "It broke" });
    expect(new Set(keys()).size).toBe(2);
  });

  it("ends the upload after an early answer", async () => {
    const { baseUrl, rest } = await answerAtOnce(413, { error: "Too large.", code: "payload_too_large" });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_test" });
    await writeFile(join(line.cwd, "clip.mp4"), mp4(10_485_760).bytes);
    expect((await line.run([...send, "--video", "clip.mp4"])).stderr).toContain("Too large.");
    expect(await rest()).toBeLessThan(10_485_760);
  });

  it("keeps the files of a report that may have arrived completely", async () => {
    const { line, keptId, received } = await startFeedbackSending(hangsUp);
    await writeFile(join(line.cwd, "report.pdf"), pdf().bytes);
    await line.run([...sendOnce, "--attach", "report.pdf"]);
    const id = await keptId();
    expect(await line.run(["feedback", "resend", id, "--without-files"])).toMatchObject({ exit: 2 });
    expect(JSON.parse(String(received[0]?.body)).attachments).toEqual([
      { name: "report.pdf", data: dataUrl(pdf()) },
    ]);
    expect(received).toHaveLength(1);
  });
});
