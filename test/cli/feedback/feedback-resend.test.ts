import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { send, sendOnce, startFeedbackSending } from "../../support/clients/feedback-sending.ts";
import { png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { accepts, answers, hangsUp } from "../../support/network/recording-server.ts";

const full = answers(500, { error: "The disk is full.", code: "internal" });

describe("a report without a confirmation of the server", () => {
  it("is kept with copies of its files, which only the owner can read", async () => {
    const { line, kept } = await startFeedbackSending(full);
    await writeFile(join(line.cwd, "shot.png"), png().bytes, { mode: 0o644 });
    await line.run([...sendOnce, "--image", "shot.png"]);
    expect(await kept()).toMatchObject([{ type: "bug", subject: "It broke", files: ["shot.png"] }]);
    const files = await filesIn(line.stateFolder);
    const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777));
    expect(modes).toEqual([0o600, 0o600]);
  });

  it("is deleted after the server has accepted it", async () => {
    const { line, kept } = await startFeedbackSending(accepts);
    await line.run(send);
    expect(await kept()).toEqual([]);
    expect(await readdir(join(line.stateFolder, "spool"))).toEqual([]);
  });

  it("is deleted after a server has accepted it without a body", async () => {
    const { line, kept } = await startFeedbackSending((response) => void response.writeHead(204).end());
    expect(await line.run(send)).toMatchObject({ exit: 0 });
    expect(await kept()).toEqual([]);
  });

  it("is not overlooked if the folder of the reports cannot be read", async () => {
    const { line } = await startFeedbackSending(accepts);
    await mkdir(line.stateFolder, { recursive: true });
    await writeFile(join(line.stateFolder, "spool"), "");
    for (const flag of ["--all", "--list"])
      expect(await line.run(["feedback", "resend", flag])).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining("cannot be read"),
      });
  });

  it("is sent again with the same key and bytes, even if the file no longer exists", async () => {
    const { line, kept, keptId, keys, received } = await startFeedbackSending(full, accepts);
    await writeFile(join(line.cwd, "shot.png"), png().bytes);
    await line.run([...sendOnce, "--image", "shot.png"]);
    await rm(join(line.cwd, "shot.png"));
    const id = await keptId();
    expect(await line.run(["feedback", "resend", id])).toMatchObject({ exit: 0 });
    expect(new Set(keys()).size).toBe(1);
    expect(received[1]?.body.equals(received[0]?.body ?? Buffer.alloc(0))).toBe(true);
    expect(await kept()).toEqual([]);
  });

  it("causes a message with the command that sends it again", async () => {
    const { line, keptId } = await startFeedbackSending(full);
    const { stderr } = await line.run(sendOnce);
    expect(stderr).toContain(`innkeep feedback resend ${await keptId()}\n`);
  });

  it("is described with --json, with the command that sends it again", async () => {
    const { line, keptId } = await startFeedbackSending(full);
    const { stderr } = await line.run([...sendOnce, "--json"]);
    const id = await keptId();
    expect(JSON.parse(stderr)).toMatchObject({
      spooled: { id, outcome: "unknown" },
      next: `innkeep feedback resend ${id}`,
      exitCode: 75,
    });
  });

  it("is shown and not sent with --dry-run", async () => {
    const { line, keptId, received } = await startFeedbackSending(full);
    await line.run(sendOnce);
    const { stdout } = await line.run(["feedback", "resend", await keptId(), "--dry-run"]);
    expect(stdout).toContain('"message": "It broke"');
    expect((await line.run(["feedback", "resend", "--all", "--dry-run"])).stdout).toContain("It broke");
    expect(received).toHaveLength(1);
  });

  it("is sent without a copy if no copy can be stored on the disk", async () => {
    const { line, received } = await startFeedbackSending(accepts);
    await mkdir(join(line.stateFolder, ".."), { recursive: true });
    await writeFile(line.stateFolder, "in the way");
    const { exit, stderr } = await line.run(send);
    expect({ exit, sent: received.length }).toEqual({ exit: 0, sent: 1 });
    expect(stderr).toContain(
      "This report is sent, but no copy of it can be stored on disk (a part of its path is not a folder)",
    );
  });

  it("is not listed for another server", async () => {
    const { line, keptId, baseUrl } = await startFeedbackSending(full);
    await line.run(sendOnce);
    const id = await keptId();
    const elsewhere = ["--base-url", "http://127.0.0.1:9"];
    const { exit, stderr } = await line.run(["feedback", "resend", id, ...elsewhere]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`innkeep feedback resend ${id} --base-url ${baseUrl}`);
    expect((await line.run(["feedback", "resend", "--all", ...elsewhere])).stderr).toContain(
      "1 more for other servers",
    );
  });

  it("is not touched while another process sends it", async () => {
    const { line, keptId, received } = await startFeedbackSending(full, accepts);
    await line.run(sendOnce);
    const id = await keptId();
    await writeFile(join(line.stateFolder, "spool", id, "sending"), "77");
    const isRunning = (processId: number) => processId === 77;
    expect(await line.run(["feedback", "resend", id], { isRunning })).toMatchObject({ exit: 75 });
    expect(received).toHaveLength(1);
    expect(await line.run(["feedback", "resend", id])).toMatchObject({ exit: 0 });
  });

  it("can be deleted without being sent, after a confirmation", async () => {
    const { line, kept, keptId, received } = await startFeedbackSending(full);
    await line.run(sendOnce);
    const id = await keptId();
    expect(await line.run(["feedback", "discard", id])).toMatchObject({ exit: 2 });
    expect(await line.run(["feedback", "discard", id, "--yes"])).toMatchObject({ exit: 0 });
    expect(await kept()).toEqual([]);
    expect(received).toHaveLength(1);
  });

  it.each(["no-such-report", "../../etc", "."])("cannot be found with %j", async (id) => {
    const { line } = await startFeedbackSending();
    expect(await line.run(["feedback", "resend", id])).toMatchObject({ exit: 6 });
  });

  it("is mentioned once a day when another report is sent", async () => {
    const { line } = await startFeedbackSending(full, accepts);
    await line.run(sendOnce);
    const hint = "One report is stored here and not confirmed by a server";
    const sentAt = async (instant: string) =>
      (await line.run(send, { now: () => new Date(instant) })).stderr.includes(hint);
    expect(await sentAt("2026-03-01T10:00:00Z")).toBe(true);
    expect(await sentAt("2026-03-01T10:01:00Z")).toBe(false);
    expect(await sentAt("2026-03-02T09:59:59Z")).toBe(false);
    expect(await sentAt("2026-03-02T10:00:00Z")).toBe(true);
  });

  it("is deleted after a day if the process was killed during the copy", async () => {
    const { line } = await startFeedbackSending();
    const folder = join(line.stateFolder, "spool");
    await mkdir(join(folder, ".half"), { recursive: true });
    await line.run(send);
    expect(await readdir(folder)).toEqual([".half"]);
    await line.run(send, { now: () => new Date(Date.now() + 86_500_000) });
    expect(await readdir(folder)).toEqual([]);
  });

  it("is named if it can no longer be read", async () => {
    const { line } = await startFeedbackSending();
    const folder = join(line.stateFolder, "spool", "0197b3a0");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "report.json"), "{");
    expect((await line.run(["feedback", "resend", "--list"])).stderr).toContain(folder);
  });
});

describe("the command feedback resend --all", () => {
  it("sends every report, the oldest first, and prints each result", async () => {
    const { line, kept, received } = await startFeedbackSending(full, full, accepts);
    await line.run([...sendOnce, "--message", "first"]);
    await line.run([...sendOnce, "--message", "second"]);
    const { exit, stdout } = await line.run(["feedback", "resend", "--all", "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ sent: true }, { sent: true }], left: 0 });
    expect(received.slice(2).map(({ body }) => JSON.parse(body.toString()).message)).toEqual([
      "first",
      "second",
    ]);
    expect(await kept()).toEqual([]);
  });

  it("continues after a refused report, and ends with its exit code", async () => {
    const refusal = answers(400, { error: "No.", code: "bad_request" });
    const { line, kept } = await startFeedbackSending(full, full, refusal, accepts);
    await line.run(sendOnce);
    await line.run(sendOnce);
    const { exit, stdout } = await line.run(["feedback", "resend", "--all", "--json"]);
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      items: [{ sent: false, why: "No." }, { sent: true }],
      left: 1,
    });
    expect(await kept()).toHaveLength(1);
  });

  it("leaves out reports that another process is sending", async () => {
    const { line, kept, received } = await startFeedbackSending(full, full, accepts);
    await line.run(sendOnce);
    await line.run(sendOnce);
    const [first] = await kept();
    await writeFile(join(line.stateFolder, "spool", first?.id ?? "", "sending"), "77");
    const ran = await line.run(["feedback", "resend", "--all", "--json"], { isRunning: (id) => id === 77 });
    expect(ran.exit).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ items: [{ sent: true }], left: 0 });
    expect([received.length, (await kept()).map(({ id }) => id)]).toEqual([3, [first?.id]]);
  });

  it("ends if the server accepts nothing", async () => {
    const { line, received } = await startFeedbackSending(full);
    await line.run(sendOnce);
    await line.run(sendOnce);
    const once = ["--max-wait", "0s"];
    expect(await line.run(["feedback", "resend", "--all", ...once])).toMatchObject({ exit: 75 });
    expect(received).toHaveLength(3);
  });

  it("leaves out reports that may have arrived more than a day ago", async () => {
    const { line, keptId, received } = await startFeedbackSending(hangsUp, accepts);
    await line.run(sendOnce, { now: () => new Date(Date.now() - 86_500_000) });
    const { exit, stderr } = await line.run(["feedback", "resend", "--all"]);
    const id = await keptId();
    expect({ exit, sent: received.length }).toEqual({ exit: 0, sent: 1 });
    expect(stderr).toContain(`send it with: innkeep feedback resend ${id}`);
  });

  it("needs one report or --all", async () => {
    const { line } = await startFeedbackSending();
    expect(await line.run(["feedback", "resend"])).toMatchObject({ exit: 2 });
    expect(await line.run(["feedback", "resend", "x", "--all"])).toMatchObject({ exit: 2 });
  });
});
