import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withinLimit } from "../../src/credentials/keychain.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => {});

describe("an access to the keychain", () => {
  it("ends after three seconds without an answer, with another error than a refusal", async () => {
    const answer = expect(withinLimit(never, () => {})).rejects.toMatchObject({
      name: "KeychainError",
      isLate: true,
      message: "The keychain did not answer within 3 seconds.",
    });
    await vi.advanceTimersByTimeAsync(3_000);
    await answer;
  });

  it("does not end before three seconds", async () => {
    let ended = false;
    withinLimit(never, () => {}).catch(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(ended).toBe(false);
  });

  it("causes a message after half a second without an answer", async () => {
    const slow = vi.fn();
    withinLimit(never, slow).catch(() => {});
    await vi.advanceTimersByTimeAsync(499);
    expect(slow).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(slow).toHaveBeenCalledOnce();
  });

  it("leaves no timer after its answer", async () => {
    const slow = vi.fn();
    expect(await withinLimit(Promise.resolve("secret"), slow)).toBe("secret");
    expect(vi.getTimerCount()).toBe(0);
  });
});
