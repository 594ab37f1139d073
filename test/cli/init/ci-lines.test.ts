import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { commandOfExample } from "../../support/clients/example-command.ts";

describe("the lines for CI that innkeep init prints", () => {
  const linesFor = async (files: readonly string[], ...flags: string[]) => {
    const line = await createCommandLine();
    for (const file of files) await writeFile(join(line.cwd, file), "");
    const ran = await line.run(["init", "--server", "https://inn.example.org", "--json", ...flags]);
    return Object(ran.json()).ci as { service: string; text: string }[];
  };

  it("are for the services whose files are in the folder, or for the service that a flag names", async () => {
    const services = async (...given: Parameters<typeof linesFor>) =>
      (await linesFor(...given)).map(({ service: name }) => name);
    expect(await services([".github", "Jenkinsfile"])).toEqual(["github", "jenkins"]);
    expect(await services([".gitlab-ci.yml"])).toEqual(["gitlab"]);
    expect(await services([".gitlab-ci.yml"], "--ci", "circleci")).toEqual(["circleci"]);
    expect(await services([".gitlab-ci.yml"], "--ci", "none")).toEqual([]);
    expect(await services([])).toEqual(["shell"]);
  });

  it.each(["github", "gitlab", "circleci"])("are YAML for %s", async (name) => {
    const [lines] = await linesFor([], "--ci", name);
    expect(parse(lines?.text ?? "", { strict: true })).toBeTypeOf("object");
  });

  it.each(["github", "gitlab", "circleci", "jenkins", "shell"])(
    "contain the address of the server for %s",
    async (name) => {
      const [lines] = await linesFor([], "--ci", name);
      expect(lines?.text).toMatch(/base-url:? https:\/\/inn\.example\.org/);
    },
  );

  it("contain no characters of a path that a shell would execute", async () => {
    const line = await createCommandLine();
    const ran = await line.run(["init", "--server", "https://inn.example.org/$(id)`id`'", "--ci", "shell"]);
    expect(ran.stdout).toContain("https://inn.example.org/%24%28id%29%60id%60%27");
  });

  it.each(["gitlab", "circleci", "jenkins", "shell"])(
    "contain for %s a command that exists",
    async (name) => {
      const [lines] = await linesFor([], "--ci", name);
      const [called = ""] = /\binnkeep feedback send [^'\n]*/.exec(lines?.text ?? "") ?? [];
      expect(await commandOfExample(called)).toBe("feedback send");
    },
  );
});
