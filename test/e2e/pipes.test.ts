import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, writeFileSync } from "node:fs";
import { readdir, readlink, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { startRecordingServer } from "../support/network/recording-server.ts";
import { innkeep, innkeepPath, innkeepServe } from "../support/programs/built-program.ts";

async function namedPipe(): Promise<string> {
  const path = join(await temporaryFolder(), "pipe");
  await promisify(execFile)("mkfifo", [path]);
  return path;
}

/** Whether the process has the file open, according to its folder in /proc. */
async function isOpenIn(pid: number, path: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => "")),
  );
  return targets.includes(path);
}

it("a message is read from a named pipe, even if its writer starts later", async () => {
  const { ready } = await innkeepServe(["--demo", "--port", "0", "--data", await temporaryFolder()]);
  const env = { INNKEEP_BASE_URL: ready.baseUrl, INNKEEP_API_KEY: ready.demo.apiKey };
  const pipe = await namedPipe();
  const argv = ["feedback", "send", "--type", "bug", "--message", `@${pipe}`, "--json"];
  const sending = innkeep(argv, { env });
  // Waits for a reader.
  await writeFile(pipe, "The build failed.\n");
  expect(await sending).toMatchObject({ code: 0, stdout: expect.stringContaining('"id"') });
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "the signal %s ends the wait for a pipe without a writer",
  async (signal) => {
    const pipe = await namedPipe();
    const argv = [
      "feedback",
      "send",
      "--type",
      "bug",
      "--message",
      `@${pipe}`,
      "--base-url",
      "http://127.0.0.1:1",
    ];
    const child = spawn(process.execPath, [innkeepPath, ...argv], {
      env: { PATH: process.env.PATH, INNKEEP_API_KEY: "sdk_x" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const said = text(child.stderr);
    const ended = new Promise((resolve) => child.on("exit", resolve));
    await expect.poll(() => isOpenIn(child.pid ?? 0, pipe)).toBe(true);
    child.kill(signal);
    expect([await ended, await said]).toEqual([130, "Interrupted. Nothing was sent.\n"]);
  },
);

/** Runs `feedback send` with these streams open. Returns its exit code and the messages that the server got. */
async function sentFrom(
  source: string,
  stdio: { readonly input?: number | Socket; readonly third?: number },
) {
  const { baseUrl, received } = await startRecordingServer();
  const argv = ["feedback", "send", "--type", "bug", "--message", `@${source}`, "--base-url", baseUrl];
  const child = spawn(process.execPath, [innkeepPath, ...argv], {
    env: { PATH: process.env.PATH, INNKEEP_API_KEY: "sdk_x" },
    stdio: [stdio.input ?? "ignore", "ignore", "ignore", stdio.third ?? "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const code = await new Promise((resolve) => child.on("exit", resolve));
  return { code, messages: received.map(({ body }) => JSON.parse(body.toString()).message) };
}

/** A descriptor that reads a pipe with a text whose writer has ended. */
function endedPipe(path: string, content: string): number {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(reader));
  writeFileSync(path, content);
  return reader;
}

const whole = { code: 0, messages: ["The build failed."] };

it.each(["/dev/stdin", "/dev/fd/0"])(
  "a message is read from %s, even if its writer has ended",
  async (source) => {
    const input = endedPipe(await namedPipe(), "The build failed.\n");
    expect(await sentFrom(source, { input })).toEqual(whole);
  },
);

it("a message is read from another open descriptor, even if its writer has ended", async () => {
  const third = endedPipe(await namedPipe(), "The build failed.\n");
  expect(await sentFrom("/dev/fd/3", { third })).toEqual(whole);
});

it("a message is read from /dev/stdin if it is a socket", async () => {
  const server = createServer((socket) => socket.end("The build failed.\n")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const input = connect({ port: address.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void input.destroy());
  await once(input, "connect");
  input.pause();
  expect(await sentFrom("/dev/stdin", { input })).toEqual(whole);
});

it("a message of 600 MB is read from standard input, and its beginning and end are sent", async () => {
  const { baseUrl, received } = await startRecordingServer();
  const send = `"${process.execPath}" "${innkeepPath}" feedback send --type bug --message - --base-url ${baseUrl}`;
  const log = "echo first; yes 'another line of the log' | head -c 600000000; echo; echo last";
  const lines = `{ ${log}; } | ${send}`;
  const env = { PATH: process.env.PATH, INNKEEP_API_KEY: "sdk_x" };
  await promisify(execFile)("sh", ["-c", lines], { env });
  const { message } = JSON.parse(received[0]?.body.toString() ?? "");
  expect(message).toMatch(/^first\nanother line/);
  expect(message).toMatch(/\n\[… all but [\d,]+ characters of 572\.2 MB were cut here …\]\n[\s\S]*\nlast$/);
});

it.each(["head -c 67108865", "cat"])(
  "another text of more than 64 MiB on standard input, from %j, is refused in one sentence",
  async (through) => {
    const argv = ["faq", "create", "--question", "-", "--answer", "A", "--base-url", "http://127.0.0.1:9"];
    // If much memory is in use, Node may wait forever at its exit for code that it compiles in another thread
    // (nodejs/node#54918).
    const node = `"${process.execPath}" --no-concurrent-recompilation`;
    const lines = `yes | ${through} | ${node} "${innkeepPath}" ${argv.join(" ")}`;
    const env = { PATH: process.env.PATH, INNKEEP_API_KEY: "sdk_x" };
    const ended = await promisify(execFile)("sh", ["-c", lines], { env }).catch(Object);
    expect([ended.code, ended.stderr]).toEqual([
      2,
      "error: --question: Standard input is larger than 64 MiB.\n",
    ]);
  },
);
