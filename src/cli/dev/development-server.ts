import { ServerError } from "../../client/errors.ts";
import type { Route } from "../../client/routes.ts";
import type { LooseInput } from "../../client/send.ts";
import { type Fields, fieldsOf, listAt } from "../../contract/json.ts";
import { CliError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";

interface DevCall {
  readonly method: Route["method"];
  readonly path: string;
  readonly body?: unknown;
}

const routeOf = ({ method, path }: DevCall): Route => ({ method, path, auth: "none", summary: "" });

/**
 * Calls an endpoint of a development server. Throws a CliError if the server is not a development server.
 * (rule O15)
 */
export async function callDevServer(invocation: Invocation, call: DevCall): Promise<unknown> {
  try {
    return await send(invocation, call);
  } catch (error) {
    if (isNotFound(error) && !(await isDevServer(invocation))) throw notForDevelopment(invocation);
    throw error;
  }
}

async function send(invocation: Invocation, call: DevCall): Promise<unknown> {
  const input: LooseInput = call.body === undefined ? {} : { body: call.body };
  const { text } = await invocation.sender()(routeOf(call), input);
  return text === "" ? {} : JSON.parse(text);
}

/**
 * Whether the server is a development server. The status 404 proves nothing, because development servers return
 * 404, too.
 */
const isDevServer = (invocation: Invocation): Promise<boolean> =>
  send(invocation, { method: "GET", path: "/dev/clock" }).then(
    () => true,
    () => false,
  );

const isNotFound = (error: unknown): boolean =>
  error instanceof ServerError && (error.status === 404 || error.status === 405);

const notForDevelopment = (invocation: Invocation): CliError =>
  new CliError({
    exit: "conflict",
    code: "not_a_development_server",
    message: `${invocation.baseUrl()} is not a development server: it does not run with --dev.`,
    next: "`innkeep dev` starts one; --base-url and INNKEEP_BASE_URL name another server.",
  });

export const itemsOf = (answer: unknown): readonly Fields[] => listAt(answer, "items").map(fieldsOf);

/** Returns the time of a development server; undefined for any other server. */
export async function developmentTime(invocation: Invocation): Promise<Date | undefined> {
  try {
    const { now } = fieldsOf(await send(invocation, { method: "GET", path: "/dev/clock" }));
    return typeof now === "string" ? new Date(now) : undefined;
  } catch {
    return undefined;
  }
}
