import type { Ready } from "./server-process.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where Node keeps the compiled code of earlier starts. */
const ofCache = ["XDG_CACHE_HOME", "LOCALAPPDATA"];

/** What every program needs of its system. */
const ofSystem = ["PATH", "HOME", "TMPDIR", "TEMP", "TMP", "SystemRoot", "LANG", "TZ", ...ofCache];

/** The settings that a server for tests takes over. All others name another server, its data or its mail. */
export const serverSettings = [
  ...["INNKEEP_LOG_LEVEL", "INNKEEP_RATE_LIMITS", "INNKEEP_BUDGETS", "INNKEEP_CORS_ORIGINS"],
  ...["INNKEEP_REGISTRATION", "INNKEEP_REDIRECT_URL", "INNKEEP_ATTESTATION", "INNKEEP_PLAY_PACKAGES"],
  ...["INNKEEP_PLAY_CERTIFICATES", "INNKEEP_PLAY_DECRYPTION_KEY", "INNKEEP_PLAY_VERIFICATION_KEY"],
  ...["INNKEEP_FEEDBACK_BYTES_PER_HOUR", "INNKEEP_STORED_BYTES_PER_APP", "INNKEEP_PRIVATE_WEBHOOKS"],
  "INNKEEP_MCP",
];

const defaults = { INNKEEP_LOG_LEVEL: "warn", INNKEEP_RATE_LIMITS: "off" };

/** The environment of a server for tests: quiet, and without rate limits unless they are set. */
export function serverEnvironment(given: Variables): Variables {
  const taken = [...ofSystem, ...serverSettings].filter((name) => given[name]);
  return { ...defaults, ...Object.fromEntries(taken.map((name) => [name, given[name]])) };
}

/** The variables through which programs find a server and its keys. (rule O13) */
export function clientVariables({ baseUrl, consoleUrl, folder, demo }: Ready): Record<string, string> {
  const keys = demo.apps.map(({ name, apiKey }) => [`INNKEEP_API_KEY_${variablePart(name)}`, apiKey]);
  return {
    ...Object.fromEntries(keys),
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_CONSOLE_URL: consoleUrl,
    INNKEEP_APP: demo.appId,
    INNKEEP_API_KEY: demo.apiKey,
    INNKEEP_AGENT_TOKEN: demo.agentToken,
    INNKEEP_TOKEN: demo.maintainerToken,
    INNKEEP_DEVICE_TOKEN: demo.deviceToken,
    INNKEEP_TEST_KEY: demo.testKey,
    // What commands store must not mix with what this person has stored.
    INNKEEP_CONFIG_DIR: `${folder}/client`,
    INNKEEP_STATE_DIR: `${folder}/client`,
  };
}

const variablePart = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
