import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { createSealer, hashOf, type Sealer } from "../../secrets/secrets.ts";
import {
  type FoundAnswer,
  type IdempotencyKey,
  idempotency,
  type KnownKey,
} from "../../store/requests/idempotency.ts";
import { fieldOf } from "../field-of.ts";
import type { IncomingRequest, InvocationResult } from "../invocation.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** A request that its sender may repeat, and what seals the answer where that holds a secret. */
export interface IdempotentRequest extends IdempotencyKey {
  readonly sealer: Pick<Sealer, "seal" | "open"> | undefined;
}

/**
 * What an Idempotency-Key stands for; undefined without one, and where nothing tells whose it is. Where fields of the
 * body tell, the answer is found only by who sends the same ones, and is sealed with them. (rule H15)
 */
export function idempotentRequestOf(
  endpoint: Endpoint,
  incoming: IncomingRequest,
  deps: Deps,
): IdempotentRequest | undefined {
  const { body, query } = incoming;
  const { sealer } = deps;
  const known = knownKeyOf(endpoint, incoming, deps);
  if (known === undefined) return undefined;
  const fingerprint = fingerprintOf({ body: body ?? null, query: query ?? null });
  return {
    ...known,
    fingerprint: incoming.caller === undefined ? sealer.mark(fingerprint) : fingerprint,
    ...(endpoint.repeatableSeconds === undefined ? {} : { lifetimeSeconds: endpoint.repeatableSeconds }),
    sealer: endpoint.answersSecret ? sealerOf(endpoint, incoming, sealer) : undefined,
  };
}

type Keyed = Pick<IncomingRequest, "caller" | "path" | "body" | "idempotencyKey">;

/** Whether a request of a caller was answered already under its Idempotency-Key, as far as that shows before its body has come. */
export async function isAnswered(
  endpoint: Endpoint,
  incoming: Omit<Keyed, "body">,
  deps: Pick<Deps, "clock" | "database" | "sealer" | "time">,
): Promise<boolean> {
  const known = knownKeyOf(endpoint, { ...incoming, body: undefined }, deps);
  return (
    known !== undefined && (await idempotency.find(deps.database, known, deps.clock.now())) !== undefined
  );
}

function knownKeyOf(
  endpoint: Endpoint,
  incoming: Keyed,
  { sealer, time }: Pick<Deps, "sealer" | "time">,
): KnownKey | undefined {
  const { idempotencyKey: key, path } = incoming;
  const whose = key === undefined ? undefined : whoseOf(endpoint, incoming, sealer);
  if (key === undefined || whose === undefined) return undefined;
  const known = { scope: scopeOf(whose, endpoint.method, path), key };
  return time.isDoubtful() ? { ...known, inDoubt: { behindMs: time.behindMs() } } : known;
}

/** What is kept of the requests that name a field of the body, given as its hash, with any key of an app. */
export const scopeOfField = (appId: string, fieldHash: string, { method, path }: Endpoint): string =>
  scopeOf(["app", appId, fieldHash], method, path);

const scopeOf = (whose: readonly string[], method: string, path: string): string =>
  [...whose, method, sameAddress(path)].join("\n");

/** An id in capitals is the same id: a repeat under the same key acts no second time. */
const sameAddress = (path: string): string => path.toLowerCase().replace(/\/+$/, "");

/** The answer that a repeat gets. Throws `idempotency_mismatch` for another request under the same key. */
export function replay({ fingerprint, sealer }: IdempotentRequest, kept: FoundAnswer): InvocationResult {
  if (kept.fingerprint !== fingerprint) throw new ApiError("idempotency_mismatch");
  const sealed = sealer !== undefined && kept.status < 300;
  return {
    status: kept.status,
    body: (sealed ? sealer.open(kept.body) : kept.body) || undefined,
    replayed: true,
  };
}

/**
 * Where no credential stands before the answer, it is sealed with what the sender knows, too: whoever reads the database,
 * and has the deployment's secret, still reads no token.
 */
function sealerOf(
  { repeatableBy }: Endpoint,
  { caller, body }: IncomingRequest,
  sealer: Sealer,
): Pick<Sealer, "seal" | "open"> {
  if (repeatableBy === undefined || caller !== undefined) return sealer;
  const own = createSealer(repeatableBy.map((name) => fieldOf(body, name)).join("\n"));
  return {
    seal: (text) => sealer.seal(own.seal(text)),
    open: (sealed) => own.open(sealer.open(sealed)),
  };
}

/** Where no credential stands before them, the fields may be a password: a plain hash would let guesses be tried on it. */
function whoseOf(
  { repeatableBy }: Endpoint,
  { caller, body }: Pick<IncomingRequest, "caller" | "body">,
  { mark }: Sealer,
): string[] | undefined {
  if (repeatableBy === undefined) return caller && [caller.kind, caller.id];
  const fields = repeatableBy.map((name) => fieldOf(body, name));
  if (fields.includes("")) return undefined;
  return [
    ...(caller && "appId" in caller ? ["app", String(caller.appId)] : []),
    ...fields.map(caller === undefined ? mark : hashOf),
  ];
}
