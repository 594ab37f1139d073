import path, { type PlatformPath } from "node:path";

/** What decides where a person's folders are. */
export interface FolderEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: string;
}

type Paths = Pick<PlatformPath, "join">;

/** Folder of what the person set: INNKEEP_CONFIG_DIR, XDG_CONFIG_HOME, or the system's own. */
export function configFolder({ env, home, platform }: FolderEnvironment, { join }: Paths = path): string {
  if (env.INNKEEP_CONFIG_DIR) return env.INNKEEP_CONFIG_DIR;
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, "innkeep");
  if (platform === "win32" && env.APPDATA) return join(env.APPDATA, "innkeep");
  return join(home, ".config", "innkeep");
}

/** Folder of what the program must remember: INNKEEP_STATE_DIR, in INNKEEP_CONFIG_DIR, XDG_STATE_HOME, or the system's own. */
export function stateFolder({ env, home, platform }: FolderEnvironment, { join }: Paths = path): string {
  if (env.INNKEEP_STATE_DIR) return env.INNKEEP_STATE_DIR;
  if (env.INNKEEP_CONFIG_DIR) return join(env.INNKEEP_CONFIG_DIR, "state");
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, "innkeep");
  if (platform === "win32" && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, "innkeep", "state");
  return join(home, ".local", "state", "innkeep");
}
