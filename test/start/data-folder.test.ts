import { expect, it, onTestFinished } from "vitest";
import { takeDataFolder } from "../../server/start/data-folder.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

it("a data folder that cannot be created is refused at once", async () => {
  const waiting = { patienceMs: 0 };
  await expect(
    takeDataFolder({ data: "/proc/x/y", databaseUrl: undefined }, () => {}, waiting),
  ).rejects.toThrow("INNKEEP_DATA must be a writable folder, not `/proc/x/y`.");
});

it("a data folder in use causes a message before the wait, and then an error with advice", async () => {
  const data = await temporaryFolder();
  const said: string[] = [];
  const take = (patienceMs: number) =>
    takeDataFolder({ data, databaseUrl: undefined }, (text) => said.push(text), { patienceMs });
  const lock = await take(0);
  onTestFinished(() => lock.release());
  expect(said).toEqual([]);
  await expect(take(0)).rejects.toMatchObject({
    name: "FolderInUse",
    message: `Another server, or a restore, uses the folder ${data}. Stop it first, or choose another folder with --data or INNKEEP_DATA.`,
  });
  expect(said).toEqual([
    `Another server, or a restore, uses the folder ${data}. Waiting until it ends, for up to 0 s.\n`,
  ]);
});
