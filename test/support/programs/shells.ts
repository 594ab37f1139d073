import { spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../files/temporary-folder.ts";

export type ShellName = "bash" | "zsh" | "fish";

/** Whether this machine has a shell. */
export const hasShell = (name: ShellName): boolean => spawnSync(name, ["--version"]).status === 0;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const drivers: Readonly<
  Record<ShellName, (script: string, lines: readonly (readonly string[])[]) => string>
> = {
  bash: (script, lines) =>
    [
      `source ${script}`,
      ...lines.map(
        (words) =>
          `COMP_WORDS=(${words.map(quoted).join(" ")}); COMP_CWORD=${words.length - 1}; _innkeep; ` +
          `printf '%s\\n' "\${COMPREPLY[@]}"; echo '=='`,
      ),
    ].join("\n"),
  // The builtins of a completion widget are replaced, because they work only inside of a widget.
  zsh: (script, lines) =>
    [
      `_describe() { print -rl -- "\${(@)\${(@P)2}%%:*}" }; _files() { print -rl -- *(N) }; compset() { : }`,
      `source ${script}`,
      ...lines.map(
        (words) => `words=(${words.map(quoted).join(" ")}); CURRENT=${words.length}; _innkeep; echo '=='`,
      ),
    ].join("\n"),
  fish: (script, lines) =>
    [
      `source ${script}`,
      ...lines.map(
        (words) => `complete -C ${quoted(words.join(" "))} | string replace -r '\\t.*' ''; echo '=='`,
      ),
    ].join("\n"),
};

const flagsOfShell = { bash: ["--norc", "-c"], zsh: ["-f", "-c"], fish: ["--no-config", "-c"] } as const;

/** A shell that has read a script. \`innkeep\` is a program that prints \`listed\`, and records that it was called. */
export async function completingShell(name: ShellName, script: string, listed: string) {
  const folder = await temporaryFolder();
  const [file, fake, calls] = ["script", "innkeep", "calls"].map((one) => join(folder, one));
  await writeFile(file ?? "", script);
  await writeFile(fake ?? "", `#!/bin/sh\necho "$@" >> ${calls}\nprintf '${listed}'\n`);
  await chmod(fake ?? "", 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, HOME: folder };
  return {
    calls: calls ?? "",
    /** Returns the completions for each line of words. The cursor is in the last word. */
    offers(lines: readonly (readonly string[])[]): string[][] {
      const commands = drivers[name](file ?? "", lines);
      const ran = spawnSync(name, [...flagsOfShell[name], commands], { env, cwd: folder, encoding: "utf8" });
      if (ran.stderr !== "") throw new Error(ran.stderr.slice(0, 2_000));
      return ran.stdout
        .split("==\n")
        .slice(0, lines.length)
        .map((part) => part.split("\n").filter((word) => word !== ""));
    },
  };
}
