import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { consume } from "../../server/http/body/read-body.ts";

const KB = 1_024;

it("the server pauses after each 128 KiB of a body, so that other work continues", async () => {
  const chunks = Array.from({ length: 100 }, () => Buffer.alloc(16 * KB));
  let taken = 0;
  let most = 0;
  const turns = setInterval(() => {}, 1);
  const look = () => {
    most = Math.max(most, taken);
    taken = 0;
    if (turns.hasRef()) setImmediate(look);
  };
  look();
  await consume(Readable.from(chunks), { bytes: 10_000 * KB }, (chunk) => {
    taken += chunk.length;
  });
  turns.unref();
  clearInterval(turns);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(144 * KB);
});
