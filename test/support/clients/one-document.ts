import { expect } from "vitest";
import type { Ran } from "./command-line.ts";

/** Checks the streams of a command that ran with `--json`: one document of data, or one error on standard error. (rule L1) */
export function expectOneDocument({ exit, stdout, stderr }: Ran): void {
  const shown = `exit ${exit}\nstdout: ${stdout}\nstderr: ${stderr}`;
  if (stdout !== "") {
    expect(JSON.parse(stdout), shown).toBeTypeOf("object");
    expect(stdout, shown).toMatch(/\n$/);
  }
  if (stdout === "" || stderr !== "") {
    expect(JSON.parse(stderr), shown).toBeTypeOf("object");
    if (stdout === "")
      expect(JSON.parse(stderr), shown).toMatchObject({ error: expect.any(String), exitCode: exit });
  }
}
