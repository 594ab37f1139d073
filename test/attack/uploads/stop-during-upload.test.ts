import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { holdConnections } from "../../support/network/hostile-connections.ts";
import { headOf } from "../../support/network/raw-connection.ts";
import { innkeepServe } from "../../support/programs/built-program.ts";

it("an upload during the stop of the server is answered with 503, and the server ends", async () => {
  const argv = ["--demo", "--port", "0", "--data", await temporaryFolder()];
  const { ready, child, ended } = await innkeepServe(argv, {
    INNKEEP_BUDGETS: "stopMilliseconds=500",
  });
  const headers = { "x-api-key": ready.demo.apiKey, "Content-Type": "application/json" };
  const head = headOf("POST", "/api/v1/feedback/remote", { ...headers, "Content-Length": 5_000_000 });
  const held = await holdConnections(ready.baseUrl, 3, `${head}{"type":"bug","images":["`);
  held.send("A".repeat(100_000));
  // An answer to a later request shows that the uploads have reached the server.
  await fetch(`${ready.baseUrl}/readyz`);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  await expect.poll(held.open).toBe(0);
  for (const answer of held.received()) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toContain("The server is stopping");
  }
});
