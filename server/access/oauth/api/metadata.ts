import { consentPath } from "../../../../src/contract/devices.ts";
import { connectionScopes } from "../../../../src/contract/endpoint.ts";
import type { Settings } from "../../../settings/settings.ts";

type Addresses = Pick<Settings, "baseUrl">;

/** The paths of the endpoints for programs, as requests arrive. */
export const oauthPaths = {
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
} as const;

const resourcePath = "/mcp";

/** The address of the tools, which names them as a resource, too. (RFC 8707) */
export const resourceOf = ({ baseUrl }: Addresses): string => baseUrl + resourcePath;

const wellKnown = (name: string): string => `/.well-known/${name}`;

/** Where a refused program finds out how to get a token. Below the base address, because a proxy may pass on no other. */
export const metadataAddress = ({ baseUrl }: Addresses): string =>
  `${baseUrl}${wellKnown("oauth-protected-resource")}${resourcePath}`;

/** What the tools are, and whose tokens they take. (RFC 9728) */
export const resourceMetadata = (settings: Addresses) => ({
  resource: resourceOf(settings),
  authorization_servers: [settings.baseUrl],
  scopes_supported: connectionScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Innkeep",
});

/** How a program gets tokens. (RFC 8414) */
export const serverMetadata = ({ baseUrl }: Addresses) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + consentPath,
  token_endpoint: baseUrl + oauthPaths.token,
  registration_endpoint: baseUrl + oauthPaths.register,
  revocation_endpoint: baseUrl + oauthPaths.revoke,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  scopes_supported: connectionScopes,
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});

/**
 * The paths at which programs look for the metadata: with the path of the base address between the well-known part and the
 * rest, and below that address, with and without what a proxy cuts off.
 */
export function metadataPaths(settings: Addresses) {
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "");
  const below = [...new Set(["", base])];
  const places = (name: string, suffixes: readonly string[]) => [
    ...new Set([
      ...suffixes.flatMap((suffix) => below.map((path) => path + wellKnown(name) + suffix)),
      ...suffixes.map((suffix) => wellKnown(name) + base + suffix),
      ...(suffixes.includes(resourcePath) ? below.map((path) => path + resourcePath + wellKnown(name)) : []),
    ]),
  ];
  return {
    resource: places("oauth-protected-resource", ["", resourcePath]),
    server: [
      ...places("oauth-authorization-server", ["", resourcePath]),
      ...places("openid-configuration", ["", resourcePath]),
    ],
  };
}
