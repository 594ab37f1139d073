import type { CredentialKind } from "../../client/credential-kinds.ts";
import { ServerError } from "../../client/errors.ts";
import { type Route, routes } from "../../client/routes.ts";
import type { LooseInput } from "../../client/send.ts";
import { connect } from "./connection.ts";
import type { FoundCredential, Invocation } from "./context.ts";

/**
 * The result of a check of a credential. `valid` says whether the server accepts it, and is null if the server did not
 * answer.
 */
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

/** Does the same as `checkCredential`. If the server did not answer, also returns the error. */
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
