import { vi } from "vitest";

/** Waits until a check succeeds, also on a slow machine. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000 });
