import { describe, expect, it, onTestFinished } from "vitest";
import { withoutWarning } from "../../server/database/sqlite.ts";

describe("the SQLite module of Node", () => {
  it("is loaded without its warning that it is experimental, and later warnings are shown", async () => {
    const warned: string[] = [];
    const hear = ({ message }: Error) => void warned.push(message);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    const load = () => {
      process.emitWarning("experimental");
      return "loaded";
    };
    expect(withoutWarning(load)).toBe("loaded");
    expect(() =>
      withoutWarning(() => {
        throw new Error("not there");
      }),
    ).toThrow("not there");
    process.emitWarning("something else");
    await expect.poll(() => warned).toEqual(["something else"]);
  });
});
