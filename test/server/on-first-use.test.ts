import { describe, expect, it } from "vitest";
import { onFirstUse } from "../../server/http/operations.ts";

describe("a value that is created on first use", () => {
  it("is created once, even for two callers at the same time", async () => {
    let times = 0;
    const read = onFirstUse(async () => {
      times += 1;
      return times;
    });
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    expect(await read()).toBe(1);
  });

  it("is created again after a failure", async () => {
    let times = 0;
    const read = onFirstUse(async () => {
      times += 1;
      if (times === 1) throw new Error("not now");
      return times;
    });
    await expect(read()).rejects.toThrow("not now");
    expect(await read()).toBe(2);
  });
});
