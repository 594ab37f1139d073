import { statSync } from "node:fs";
import { join } from "node:path";

export interface BusPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly userId: number | undefined;
  /** The folder that contains the runtime folders of all users. */
  readonly runtimeRoot?: string;
}

/**
 * Returns the address of this Linux user's session bus. Undefined if there is no bus, or if
 * DBUS_SESSION_BUS_ADDRESS is set.
 */
export function sessionBusOf({
  env,
  platform,
  userId,
  runtimeRoot = "/run/user",
}: BusPlace): string | undefined {
  if (platform !== "linux" || userId === undefined || env.DBUS_SESSION_BUS_ADDRESS) return undefined;
  const folders = [env.XDG_RUNTIME_DIR, join(runtimeRoot, String(userId))];
  const socket = folders
    .flatMap((folder) => (folder ? [join(folder, "bus")] : []))
    .find((path) => isOwnSocket(path, userId));
  return socket && `unix:path=${escaped(socket)}`;
}

function isOwnSocket(path: string, userId: number): boolean {
  try {
    const found = statSync(path);
    return found.isSocket() && found.uid === userId;
  } catch {
    // The socket is missing, or it is in the folder of another user.
    return false;
  }
}

/** Escapes a path for an address of D-Bus. */
const escaped = (path: string): string =>
  path.replace(/[^-\w/.*]/g, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
