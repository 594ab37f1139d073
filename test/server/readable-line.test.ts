import { describe, expect, it } from "vitest";
import { createLog, readableLine } from "../../server/log.ts";

/** Returns the text that a person sees for a log entry. */
function shown(log: (to: ReturnType<typeof createLog>) => void): string {
  let text = "";
  const write = (line: string) => {
    text += readableLine(line);
  };
  log(createLog("info", { write }));
  return text;
}

describe("the log of a demo on a terminal", () => {
  it("has a line of words for each entry", () => {
    expect(shown((log) => log.info({ count: 3 }, "deleted files"))).toMatch(
      /^\d\d:\d\d:\d\d info {2}deleted files count=3\n$/,
    );
  });

  it("has no lines for answered requests, except failures", () => {
    const answered = (status: number) => ({ requestId: "r", method: "POST", route: "/x", status, ms: 2 });
    expect(shown((log) => log.info(answered(201), "answered"))).toBe("");
    expect(shown((log) => log.info(answered(500), "answered"))).toContain("status=500");
  });

  it("says what failed, and removes control sequences for the terminal", () => {
    const text = shown((log) =>
      log.error({ err: new Error("gone\u001b[2J"), name: "\u001b[2J" }, "it failed"),
    );
    expect(text).toContain("error it failed");
    expect(text).toContain("gone");
    expect(text).not.toContain("\u001b");
  });
});
