import { credentialKinds } from "../client/credential-kinds.ts";

interface Variable {
  readonly name: string;
  readonly meaning: string;
}

/** The variables that the command line reads. `innkeep help environment` prints them. */
export const variables: readonly Variable[] = [
  { name: "INNKEEP_BASE_URL", meaning: "Address of the server; http://127.0.0.1:4700 unless set." },
  ...Object.values(credentialKinds).map(({ name, variable }) => ({
    name: variable,
    meaning: `The ${name}. Goes before a stored one.`,
  })),
  { name: "INNKEEP_TEST_KEY", meaning: "The test key of a seat, for `innkeep session`." },
  { name: "INNKEEP_APP", meaning: "Id or name of the app, for commands with a maintainer token." },
  { name: "INNKEEP_CONSOLE_URL", meaning: "Address of the console; the server's /console unless set." },
  { name: "INNKEEP_CONFIG_DIR", meaning: "Folder of stored credentials." },
  { name: "INNKEEP_STATE_DIR", meaning: "Folder of what must be remembered between two runs." },
  { name: "INNKEEP_DEBUG", meaning: "When set, as --debug." },
  { name: "INNKEEP_DATA", meaning: "Folder of the server's database and files." },
  { name: "INNKEEP_DATABASE_URL", meaning: "PostgreSQL database of the server." },
  { name: "CI", meaning: "When set, nothing is asked." },
  { name: "NO_COLOR", meaning: "When set, no colours." },
  { name: "FORCE_COLOR", meaning: "When set, colours even off a terminal." },
  { name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "Proxies, and hosts without one." },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "File of further certificate authorities to trust." },
  {
    name: "XDG_CONFIG_HOME, XDG_STATE_HOME",
    meaning: "Where the folders are, unless INNKEEP_CONFIG_DIR is set.",
  },
];
