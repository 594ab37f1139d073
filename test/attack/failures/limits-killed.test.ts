import { join } from "node:path";
import { expect, it } from "vitest";
import { usesOfBatches } from "../../../server/http/limits/uses-of-batches.ts";
import { openDatabase } from "../../../server/store/engine/open.ts";
import { eventually } from "../../support/eventually.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { startInnkeep } from "../../support/programs/built-program.ts";
import { request } from "../../support/service/request.ts";

it("A server that is killed remembers the uses of a limit that were stored before", async () => {
  const data = await temporaryFolder();
  const serve = () =>
    startInnkeep(["--demo", "--port", "0", "--data", data], { INNKEEP_RATE_LIMITS: "feedback=3/3600" });
  const first = await serve();
  const { demo } = first.ready;
  const submit = (baseUrl: string) =>
    request(baseUrl, "POST", "/api/v1/feedback/remote", {
      headers: { "x-api-key": demo.apiKey },
      body: { type: "bug", message: "It crashes." },
    });
  for (let n = 0; n < 3; n++) expect(await submit(first.ready.baseUrl)).toMatchObject({ status: 201 });

  const database = await openDatabase({ file: join(data, "innkeep.db") });
  await eventually(async () => {
    const { uses } = await usesOfBatches(database);
    const counts = [...uses].filter(([key]) => key.startsWith("feedback:")).map(([, ofKey]) => ofKey);
    expect(counts.flat().reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });
  await database.close();
  await first.kill();

  const second = await serve();
  expect(await submit(second.ready.baseUrl)).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  await second.kill();
});
