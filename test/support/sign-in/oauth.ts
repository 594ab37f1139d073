import { randomName } from "../../../server/secrets/secrets.ts";
import { challengeOf } from "../../../src/contract/pkce.ts";
import { createBrowserWithoutScripts } from "../browser/browser-without-scripts.ts";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";

/** A program that wants to connect, with the data of its registration. */
export interface Program {
  readonly clientId: string;
  readonly redirect: string;
  readonly verifier: string;
  readonly challenge: string;
}

const form = { "content-type": "application/x-www-form-urlencoded" };

/** Registers a program over the network. */
export async function registerProgram(
  service: Service,
  { redirect = "http://127.0.0.1:33418/callback", name = "Test agent" } = {},
): Promise<Program> {
  const body = { client_name: name, redirect_uris: [redirect], token_endpoint_auth_method: "none" };
  const answer = await service.request("POST", "/oauth/register", { body });
  const verifier = randomName();
  return { clientId: answer.field("client_id"), redirect, verifier, challenge: await challengeOf(verifier) };
}

/** The fields with which a program opens the browser. Undefined omits a field. */
export type Changes = Readonly<Record<string, string | undefined>>;

export function consentAddress(program: Program, changes: Changes = {}): string {
  const fields = {
    response_type: "code",
    client_id: program.clientId,
    redirect_uri: program.redirect,
    code_challenge: program.challenge,
    code_challenge_method: "S256",
    state: "the state",
    ...changes,
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** A person opens the consent page and sends it, with these values in place of those of the page. */
export async function decideOnProgram(
  service: Service,
  person: Readonly<Record<string, string>>,
  program: Program,
  values: Readonly<Record<string, string>> = { decision: "allow" },
): Promise<Answer> {
  const visitor = createBrowserWithoutScripts(service, person);
  const page = await visitor.open(consentAddress(program));
  return visitor.send(page, "/oauth/authorize", values);
}

/** The parameters with which the browser returns to the program. */
export const broughtBack = ({ headers }: Answer): URLSearchParams =>
  new URL(headers.get("location") ?? "").searchParams;

/** Allows the connection. Returns the code. */
export const allow = async (...given: Parameters<typeof decideOnProgram>): Promise<string> =>
  broughtBack(await decideOnProgram(...given)).get("code") ?? "";

/** Sends a form to the endpoint for tokens. */
export const askForTokens = (service: Service, fields: Changes, path = "/oauth/token"): Promise<Answer> => {
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return service.request("POST", path, { headers: form, body: new URLSearchParams(given).toString() });
};

export const exchangeCode = (
  service: Service,
  program: Program,
  code: string,
  changes: Changes = {},
): Promise<Answer> =>
  askForTokens(service, {
    grant_type: "authorization_code",
    code,
    client_id: program.clientId,
    redirect_uri: program.redirect,
    code_verifier: program.verifier,
    resource: `${service.baseUrl}/mcp`,
    ...changes,
  });

export const refresh = (
  service: Service,
  program: Program,
  refreshToken: string,
  changes: Changes = {},
): Promise<Answer> =>
  askForTokens(service, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: program.clientId,
    ...changes,
  });

export interface Connected {
  readonly program: Program;
  readonly access: string;
  readonly refreshToken: string;
}

/** Registers a program, has a person allow it, and exchanges the code. */
export async function connect(
  service: Service,
  person: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>> = { decision: "allow" },
): Promise<Connected> {
  const program = await registerProgram(service);
  const answer = await exchangeCode(service, program, await allow(service, person, program, values));
  return { program, access: answer.field("access_token"), refreshToken: answer.field("refresh_token") };
}

/** The status with which the tools answer a request with this token. */
export async function toolsStatus(service: Service, token: string): Promise<number> {
  const answer = await service.request("POST", "/mcp", {
    headers: { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  });
  return answer.status;
}
