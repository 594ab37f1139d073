import { copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../files/temporary-folder.ts";
import { innkeepServe } from "../../programs/built-program.ts";
import { litestream, litestreamConfig, startLitestream } from "../../programs/litestream.ts";

export const copiedSettings = { INNKEEP_RATE_LIMITS: "off", INNKEEP_LITESTREAM: "on" };

/** A report that a server has confirmed. */
export interface Acknowledged {
  readonly id: string;
  readonly sentAt: number;
  readonly at: number;
}

/** A data folder whose database Litestream copies, and the folder into which copies are restored. */
export async function copiedFolder() {
  const folder = await temporaryFolder();
  const data = join(folder, "data");
  const config = await litestreamConfig(folder, data, join(folder, "copies"));
  const database = join(data, "innkeep.db");
  return {
    data,
    /** Starts the server of a demo and Litestream. `sent` gets the confirmed reports. */
    async start(sent: Acknowledged[]) {
      const server = await innkeepServe(["--demo", "--port", "0", "--data", data], copiedSettings);
      const copying = await startLitestream(config);
      const { baseUrl, demo } = server.ready;
      const clients = [1, 2, 3, 4].map(() => sendReports(baseUrl, demo.apiKey, sent).catch(() => {}));
      /** Kills both, as when the machine is lost. Returns the instant. */
      const kill = async () => {
        server.child.kill("SIGKILL");
        const at = Date.now();
        await copying.kill();
        await server.ended;
        await Promise.all(clients);
        return at;
      };
      return { ...server, clients, kill };
    },
    /** Restores the last copy of the database, with the files and the secret beside it. */
    async restore(name: string): Promise<string> {
      const restored = join(folder, name);
      await mkdir(restored, { mode: 0o700 });
      await litestream("restore", "-config", config, "-o", join(restored, "innkeep.db"), database);
      await cp(join(data, "files"), join(restored, "files"), { recursive: true });
      await copyFile(join(data, "secret"), join(restored, "secret"));
      return restored;
    },
    async generations(): Promise<string[]> {
      const listed = await litestream("generations", "-config", config, database);
      return listed.trim().split("\n").slice(1);
    },
  };
}

/** Sends reports one after another, until the server has stopped. */
async function sendReports(baseUrl: string, apiKey: string, sent: Acknowledged[]): Promise<void> {
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  for (let n = 0; ; n++) {
    const body = JSON.stringify({ type: "bug", message: `Report ${n} ${"x".repeat(2_000)}` });
    const sentAt = Date.now();
    const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, { method: "POST", headers, body });
    const text = await answer.text();
    if (answer.status === 201) sent.push({ id: JSON.parse(text).id, sentAt, at: Date.now() });
  }
}
