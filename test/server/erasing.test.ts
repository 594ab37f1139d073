import { expect, it, onTestFinished } from "vitest";
import { createEraser } from "../../server/erasure/eraser.ts";
import { erasures } from "../../server/erasure/store/erasures.ts";
import { sealAddress } from "../../server/secrets/secrets.ts";
import { type Service, startService } from "../support/service/service.ts";

const start = async () => {
  const service = await startService({ erases: false });
  onTestFinished(() => service.stop());
  const owner = await service.makeUser();
  return { service, ownerId: owner.id };
};

/** Begins an erasure. In these tests the service does not continue it by itself. */
const add = ({ deps }: Service, ownerId: string, email: string) => {
  const id = deps.newId();
  const createdAt = deps.clock.now().toISOString();
  const emailSealed = sealAddress(deps.sealer, email);
  const row = { id, ownerId, personHash: email, emailSealed, createdAt };
  return deps.database.write((tx) => erasures.insert(tx, row)).then(() => id);
};

const statusOf = async ({ deps }: Service, id: string) => (await erasures.findAny(deps.database, id))?.status;

/** Begins a step that never ends, as if the server had stopped during it. */
const endInStep = ({ deps }: Service): Promise<void> =>
  new Promise((resolve) => {
    const get = () => {
      resolve();
      return new Promise<never>(() => {});
    };
    void createEraser({ ...deps, database: { ...deps.database, get } }).next();
  });

it("an erasure that ends the server process each time is given up after five attempts, and the next erasure is done", async () => {
  const { service, ownerId } = await start();
  const id = await add(service, ownerId, "ada@kitchen.example");
  const other = await add(service, ownerId, "bo@cellar.example");
  for (let count = 0; count < 5; count += 1) await endInStep(service);
  const eraser = createEraser(service.deps);
  while ((await eraser.next()) > 0);
  expect([await statusOf(service, id), await statusOf(service, other)]).toEqual(["stopped", "done"]);
  expect(service.logged()).toContain("an erasure is stopped");
});

it("an erasure that fails is tried again after other erasures, even if it failed several times", async () => {
  const { service, ownerId } = await start();
  const id = await add(service, ownerId, "ada@kitchen.example");
  const other = await add(service, ownerId, "bo@cellar.example");
  let fails = true;
  const open = (sealed: string) => {
    const address = service.deps.sealer.open(sealed);
    if (fails && address.startsWith("ada@")) throw new Error("No.");
    return address;
  };
  const eraser = createEraser({ ...service.deps, sealer: { ...service.deps.sealer, open } });
  await expect(eraser.next()).rejects.toThrow("No.");
  for (let count = 0; count < 6; count += 1) {
    await expect(
      createEraser({ ...service.deps, sealer: { ...service.deps.sealer, open } }).next(),
    ).rejects.toThrow("No.");
  }
  while ((await statusOf(service, other)) !== "done") await eraser.next();
  expect(await statusOf(service, id)).toBe("running");
  await expect(eraser.next()).rejects.toThrow("No.");
  expect(await eraser.pause()).toBe(2_000);
  fails = false;
  while ((await eraser.next()) > 0);
  expect(await statusOf(service, id)).toBe("done");
});
