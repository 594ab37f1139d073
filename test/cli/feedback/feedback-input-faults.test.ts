import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandLine, createCommandLine } from "../../support/clients/command-line.ts";
import { inputPath } from "../../support/files/inputs.ts";
import { mp4, pdf, png, type SampleFile } from "../../support/files/sample-files.ts";
import { startRecordingServer } from "../../support/network/recording-server.ts";

const MB = 1_048_576;
const send = ["feedback", "send", "--type", "bug", "--message", "It broke"];

const place = (line: CommandLine, { name, bytes }: SampleFile) => writeFile(join(line.cwd, name), bytes);

async function faultsOf(line: CommandLine, argv: readonly string[], stdin?: string) {
  const { exit, stdout, stderr } = await line.run([...argv, "--json"], { stdin });
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  const { issues }: { issues: { path: string; message: string }[] } = JSON.parse(stderr);
  return issues.map(({ path, message }) => `${path} ${message}`);
}

describe("the command feedback send, before it sends anything,", () => {
  it("names all faults in one message", async () => {
    const { baseUrl, received } = await startRecordingServer();
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_test" });
    await place(line, png(2 * MB + 1));
    await place(line, { ...pdf(), name: "doc.png" });
    const images = ["shot.png", "doc.png", "none.png", "shot.png"].flatMap((name) => ["--image", name]);
    const argv = ["feedback", "send", "--type", "bog", "--metadata", "x", ...images];
    expect(await faultsOf(line, argv)).toEqual([
      "--type must be one of `bug`, `feature`, `question`, `general`: did you mean bug?",
      "--message is missing",
      "--metadata x must be key=text or key:=json",
      "--image at most 3 can be sent, but there are 4",
      "--image shot.png must be at most 2 MB (2097152 bytes); it has 2097153 bytes",
      "--image doc.png must be PNG, JPEG, WebP or GIF; its bytes are PDF: send it with --attach",
      "--image none.png cannot be read (it does not exist)",
      "--image shot.png must be at most 2 MB (2097152 bytes); it has 2097153 bytes",
    ]);
    expect(received).toEqual([]);
    await expect(readdir(join(line.stateFolder, "spool"))).rejects.toThrow("ENOENT");
  });

  it.each([
    ["photo-iphone.heic", "HEIC, as iPhones store photographs: export it as JPEG"],
    ["photo-samsung.heic", "HEIC, as iPhones store photographs: export it as JPEG"],
    ["photo-called-jpeg.jpg", "HEIC, as iPhones store photographs: export it as JPEG"],
    ["picture.avif", "AVIF: export it as PNG or JPEG"],
  ])("says what to do about a photograph that no browser shows: %s", async (name, advice) => {
    const line = await createCommandLine();
    await copyFile(inputPath(name), join(line.cwd, name));
    const slot = "0197b3a0-0000-7000-8000-00000000000a";
    for (const command of [
      [...send, "--image", name],
      [...send, "--attach", name],
      ["proof", "submit", slot, "--image", name],
    ])
      expect(await faultsOf(line, command)).toEqual([expect.stringContaining(`; its bytes are ${advice}`)]);
    const sent = await line.run([...send, "--image", name, "--best-effort", "--dry-run"]);
    expect([sent.exit, sent.stdout]).toEqual([0, expect.stringContaining(advice)]);
  });

  it("shows the faults to a person in separate lines", async () => {
    const line = await createCommandLine();
    const { exit, stderr } = await line.run(["feedback", "send", "--type", "bug", "--image", "none.png"]);
    expect(exit).toBe(2);
    expect(stderr).toBe(
      "error: Nothing was sent. 2 things are wrong:\n" +
        "  --message is missing\n" +
        "  --image none.png cannot be read (it does not exist)\n",
    );
  });

  it.each([
    [
      "--image",
      "a.txt",
      "just text",
      "must be PNG, JPEG, WebP or GIF; its bytes are of no kind that can be sent",
    ],
    [
      "--video",
      "a.mp4",
      "just text",
      "must be MP4, WebM or QuickTime; its bytes are of no kind that can be sent",
    ],
    [
      "--attach",
      "a.zip",
      "PK\u0003\u0004",
      "must be PDF or a text file; its bytes are of no kind that can be sent",
    ],
    ["--image", "empty.png", "", "is empty"],
  ])("refuses for %s a file %s that is %j", async (flag, name, text, fault) => {
    const line = await createCommandLine();
    await writeFile(join(line.cwd, name), text);
    expect(await faultsOf(line, [...send, flag, name])).toEqual([`${flag} ${name} ${fault}`]);
  });

  it("refuses a folder", async () => {
    const line = await createCommandLine();
    await mkdir(join(line.cwd, "shots"));
    expect(await faultsOf(line, [...send, "--image", "shots"])).toEqual([
      "--image shots is not a regular file",
    ]);
  });

  it.each([
    ["--video", mp4(10 * MB + 1), "must be at most 10 MB (10485760 bytes); it has 10485761 bytes"],
    ["--attach", pdf(5 * MB + 1), "must be at most 5 MB (5242880 bytes); it has 5242881 bytes"],
  ])("refuses for %s a file that is one byte too large", async (flag, file, fault) => {
    const line = await createCommandLine();
    await place(line, file);
    expect(await faultsOf(line, [...send, flag, file.name])).toEqual([`${flag} ${file.name} ${fault}`]);
  });

  it.each([
    ["--video", mp4(), 3, "at most 2 can be sent, but there are 3"],
    ["--attach", pdf(), 4, "at most 3 can be sent, but there are 4"],
  ])("refuses too many files for %s", async (flag, file, count, fault) => {
    const line = await createCommandLine();
    await place(line, file);
    const flags = Array.from({ length: count }, () => [flag, file.name]).flat();
    expect(await faultsOf(line, [...send, ...flags])).toEqual([`${flag} ${fault}`]);
  });

  it.each([
    ["a blank message", ["--message", " \n "], "--message must not be empty"],
    [
      "a label that is too long",
      ["--dedupe-key", "x".repeat(201)],
      "--dedupe-key must have at most 200 characters",
    ],
    [
      "an e-mail address that is none",
      ["--message", "x", "--email", "nope"],
      "--email must be an address such as ada@example.org. Otherwise no reply reaches the sender",
    ],
    [
      "a missing text file",
      ["--message", "@no.txt"],
      "--message the file no.txt cannot be read (it does not exist).",
    ],
    ["broken JSON", ["--metadata", "a:={"], "--metadata a must be well-formed JSON after `:=`"],
    ["metadata without a name", ["--metadata", "=a"], "--metadata =a must be key=text or key:=json"],
  ])("refuses %s", async (_, flags, fault) => {
    const line = await createCommandLine();
    expect(await faultsOf(line, [...send, ...flags])).toEqual([fault]);
  });

  it("refuses to read standard input for two flags", async () => {
    const line = await createCommandLine();
    const argv = ["feedback", "send", "--type", "bug", "--message", "-", "--subject", "-"];
    expect(await faultsOf(line, argv, "text")).toEqual([
      "--subject standard input can be read once, and --message reads it",
    ]);
  });
});
