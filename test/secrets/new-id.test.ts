import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createNewId } from "../../server/secrets/secrets.ts";

const many = (newId: () => string) => Array.from({ length: 5_000 }, newId);

describe("new ids", () => {
  it("are UUIDs of version 7", () => {
    for (const id of many(createNewId()))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("are each greater than the id before", () => {
    const ids = many(createNewId());
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it("differ between two processes in the same millisecond", () => {
    const ids = [createNewId(), createNewId()].flatMap(many);
    expect(new Set(ids).size).toBe(10_000);
  });
});

describe("new ids at a fixed time in May", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-05-01T12:00:00.000Z") }));
  afterEach(() => void vi.useRealTimers());

  it("are greater than earlier ids even if the clock is set back", () => {
    const newId = createNewId();
    const before = newId();
    vi.setSystemTime(Date.parse("2026-05-01T11:00:00.000Z"));
    expect(newId() > before).toBe(true);
  });

  it("contain the time of their creation", () => {
    const time = Number.parseInt(createNewId()().replace("-", "").slice(0, 12), 16);
    expect(new Date(time).toISOString()).toBe("2026-05-01T12:00:00.000Z");
  });
});
