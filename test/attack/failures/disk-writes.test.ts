import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";
import { rounds } from "../../support/torture.ts";

interface Ready {
  readonly baseUrl: string;
  readonly demo: { readonly apiKey: string };
}

/** Runs the server under strace. Returns how often it asked the kernel to write to the disk while `use` ran. */
async function syncsDuring(use: (ready: Ready) => Promise<void>): Promise<number> {
  const data = await temporaryFolder();
  const trace = join(await temporaryFolder(), "trace");
  const serving = [process.execPath, innkeepPath, "serve", "--demo", "--json", "--port", "0", "--data", data];
  const argv = ["-D", "-f", "-e", "trace=fsync,fdatasync", "-o", trace, ...serving];
  const child = spawn("strace", argv, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH, INNKEEP_RATE_LIMITS: "off" },
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  const line: Buffer = await new Promise((resolve) => child.stdout.once("data", resolve));
  const count = async () => (await readFile(trace, "utf8")).split("sync(").length;
  const before = await count();
  await use(JSON.parse(line.toString()));
  const syncs = (await count()) - before;
  child.kill("SIGTERM");
  await ended;
  return syncs;
}

const hasStrace = await new Promise<boolean>((resolve) => {
  const child = spawn("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" });
  child.on("error", () => resolve(false));
  child.on("exit", (code) => resolve(code === 0));
});

if (hasStrace)
  describe("a report that the server has acknowledged", () => {
    // With a file: the file itself, its two folders, the root of the files, and the transaction.
    it.each([
      ["without files", 1, () => []],
      ["with a new file", 5, (n: number) => [dataUrl(png(1_000 + n))]],
    ] as const)(
      "%s was written to the disk %i times before the answer",
      { timeout: 120_000 },
      async (_, each, imagesOf) => {
        const reports = rounds(20, 200);
        const syncs = await syncsDuring(async ({ baseUrl, demo }) => {
          for (let n = 0; n < reports; n++) {
            const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, {
              method: "POST",
              headers: { "x-api-key": demo.apiKey, "content-type": "application/json" },
              body: JSON.stringify({ type: "bug", message: "Durable.", images: imagesOf(n) }),
            });
            expect(answer.status).toBe(201);
          }
        });
        process.stdout.write(`${syncs} writes to the disk for ${reports} reports\n`);
        expect(syncs).toBeGreaterThanOrEqual(each * reports);
      },
    );
  });
