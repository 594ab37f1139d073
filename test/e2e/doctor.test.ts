import { expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep, innkeepServe } from "../support/programs/built-program.ts";

it("the built command doctor finds its server of the same version, and the requirements of `serve`", async () => {
  const { ready } = await innkeepServe(["--port", "0", "--data", await temporaryFolder()]);
  const env = { INNKEEP_BASE_URL: ready.baseUrl, HOME: await temporaryFolder() };
  const { code, stdout } = await innkeep(["doctor", "--json"], { env });
  const { findings, version } = JSON.parse(stdout);
  const found = Object.fromEntries(findings.map((one: { check: string; what: string }) => [one.check, one]));
  expect(code).toBe(0);
  expect(found.serve).toMatchObject({ state: "ok" });
  expect(found.server).toMatchObject({ state: "ok", what: `It is Innkeep ${version}.` });
  expect(found.versions).toMatchObject({ state: "ok" });
});
