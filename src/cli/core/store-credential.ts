import { type CredentialKind, credentialKinds } from "../../client/connection.ts";
import { ServerError } from "../../client/errors.ts";
import { type Route, routes } from "../../client/routes.ts";
import type { LooseInput } from "../../client/send.ts";
import { configFolder } from "../../credentials/folders.ts";
import { hintOf } from "../../credentials/store.ts";
import { isFullDisk, systemReason } from "../../words/phrases.ts";
import { CliError } from "./cli-error.ts";
import { connect } from "./connection.ts";
import type { Context, FoundCredential, Invocation } from "./context.ts";
import { note } from "./output.ts";
import { assertKnownServer, chosenProfile, isOfOtherServer, openStore, profileKind } from "./settings.ts";

export interface StoreFlags {
  readonly insecureStorage?: boolean;
}

/** The parts of a stored credential that may be shown. */
interface IssuedCredential {
  readonly origin: string;
  readonly kind: CredentialKind;
  readonly source: string;
  readonly hint: string;
}

/**
 * Stores a credential and prints where it is stored. Throws a CliError if only a project file names the server.
 */
export async function storeCredential(
  invocation: Invocation,
  { insecureStorage }: StoreFlags,
  { kind, secret }: { readonly kind: CredentialKind; readonly secret: string },
): Promise<IssuedCredential> {
  const { context, flags } = invocation;
  // After a credential is stored, commands trust the server. So this function first checks the server.
  assertKnownServer(
    context,
    invocation.server(),
    `innkeep refuses to store the ${credentialKinds[kind].name} for`,
  );
  const origin = originOf(invocation);
  const store = openStore(context);
  const named = profileKind(context, flags, kind);
  const storedIn = await explainWriteFailure(context, () =>
    store.put({ origin, kind: named }, secret, insecureStorage ? "file" : undefined),
  );
  if (storedIn === "file" && !insecureStorage) {
    note(
      invocation,
      `warning: there is no keychain here. The secret is in plain text in ${store.file}, which only you can read.`,
    );
  }
  const source = storedIn === "file" ? store.file : "keychain";
  const { name, variable } = credentialKinds[kind];
  const profile = chosenProfile(context, flags)?.name;
  const of = profile === undefined ? "" : `, profile ${profile}`;
  note(invocation, `Stored the ${name} for ${origin}${of} (${source}).`);
  if (context.env[variable] && !isOfOtherServer(context, invocation.server(), variable))
    note(invocation, `warning: ${variable} is set, and is used instead of the stored ${name}.`);
  return { origin, kind, source, hint: hintOf(secret) };
}

/** Returns the origin of the command's server. Each credential is stored under an origin. */
export const originOf = (invocation: Invocation): string => new URL(invocation.baseUrl()).origin;

/** Replaces an error of the file system with a CliError that contains the next step. */
export async function explainWriteFailure<T>(context: Context, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw new CliError({
      exit: "unexpected",
      code: "storage",
      message: `The files in ${configFolder(context)} cannot be written (${systemReason(cause)}).`,
      next: `${isFullDisk(cause) ? "Free some space on that disk, or set" : "Set"} INNKEEP_CONFIG_DIR to another folder, or put the credential into an environment variable.`,
    });
  }
}

/** Returns the name of a kind of credential on the command line: the last word of `innkeep auth set …`. */
export const wordOf = (kind: CredentialKind): string =>
  credentialKinds[kind].command.split(" ").at(-1) ?? kind;

export const allKinds: readonly CredentialKind[] = ["appKey", "agentToken", "deviceToken", "maintainerToken"];

/** The result of a check of a credential. `valid` is null if the server did not answer. */
export interface Verdict {
  readonly valid: boolean | null;
  readonly problem: string | null;
}

/** The request that checks each kind of credential. It changes nothing on the server. */
const questions: Readonly<Record<CredentialKind, { readonly route: Route; readonly input?: LooseInput }>> = {
  appKey: { route: routes.faqs.list },
  agentToken: {
    route: routes.agent.readThread,
    input: { params: { id: "00000000-0000-4000-8000-000000000000" } },
  },
  deviceToken: { route: routes.tester.slots },
  maintainerToken: { route: { ...routes.session.me, auth: "maintainerToken" } },
};

const limits = { attempts: 1, timeoutMs: 5_000 };

interface Place {
  readonly server: string;
  readonly kind: CredentialKind;
}

/** Asks a server once whether it accepts a credential. */
export async function checkCredential(
  invocation: Invocation,
  place: Place,
  found: FoundCredential,
): Promise<Verdict> {
  const { valid, problem } = await tryCredential(invocation, place, found);
  return { valid, problem };
}

/** Like `checkCredential`, but also returns the error if the server did not answer. */
export async function tryCredential(
  invocation: Invocation,
  { server, kind }: Place,
  found: FoundCredential,
): Promise<Verdict & { readonly failure?: unknown }> {
  const { route, input } = questions[kind];
  const baseUrl = () => server;
  const send = connect({ ...invocation, baseUrl, credential: async () => found }, limits);
  try {
    await send(route, input);
    return { valid: true, problem: null };
  } catch (error) {
    if (!(error instanceof ServerError)) return { valid: null, problem: messageOf(error), failure: error };
    if (error.status === 401) return { valid: false, problem: "not accepted: expired, revoked or mistyped" };
    return error.status < 500 && error.status !== 429 && !error.code.startsWith("http_")
      ? { valid: true, problem: null }
      : { valid: null, problem: error.message, failure: error };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
