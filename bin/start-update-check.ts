import { spawn } from "node:child_process";
import { join } from "node:path";

/** Starts the question for the newest version, in a process of its own that nobody waits for. */
export function startUpdateCheck(): void {
  const check = spawn(process.execPath, [join(__dirname, "update-check.cjs")], {
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  check.on("error", () => {});
  check.unref();
}
