import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../../server/database/open.ts";
import { countsOf, erasures } from "../../../server/erasure/store/erasures.ts";
import { createSealer, sealAddress } from "../../../server/secrets/secrets.ts";
import { sqlite } from "../../support/database/databases.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { makeDeployment } from "../../support/service/deployment.ts";
import { rounds } from "../../support/torture.ts";
import { graceAddress, makePersonEverywhere } from "../../support/worlds/people/person-everywhere.ts";

const secret = "s".repeat(32);
const kills = rounds(4, 60);

let eraser: ChildProgram;
beforeAll(async () => {
  eraser = await childProgram(join(import.meta.dirname, "../../support/programs/people-eraser.ts"));
});
afterAll(() => eraser.remove());

it(`an erasure is completed once even if the server is killed ${kills} times during it`, {
  timeout: 600_000,
}, async () => {
  const deployment = await makeDeployment(sqlite);
  onTestFinished(() => deployment.remove());
  const service = await deployment.serve();
  const { owner } = await makePersonEverywhere(service);
  await service.stop();
  const address = { file: join(deployment.data, "innkeep.db") };
  const database = await openDatabase(address);
  const id = "0198c1a3-4c77-7d54-9ebf-6a7b8c9d0001";
  await database.write((tx) =>
    erasures.insert(tx, {
      ...{ id, ownerId: owner.id, personHash: "hash", createdAt: new Date().toISOString() },
      emailSealed: sealAddress(createSealer(secret), graceAddress),
    }),
  );
  await database.close();
  const start = () => eraser.start({ ERASER: JSON.stringify({ address, data: deployment.data, secret }) });
  for (let kill = 0; kill < kills; kill++) {
    const running = start();
    await running.printed(1 + (kill % 5)).catch(() => undefined);
    await running.kill();
  }
  const last = start();
  for (let steps = 1; ; steps++)
    if (
      !(await last.printed(steps).then(
        () => true,
        () => false,
      ))
    )
      break;

  const after = await openDatabase(address);
  const row = await erasures.find(after, id, owner.id);
  await after.close();
  expect(row).toMatchObject({ status: "done", emailSealed: null, files: "[]" });
  expect(row && countsOf(row)).toMatchObject({
    threads: 1,
    reports: 1,
    messages: 1,
    files: 3,
    audit: 3,
    texts: 9,
  });
  for (const file of await filesIn(deployment.data))
    expect((await readFile(file)).toString("latin1").toLowerCase().includes(graceAddress)).toBe(false);
});
