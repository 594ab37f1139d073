import { afterAll, beforeAll, expect, it } from "vitest";
import { createTouch } from "../../server/http/authenticate.ts";
import { type Service, startService } from "../support/service/service.ts";

const hourMs = 3_600_000;
const hour = "2026-06-01T12:00:00.000Z";

let service: Service;
beforeAll(async () => {
  service = await startService();
  service.clock.setOffset(Date.parse(hour) + 60_000 - Date.now());
});
afterAll(() => service.stop());

/** Records the use of a credential whose use in this hour is already recorded. */
function touchIn() {
  const touch = createTouch(service.deps);
  return Object.assign(
    (hash: string, lastUsedAt = hour) => touch(hash, { id: hash, lastUsedAt }, async () => 0),
    touch,
  );
}

it("the memory of used credentials keeps a use for its hour", () => {
  const touch = touchIn();
  touch("a");
  expect(touch.recorded("a")).toEqual({ from: Date.parse(hour), until: Date.parse(hour) + hourMs });
});

it("the memory of used credentials keeps 100,000 credentials, and deletes the oldest", () => {
  const touch = touchIn();
  for (let count = 0; count <= 100_000; count += 1) touch(String(count));
  expect(touch.recorded("0").from).toBeNaN();
  for (const kept of ["1", "100000"]) expect(touch.recorded(kept).from).toBe(Date.parse(hour));
});

it("the memory of used credentials deletes uses of an earlier hour", () => {
  const touch = touchIn();
  touch("a");
  service.clock.advance(hourMs);
  touch("b", "2026-06-01T13:00:00.000Z");
  expect(touch.recorded("a").from).toBeNaN();
  service.clock.advance(-hourMs);
});
