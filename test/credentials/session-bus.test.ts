import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sessionBusOf } from "../../src/credentials/session-bus.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

const userId = process.getuid?.();
const platform = "linux";

async function busIn(folder: string): Promise<string> {
  const server = createServer().listen(join(folder, "bus"));
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `unix:path=${join(folder, "bus")}`;
}

describe.skipIf(userId === undefined)("the address of the D-Bus session bus without its variable", () => {
  it("is found in the runtime folder that the environment names", async () => {
    const folder = await temporaryFolder();
    const address = await busIn(folder);
    expect(sessionBusOf({ env: { XDG_RUNTIME_DIR: folder }, platform, userId })).toBe(address);
  });

  it("is found in the user's runtime folder if the environment names none", async () => {
    const runtimeRoot = await temporaryFolder();
    const { mkdir } = await import("node:fs/promises");
    const own = join(runtimeRoot, String(userId));
    await mkdir(own);
    const address = await busIn(own);
    expect(sessionBusOf({ env: {}, platform, userId, runtimeRoot })).toBe(address);
  });

  it("is not changed if the variable is set, or on other systems", async () => {
    const folder = await temporaryFolder();
    await busIn(folder);
    const env = { XDG_RUNTIME_DIR: folder };
    const named = { ...env, DBUS_SESSION_BUS_ADDRESS: "unix:path=/else" };
    expect(sessionBusOf({ env: named, platform, userId })).toBeUndefined();
    expect(sessionBusOf({ env, platform: "darwin", userId })).toBeUndefined();
  });

  it("is never a file, a missing path or the socket of another user", async () => {
    const runtimeRoot = await temporaryFolder();
    const folder = await temporaryFolder();
    const env = { XDG_RUNTIME_DIR: folder };
    expect(sessionBusOf({ env, platform, userId, runtimeRoot })).toBeUndefined();
    await writeFile(join(folder, "bus"), "");
    expect(sessionBusOf({ env, platform, userId, runtimeRoot })).toBeUndefined();
    const other = await temporaryFolder();
    await busIn(other);
    const strange = { env: { XDG_RUNTIME_DIR: other }, platform, userId: 4_242_424, runtimeRoot };
    expect(sessionBusOf(strange)).toBeUndefined();
  });
});
