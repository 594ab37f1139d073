import type { Auth } from "../contract/endpoint.ts";

/**
 * All kinds of credentials. Each kind has a name for sentences, the prefix of its secrets, an environment
 * variable for a credential of this kind, and the command that stores such a credential.
 */
export const credentialKinds = {
  appKey: {
    name: "app key",
    prefix: "sdk_",
    variable: "INNKEEP_API_KEY",
    command: "innkeep auth set api-key",
  },
  agentToken: {
    name: "agent token",
    prefix: "sda_",
    variable: "INNKEEP_AGENT_TOKEN",
    command: "innkeep auth set agent-token",
  },
  deviceToken: {
    name: "device token",
    prefix: "sdt_",
    variable: "INNKEEP_DEVICE_TOKEN",
    command: "innkeep auth set device-token",
  },
  maintainerToken: {
    name: "maintainer token",
    prefix: "sdm_",
    variable: "INNKEEP_TOKEN",
    command: "innkeep auth set token",
  },
} as const satisfies Record<string, { name: string; prefix: string; variable: string; command: string }>;

export type CredentialKind = keyof typeof credentialKinds;

const kindOfAuth: Record<Auth | CredentialKind, CredentialKind | undefined> = {
  none: undefined,
  appKey: "appKey",
  agentToken: "agentToken",
  deviceToken: "deviceToken",
  maintainerToken: "maintainerToken",
  console: "maintainerToken",
  session: "maintainerToken",
};

/** Returns the kind of credential that an endpoint needs. Undefined if it needs none. */
export const credentialFor = (auth: Auth | CredentialKind): CredentialKind | undefined => kindOfAuth[auth];

/** Returns the header that contains a credential. */
export const credentialHeader = (kind: CredentialKind, secret: string): Record<string, string> =>
  kind === "appKey" ? { "x-api-key": secret } : { authorization: `Bearer ${secret}` };
