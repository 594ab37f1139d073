import { type Demo, demoAnnouncement } from "./demo/seed-demo.ts";
import { type Environment, isLoopback, type ServeFlags, type Settings } from "./settings/settings.ts";

export interface Announcement {
  readonly flags: ServeFlags;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly demo: Demo | undefined;
  /** The command that starts this program on this machine, such as `innkeep`. */
  readonly command: string;
}

export interface AnnouncementOutput {
  /** Writes a line for programs to standard output. */
  readonly out: (line: string) => void;
  /** Writes text for people to standard error. */
  readonly err: (text: string) => void;
  /** Writes a warning to the server log. */
  readonly warn: (message: string) => void;
}

/**
 * Prints the addresses of the server. With `--json` it prints one JSON object, otherwise text with suggestions for the
 * next steps.
 */
export function announce(announcement: Announcement, { out, err, warn }: AnnouncementOutput): void {
  const { flags, settings, demo, command } = announcement;
  const { baseUrl, consoleUrl } = settings;
  const otherAddress = otherAddressIn(announcement);
  if (flags.json) {
    const { seed: _, ...access } = demo ?? {};
    out(JSON.stringify({ event: "ready", baseUrl, consoleUrl, ...(demo ? { demo: access } : {}) }));
    if (otherAddress !== undefined) warn(otherAddress);
    return;
  }
  err(`Innkeep serves ${baseUrl}\nConsole: ${consoleUrl}\n`);
  if (otherAddress !== undefined) err(`warning: ${otherAddress}\n`);
  if (demo) err(demoAnnouncement(settings, demo, command));
}

/**
 * Returns a warning if INNKEEP_BASE_URL names another address than the one on which this server listens. The operator
 * may have set the variable for client commands, which use it to find their server.
 */
function otherAddressIn({ flags, settings, environment }: Announcement): string | undefined {
  const { host, port, baseUrl } = settings;
  if (flags.baseUrl !== undefined || !environment.INNKEEP_BASE_URL || !isLoopback(host)) return undefined;
  const own = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const named = new URL(baseUrl);
  if (named.origin === own || (isLoopback(named.hostname) && portOf(named) === port)) return undefined;
  return (
    `This server listens on ${own}, but all links begin with ${baseUrl}, because INNKEEP_BASE_URL is set to it. ` +
    `If the variable is only for the client, start with --base-url ${own}.`
  );
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);
