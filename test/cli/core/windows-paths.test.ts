import { win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { snapshotName } from "../../../server/dev/dev-server.ts";
import { isUnder } from "../../../src/cli/core/files.ts";
import { foldersUpwards } from "../../../src/cli/core/settings.ts";
import { slugOf } from "../../../src/cli/faq/entry.ts";
import { globOf } from "../../../src/cli/feedback/junit/find-files.lazy.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";

const raw = String.raw;

describe("Windows paths", () => {
  it.each([
    [raw`C:\work`, raw`C:\work\a.md`, true],
    [raw`C:\work`, raw`c:\WORK\a.md`, true],
    [raw`C:\work`, raw`C:\work\..a.md`, true],
    ["C:\\", raw`C:\a.md`, true],
    [raw`\\server\share`, raw`\\server\share\a.md`, true],
    [raw`C:\work`, raw`C:\work`, false],
    [raw`C:\work`, raw`C:\workshop\a.md`, false],
    [raw`C:\work`, raw`C:\a.md`, false],
    [raw`C:\work`, raw`D:\work\a.md`, false],
    [raw`\\server\share`, raw`\\server\other\a.md`, false],
  ])("are compared correctly: %s contains %s: %s", (folder, inner, expected) => {
    expect(isUnder(folder, inner, win32)).toBe(expected);
  });

  it.each([
    [raw`out\*.xml`, raw`D:\work\out`, "*.xml"],
    [raw`.\out\**\*.xml`, raw`D:\work\out`, "**/*.xml"],
    [raw`..\*.xml`, "D:\\", "*.xml"],
    [raw`C:\out\a\*.xml`, raw`C:\out\a`, "*.xml"],
    ["C:/out/{a,b/c}/*.xml", raw`C:\out`, "{a,b/c}/*.xml"],
    [raw`C:\*.xml`, "C:\\", "*.xml"],
    [raw`\out\*.xml`, raw`D:\out`, "*.xml"],
    [raw`\\server\share\out\*.xml`, raw`\\server\share\out`, "*.xml"],
    ["none.xml", raw`D:\work`, "none.xml"],
  ])("divide the pattern %s into a folder and a glob", (pattern, folder, glob) => {
    expect(globOf(raw`D:\work`, pattern, win32)).toEqual({ folder, glob });
  });

  it.each([
    [
      raw`C:\Users\Ada\app\web`,
      raw`c:\users\ada`,
      [raw`C:\Users\Ada\app\web`, raw`C:\Users\Ada\app`, raw`C:\Users\Ada`],
    ],
    [raw`D:\app`, raw`C:\Users\Ada`, [raw`D:\app`, "D:\\"]],
    [raw`\\server\share\app`, raw`C:\Users\Ada`, [raw`\\server\share\app`, "\\\\server\\share\\"]],
  ])("lead from %s up to the home folder %s or the root", (start, home, folders) => {
    expect(foldersUpwards(start, home, win32)).toEqual(folders);
  });

  it("end at the root if the home folder is unknown", () => {
    expect(foldersUpwards(raw`C:\a`, "", win32)).toEqual([raw`C:\a`, "C:\\"]);
  });

  it("are shown unchanged in the error about a missing file", async () => {
    const line = await createCommandLine({ INNKEEP_API_KEY: "any" });
    const file = raw`C:\none\answer.txt`;
    const { exit, stderr } = await line.run(["faq", "create", "--question", "Why?", "--answer", `@${file}`]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining(`the file ${file} cannot be read (it does not exist)`),
    ]);
  });

  it.each(["con", "NUL", "Com1.old", "lpt9.", "a.", raw`a\b`, "C:a", "..", raw`\\server\share`, "a b", ""])(
    "cannot be names of snapshots: '%s'",
    (name) => {
      expect(snapshotName.safeParse(name).success).toBe(false);
    },
  );

  it.each(["console", "com", "com10", "a.con", "1-nul"])("can be similar to reserved names: %s", (name) => {
    expect(snapshotName.safeParse(name).success).toBe(true);
  });

  it.each([
    ["CON?", "con-entry"],
    ["Lpt1", "lpt1-entry"],
    [raw`Where is C:\Users?`, "where-is-c-users"],
    ['Why: a|b <c> "d"*?', "why-a-b-c-d"],
    ["…", "entry"],
  ])("have a valid file name for the question %s", (question, name) => {
    expect(slugOf(question, new Set())).toBe(name);
  });
});
