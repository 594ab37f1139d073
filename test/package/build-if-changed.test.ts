import { once } from "node:events";
import { appendFile, cp, readdir, rm, stat } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { allOf, ended, newCheckout, outputs, sources, sourcesOfTools } from "./support/fake-checkout.ts";

describe("a build", () => {
  it("is done once for equal inputs", async () => {
    const { builds, write, names } = await newCheckout();
    expect([await builds(), await builds()]).toEqual([1, 1]);
    await write("dist/more.txt", "What others write beside it.");
    expect(await builds()).toBe(1);
    expect(await names()).toEqual([...allOf("programs", 0), "dist/more.txt"].sort());
  });

  it("is done again if any of the inputs has changed", async () => {
    const { at, builds } = await newCheckout();
    let expected = await builds();
    for (const file of [...sources, "build/programs.mjs"]) {
      await appendFile(at(file), " ");
      expected += 1;
      expect([file, await builds()]).toEqual([file, expected]);
    }
  });

  it("is done again if a file was added or renamed", async () => {
    const { at, write, builds } = await newCheckout();
    await builds();
    await write("src/new.ts");
    expect(await builds()).toBe(2);
    await cp(at("src/new.ts"), at("src/newer.ts"));
    await rm(at("src/new.ts"));
    expect(await builds()).toBe(3);
  });

  it("is done again if a built file was changed or deleted", async () => {
    const { at, write, builds } = await newCheckout();
    await builds();
    await write("dist/cli.cjs", "other");
    expect(await builds()).toBe(2);
    await rm(at("dist/server.cjs"));
    expect(await builds()).toBe(3);
    await rm(at("dist"), { recursive: true });
    expect(await builds()).toBe(4);
  });

  it("deletes files of the previous build that it no longer creates", async () => {
    const { write, builds, names } = await newCheckout();
    await builds();
    await write("src/a.ts", "longer");
    await builds();
    expect(await names()).toEqual(allOf("programs", 6));
  });

  it("that fails shows the reason, and changes nothing", async () => {
    const { write, start, builds, names, text } = await newCheckout();
    await builds();
    await write("src/a.ts", "changed");
    for (const _ of ["once", "again"]) {
      const { code, stderr } = await ended(start([], { FAIL: "yes" }));
      expect([code, stderr]).toEqual([1, expect.stringContaining("It failed.")]);
    }
    expect([await names(), await text("dist/cli.cjs")]).toEqual([allOf("programs", 0), ""]);
    await write("src/a.ts");
    expect(await builds()).toBe(3);
    await write("src/a.ts", "changed");
    expect(await builds()).toBe(4);
  });

  it("that a person stops leaves no files", async () => {
    const { at, start } = await newCheckout();
    const build = start([], { WAIT: "yes" });
    await once(build.stdout, "data");
    build.kill("SIGINT");
    expect(await ended(build)).toEqual({ code: 1, stderr: "" });
    expect((await readdir(at("."))).filter((name) => /^\.|^dist$/.test(name))).toEqual([]);
  });

  it.each([["nothing"], ["programs", "--quickly"], ["constructor"]])(
    "is not done for the arguments %s %s",
    async (...words) => {
      const { start, names } = await newCheckout();
      expect(await ended(start(words))).toEqual({
        code: 2,
        stderr: expect.stringContaining(words.at(-1) ?? ""),
      });
      expect(await names()).toEqual([]);
    },
  );
});

describe("the targets of a build", () => {
  it("can exist together, and each is built only if it is out of date", async () => {
    const { builds, runsOf, names } = await newCheckout();
    expect([await builds("package"), await runsOf("programs")]).toEqual([1, 1]);
    expect([await builds("tools"), await runsOf("programs")]).toEqual([1, 1]);
    expect([await builds("programs"), await builds("package"), await builds("tools")]).toEqual([1, 1, 1]);
    const all = [...allOf("programs", 0), ...allOf("package", 0), ...allOf("tools", 0)];
    expect(await names()).toEqual(all.sort());
  });

  it("are built separately: the programs need no package and no tools", async () => {
    const { builds, runsOf, write } = await newCheckout();
    await builds("package");
    await write("src/a.ts", "changed");
    await builds("programs");
    expect([await runsOf("package"), await runsOf("tools")]).toEqual([1, 0]);
  });

  it("have separate inputs in addition to the common inputs", async () => {
    const { at, builds, runsOf } = await newCheckout();
    await builds("tools");
    for (const file of sourcesOfTools) await appendFile(at(file), " ");
    expect([await builds("tools"), await runsOf("programs")]).toEqual([2, 1]);
    await builds("package");
    await appendFile(at("tsconfig.types.json"), " ");
    expect([await builds("package"), await runsOf("programs")]).toEqual([2, 1]);
  });

  it("include the content of the programs as an input, even if the programs were built before", async () => {
    const { builds, text, write } = await newCheckout();
    await write("src/a.ts", "x");
    await builds("programs");
    await builds("package");
    expect(JSON.parse(await text("dist/built-package.json")).bundles).toEqual({
      programs: ["x"],
      package: ["x"],
    });
  });

  it("begin without old files for npm, so that the package has no other file", async () => {
    const { builds, runsOf, write, names } = await newCheckout();
    await builds("tools");
    await builds("package");
    await write("dist/left.cjs");
    await write("action/left.cjs");
    expect([await builds("package", "--afresh"), await runsOf("programs")]).toEqual([2, 2]);
    expect(await names()).toEqual([...allOf("programs", 0), ...allOf("package", 0)].sort());
  });
});

describe("programs that run from the built files during a build", () => {
  it("find all files, and their folder never changes to another one", async () => {
    const { at, start, builds, write, names, text } = await newCheckout();
    await builds("package");
    const folders = () => Promise.all(["dist", "action"].map(async (name) => (await stat(at(name))).ino));
    const before = await folders();
    await write("src/a.ts", "changed");
    const build = start(["package"], { WAIT: "yes" });
    await once(build.stdout, "data");
    const found = (await names()).filter((name) => !name.startsWith("."));
    expect(found).toEqual([...allOf("programs", 0), ...allOf("package", 0)].sort());
    expect(await text("dist/server.cjs")).toBe("");
    build.stdin.end();
    expect(await ended(build)).toMatchObject({ code: 0 });
    expect(await text("dist/server.cjs")).toBe("changed");
    expect(await folders()).toEqual(before);
  });
});

describe("two builds at the same time in one folder", () => {
  it("leave a complete result", async () => {
    const { start, builds, runsOf, names } = await newCheckout();
    const two = [start(["package"], { WAIT: "yes" }), start(["package"], { WAIT: "yes" })];
    await Promise.all(two.map((build) => once(build.stdout, "data")));
    for (const build of two) build.stdin.end();
    for (const end of two.map(ended)) expect(await end).toEqual({ code: 0, stderr: "" });
    expect(await names()).toEqual([...allOf("programs", 0), ...allOf("package", 0)].sort());
    const before = await runsOf("package");
    expect([await builds("package"), await runsOf("programs")]).toEqual([before, 2]);
  });

  it("leave the result of the newest sources, even if the build that began before a change ends last", async () => {
    const { start, builds, runsOf, write, names, text } = await newCheckout();
    const early = start([], { WAIT: "yes" });
    await once(early.stdout, "data");
    await write("src/a.ts", "changed");
    await builds();
    early.stdin.end();
    expect(await ended(early)).toEqual({ code: 0, stderr: "" });
    expect(await names()).toEqual(allOf("programs", 7));
    expect(await Promise.all(outputs.programs.map(text))).toEqual(["changed", "changed"]);
    const before = await runsOf("programs");
    expect(await builds()).toBe(before);
  });
});
