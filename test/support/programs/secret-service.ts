import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { innkeepPath } from "./built-program.ts";

const path = process.env.PATH ?? "";

/** Whether this machine can run a separate Secret Service. */
export const hasSecretService = ["dbus-run-session", "gnome-keyring-daemon"].every((program) =>
  path.split(delimiter).some((folder) => existsSync(join(folder, program))),
);

/**
 * Runs several command lines of the built program one after another in a home folder, on their own bus with an
 * unlocked keyring if `keyring` is set. Returns the output of each, and the standard error of all.
 */
export async function runInSession(
  home: string,
  commands: readonly { readonly argv: readonly string[]; readonly input?: string }[],
  { keyring }: { readonly keyring: boolean },
): Promise<{ readonly printed: readonly string[]; readonly said: string }> {
  const script = [
    ...(keyring
      ? ["printf 'a password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null"]
      : []),
    ...commands.map(
      ({ argv, input = "" }) => `printf %s '${input}' | "$NODE" "$INNKEEP" ${argv.join(" ")}; printf '\\0'`,
    ),
  ].join("\n");
  const [program, ...argv] = keyring ? ["dbus-run-session", "--", "sh", "-c", script] : ["sh", "-c", script];
  const { stdout, stderr } = await run(program, argv, {
    HOME: home,
    PATH: path,
    NODE: process.execPath,
    INNKEEP: innkeepPath,
    XDG_RUNTIME_DIR: await temporaryFolder(),
  });
  return { printed: stdout.split("\0").slice(0, -1), said: stderr };
}

function run(program: string, argv: readonly string[], env: Record<string, string>) {
  const child = spawn(program, argv, { env });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve({ stdout, stderr }));
  });
}
