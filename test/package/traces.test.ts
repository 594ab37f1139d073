import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const server = readFileSync(new URL("../../dist/server.cjs", import.meta.url), "utf8");

describe("the stack traces of the built server", () => {
  it.each(["claimVerdict", "livesOfThread", "readCursor", "demoAnnouncement", "showDesk"])(
    "contain the name of its function %s",
    (name) => {
      expect(server).toMatch(new RegExp(`function ${name}\\(`));
    },
  );
});
