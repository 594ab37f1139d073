import type { Context } from "koa";
import { consentPath } from "../../../src/contract/devices.ts";
import { connectionScopes } from "../../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../../src/contract/errors.ts";
import { fieldsOf } from "../../../src/contract/json.ts";
import { limits, type RateLimitName } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import {
  counted,
  mediaTypeOf,
  readBytes,
  readJson,
  refuseEncoded,
  type Sending,
} from "../../http/body/read-body.ts";
import { answerErrors, sentencesOf } from "../../http/errors.ts";
import { networkOf, senderOf } from "../../http/network-addresses.ts";
import { spendAsStranger } from "../../http/rate-limits/rate-limits.ts";
import type { Route, SharedSteps } from "../../http/request-steps.ts";
import type { Settings } from "../../settings/settings.ts";
import {
  exchangeCode,
  type OAuthCode,
  OAuthFault,
  refreshConnection,
  registerClient,
  revokeToken,
  type TokenPair,
} from "./connections.ts";

type OAuthDeps = Pick<Deps, "clock" | "database" | "log" | "newId" | "settings">;

/** Returns the routes of the OAuth endpoints that programs call. The consent page is in `page.tsx`. */
export function oauthRoutes(deps: OAuthDeps, steps: SharedSteps): Route[] {
  const { settings } = deps;
  if (!settings.mcp) return [];
  const { resource, server } = metadataPaths(settings);
  const orFault = createFaultAnswers(deps);
  const post = (path: `/${string}`, wrong: OAuthCode, answer: (ctx: Context) => Promise<void>): Route => ({
    method: "POST",
    path,
    answer(ctx) {
      // Older programs read only `Pragma`. (RFC 6749 5.1)
      ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
      return orFault(ctx, wrong, () => answer(ctx));
    },
  });
  return [
    ...resource.map((path) => document(path, resourceMetadata(settings))),
    ...server.map((path) => document(path, serverMetadata(settings))),
    post(oauthPaths.token, "invalid_request", async (ctx) => {
      const address = await countAddress(ctx, deps, { steps, rateLimit: "connectionsByAddress" });
      const form = await formOf(ctx, steps);
      if (ctx.req.headers.authorization !== undefined && form.one("client_id") === "")
        throw new OAuthFault("invalid_client", "Send the `client_id` in the form, without a secret.");
      ctx.body = await tokenAnswer(deps, form, address);
    }),
    post(oauthPaths.revoke, "invalid_request", async (ctx) => {
      const address = await countAddress(ctx, deps, { steps, rateLimit: "connectionsByAddress" });
      const form = await formOf(ctx, steps);
      await revokeToken(deps, { token: form.needed("token"), clientId: form.one("client_id"), address });
      ctx.body = {};
    }),
    post(oauthPaths.register, "invalid_client_metadata", (ctx) => register(ctx, deps, steps)),
  ];
}

const document = (path: string, body: object): Route => ({
  method: "GET",
  path: `/${path.replace(/^\//, "")}`,
  async answer(ctx) {
    ctx.set("Cache-Control", "public, max-age=300");
    // The document is not secret, and programs that run in a browser must be able to read it.
    ctx.set("Access-Control-Allow-Origin", "*");
    ctx.body = body;
  },
});

/**
 * Counts a request against the rate limit of its network address, before the body is read. Returns the address.
 */
async function countAddress(
  { req }: Context,
  deps: OAuthDeps,
  { steps, rateLimit }: { readonly steps: SharedSteps; readonly rateLimit: RateLimitName },
): Promise<string> {
  const address = steps.addressOf(req);
  if (deps.settings.rateLimited) await spendAsStranger(deps, { who: networkOf(address), rateLimit });
  return address;
}

async function tokenAnswer(deps: OAuthDeps, form: Form, address: string): Promise<object> {
  refuseOtherResource(form.one("resource"), deps.settings);
  const clientId = form.needed("client_id");
  switch (form.needed("grant_type")) {
    case "authorization_code": {
      const [code, redirect, verifier] = [
        form.needed("code"),
        form.one("redirect_uri"),
        form.one("code_verifier"),
      ];
      const { scopes, ...pair } = await exchangeCode(deps, { code, clientId, redirect, verifier, address });
      return { ...answerWith(pair, deps), scope: scopes.join(" ") };
    }
    case "refresh_token":
      return answerWith(
        await refreshConnection(deps, { refreshToken: form.needed("refresh_token"), clientId, address }),
        deps,
      );
    default:
      throw new OAuthFault("unsupported_grant_type", "Send `authorization_code` or `refresh_token`.");
  }
}

/**
 * Throws `invalid_target` if the program names another resource than the MCP tools of this server. Older programs name
 * no resource, so a missing name is accepted.
 */
function refuseOtherResource(resource: string, settings: Deps["settings"]): void {
  if (resource === "" || resource.replace(/\/$/, "") === resourceOf(settings)) return;
  throw new OAuthFault("invalid_target", `Tokens of this server are for ${resourceOf(settings)}.`);
}

const answerWith = ({ access, refresh, expiresAt }: TokenPair, { clock }: Pick<Deps, "clock">) => ({
  access_token: access,
  token_type: "Bearer",
  expires_in: Math.max(0, Math.ceil((Date.parse(expiresAt) - clock.now().getTime()) / 1_000)),
  refresh_token: refresh,
});

async function register(ctx: Context, deps: OAuthDeps, steps: SharedSteps): Promise<void> {
  await countAddress(ctx, deps, { steps, rateLimit: "clientsByAddress" });
  const sending = sendingOf(ctx, steps);
  const body = await counted(sending, () => readJson(ctx.req, sending));
  const { client_name: name, redirect_uris: uris } = fieldsOf(body);
  const redirects: unknown[] = Array.isArray(uris) ? uris : [];
  const { id, createdAt, ...client } = await registerClient(deps, {
    name,
    redirects: redirects.map((each) => (typeof each === "string" ? each : "")),
  });
  ctx.status = 201;
  ctx.body = {
    client_id: id,
    client_id_issued_at: Math.floor(Date.parse(createdAt) / 1_000),
    client_name: client.name,
    redirect_uris: client.redirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** The fields of a form that a program sent. */
interface Form {
  /** Returns the value of a field; empty if it is missing. Throws an OAuthFault if it is given twice. */
  one(name: string): string;
  /** Returns the value of a required field. Throws an OAuthFault if it is missing or given twice. */
  needed(name: string): string;
}

const sendingOf = ({ req }: Context, { arrivals, addressOf }: SharedSteps): Sending => ({
  arrivals,
  sender: senderOf(undefined, addressOf(req)),
});

/** Reads the form that a program sent. Throws an ApiError if the body is not a form. */
async function formOf(ctx: Context, steps: SharedSteps): Promise<Form> {
  const sending = sendingOf(ctx, steps);
  const bytes = await counted(sending, async () => {
    refuseEncoded(ctx.req);
    if (mediaTypeOf(ctx.req) !== "application/x-www-form-urlencoded")
      throw new ApiError("unsupported_media_type");
    return readBytes(ctx.req, limits.anonymousBody, sending);
  });
  const fields = new URLSearchParams(bytes.toString("utf8"));
  const one = (name: string) => {
    const values = fields.getAll(name);
    if (values.length > 1) throw new OAuthFault("invalid_request", `Send \`${name}\` once.`);
    return values[0] ?? "";
  };
  return {
    one,
    needed(name) {
      const value = one(name);
      if (value === "") throw new OAuthFault("invalid_request", `Send \`${name}\`.`);
      return value;
    },
  };
}

/**
 * Creates a function that runs `act`, and answers its errors in the format of OAuth. `wrong` is the code for a
 * malformed request. (RFC 6749 5.2)
 */
function createFaultAnswers(deps: Pick<Deps, "log">) {
  return (ctx: Context, wrong: OAuthCode, act: () => Promise<void>): Promise<void> =>
    answerErrors(deps, (_, error) => answerFault(ctx, wrong, error))(ctx, async () => {
      try {
        await act();
      } catch (thrown) {
        if (!(thrown instanceof OAuthFault)) throw thrown;
        const { code, message } = thrown;
        send(ctx, code === "invalid_client" ? 401 : 400, code, message);
      }
    });
}

/** Answers an ApiError in the format of OAuth. Returns true, because the request is answered. */
export function answerFault(
  ctx: Context,
  wrong: OAuthCode,
  { code, status, message, details }: ApiError,
): true {
  const sentences = sentencesOf({ message, details });
  if (status === 500) sentences.push(`The requestId is ${ctx.state.requestId}.`);
  send(ctx, status, oauthCodeOf(code, status, wrong), sentences.join(" "));
  return true;
}

const waitingCodes: ReadonlySet<ErrorCode> = new Set(["rate_limited", "busy"]);

/**
 * Returns the OAuth code for an error. If the program only has to wait, the code must not say that its tokens are
 * invalid.
 */
function oauthCodeOf(code: ErrorCode, status: number, wrong: OAuthCode): OAuthCode {
  if (waitingCodes.has(code)) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : wrong;
}

function send(ctx: Context, status: number, code: OAuthCode, message: string): void {
  // The standard requires this header if the program sent credentials in a header. (RFC 6749 5.2)
  if (status === 401 && ctx.req.headers.authorization !== undefined)
    ctx.set("WWW-Authenticate", 'Basic realm="innkeep"');
  ctx.set("Cache-Control", "no-store");
  ctx.status = status;
  // OAuth allows only some characters in the description. All others become `'`.
  ctx.body = { error: code, error_description: message.replace(/[^ !#-[\]-~]/g, "'") };
}

type Addresses = Pick<Settings, "baseUrl">;

/**
 * The paths of the endpoints as this server receives them. They do not contain the path of the base address, because a
 * reverse proxy may have removed that part.
 */
const oauthPaths = {
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
} as const;

const resourcePath = "/mcp";

/** Returns the address of the MCP tools, which is also their name as a resource. (RFC 8707) */
export const resourceOf = ({ baseUrl }: Addresses): string => baseUrl + resourcePath;

const wellKnown = (name: string): string => `/.well-known/${name}`;

/**
 * Returns the address at which a program that was refused can read how to get a token. The address begins with the base
 * address, because a proxy may not forward other addresses.
 */
export const metadataAddress = ({ baseUrl }: Addresses): string =>
  `${baseUrl}${wellKnown("oauth-protected-resource")}${resourcePath}`;

/** Returns the metadata of the MCP tools as a resource. It says which tokens they accept. (RFC 9728) */
const resourceMetadata = (settings: Addresses) => ({
  resource: resourceOf(settings),
  authorization_servers: [settings.baseUrl],
  scopes_supported: connectionScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Innkeep",
});

/** Returns the metadata of the authorization server. It says how a program gets tokens. (RFC 8414) */
const serverMetadata = ({ baseUrl }: Addresses) => ({
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
 * Returns the paths at which programs look for the metadata. Some programs put the path of the base address between the
 * well-known part and the rest. Other programs put it first. A proxy may remove that path.
 */
function metadataPaths(settings: Addresses) {
  const base = new URL(settings.baseUrl).pathname.replace(/\/$/, "");
  const below = [...new Set(["", base])];
  const pathsOf = (name: string, suffixes: readonly string[]) => [
    ...new Set([
      ...suffixes.flatMap((suffix) => below.map((path) => path + wellKnown(name) + suffix)),
      ...suffixes.map((suffix) => wellKnown(name) + base + suffix),
      ...(suffixes.includes(resourcePath) ? below.map((path) => path + resourcePath + wellKnown(name)) : []),
    ]),
  ];
  return {
    resource: pathsOf("oauth-protected-resource", ["", resourcePath]),
    server: [
      ...pathsOf("oauth-authorization-server", ["", resourcePath]),
      ...pathsOf("openid-configuration", ["", resourcePath]),
    ],
  };
}
