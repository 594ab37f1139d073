declare const INNKEEP_VERSION: string;

/** The version of this server. The build sets it. It is undefined when the sources run without a build. */
export const serverVersion: string | undefined =
  typeof INNKEEP_VERSION === "undefined" ? undefined : INNKEEP_VERSION;
