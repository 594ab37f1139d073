declare const INNKEEP_VERSION: string;

/** The version of this server. The build sets it; sources that run without a build have none. */
export const serverVersion: string | undefined =
  typeof INNKEEP_VERSION === "undefined" ? undefined : INNKEEP_VERSION;
