import { describe, expect, it } from "vitest";
import { createOutage } from "../../../server/files/s3-files.ts";

function outageAt() {
  let now = 1_000;
  const outage = createOutage(() => now);
  return { outage, at: (time: number) => (now = time) };
}

describe("an outage of the S3 storage", () => {
  it("begins with a request without an answer, and then allows one request each quarter of a second", () => {
    const { outage, at } = outageAt();
    expect([outage.mayTry(), outage.mayTry()]).toEqual([true, true]);
    outage.failed(900);
    expect(outage.mayTry()).toBe(false);
    at(1_250);
    expect([outage.mayTry(), outage.mayTry()]).toEqual([true, false]);
  });

  it("ends with the first answer", () => {
    const { outage } = outageAt();
    outage.failed(900);
    outage.worked();
    expect([outage.mayTry(), outage.mayTry()]).toEqual([true, true]);
  });

  it("does not begin while other requests are answered", () => {
    const { outage } = outageAt();
    outage.worked();
    outage.failed(900);
    expect(outage.mayTry()).toBe(true);
  });
});
