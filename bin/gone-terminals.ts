/**
 * Gives up the terminals that are gone. Node resets each terminal at its exit, and crashes if the window was closed or
 * the connection broke: then the exit code is that of a crash, and the system may keep a dump of the memory.
 */
export function leaveGoneTerminals(): void {
  if (process.platform === "win32") return;
  for (const descriptor of [0, 1, 2]) if (isGone(descriptor)) replace(descriptor);
}

/** A terminal that is gone is still a device, and no longer a terminal. So is the empty device, which is no harm. */
function isGone(descriptor: number): boolean {
  try {
    const { fstatSync } = process.getBuiltinModule("node:fs");
    return (
      fstatSync(descriptor).isCharacterDevice() && !process.getBuiltinModule("node:tty").isatty(descriptor)
    );
  } catch {
    return false;
  }
}

/** The next file that is opened gets the lowest free number, which is that of the closed one. */
function replace(descriptor: number): void {
  try {
    const { closeSync, openSync } = process.getBuiltinModule("node:fs");
    closeSync(descriptor);
    openSync("/dev/null", "r+");
  } catch {
    // The process ends all the same.
  }
}
