import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";
import { routes } from "../../client/routes.ts";
import { checkCredential } from "../auth/credential-check.ts";
import { placesStored } from "../auth/status.ts";
import { startInvocation } from "../core/command.ts";
import { connect } from "../core/connection.ts";
import type { FoundCredential, Invocation } from "../core/context.ts";
import { wrongKindMessage } from "../core/credentials.ts";
import { signInExpiry } from "../core/server-address.ts";
import { allKinds } from "../core/store-credential.ts";
import { type Finding, failure, faultOf, ok, warning } from "./finding.ts";

/** A credential that may be there: its kind, its server, and how to find it. */
interface Sought {
  readonly kind: CredentialKind;
  readonly server: string;
  readonly profile: string | null;
  readonly find: () => Promise<FoundCredential | undefined>;
}

/** Every credential that commands use here, and every other one on this machine: whether its server accepts it. */
export async function checkCredentials(invocation: Invocation): Promise<Finding[]> {
  const tester = startInvocation(invocation.context, invocation.flags, true);
  const used = allKinds.map((kind): Sought => {
    const own = kind === "deviceToken" ? tester : invocation;
    return { kind, server: own.baseUrl(), profile: null, find: () => own.credential(kind) };
  });
  const stored = placesStored(invocation, invocation.server(), tester.server());
  const findings = await Promise.all([...used, ...stored].map((sought) => checkOne(invocation, sought)));
  const found = findings.flat();
  return found.length > 0 ? found : [noCredential(invocation)];
}

const noCredential = (invocation: Invocation): Finding =>
  warning("credentials", {
    what: `There is no key and no token for ${new URL(invocation.baseUrl()).origin}.`,
    why: "The server refuses nearly every command without one.",
    next: "`innkeep auth set token` stores one of a maintainer; `innkeep auth login` signs a tester in.",
  });

async function checkOne(invocation: Invocation, sought: Sought): Promise<Finding[]> {
  const { kind, server, find } = sought;
  const { name, command } = credentialKinds[kind];
  try {
    const found = await find();
    if (!found) return [];
    const wrong = wrongKindMessage(found, kind);
    if (wrong !== undefined)
      return [
        failure(name, {
          what: wrong,
          why: "The server refuses it.",
          next: `Store the right one: ${command}`,
        }),
      ];
    return [await judged(invocation, sought, found), ...expiry(invocation, sought)];
  } catch (error) {
    const why = `Commands that need the ${name} of ${server} fail.`;
    return [failure(name, faultOf(error, { why, next: `Store it again: ${command}` }))];
  }
}

async function judged(invocation: Invocation, sought: Sought, found: FoundCredential): Promise<Finding> {
  const { kind, server, profile } = sought;
  const { name, command } = credentialKinds[kind];
  const named = `The ${name} for ${server}${profile === null ? "" : `, profile ${profile}`} (${found.source})`;
  const { valid, problem } = await checkCredential(invocation, sought, found);
  if (valid) return ok(name, `${named} is accepted${await detailsOf(invocation, sought, found)}.`);
  if (valid === false) {
    const next =
      kind === "deviceToken"
        ? "Sign in again: innkeep auth login"
        : `Make a new one in the console, and store it: ${command}`;
    return failure(name, { what: `${named} is ${problem}.`, why: "The server refuses it.", next });
  }
  return warning(name, {
    what: `${named} could not be tried: ${problem}`,
    why: "It may or may not work.",
    next: `Run \`innkeep doctor --base-url ${server}\` when the server answers.`,
  });
}

/** The scopes and the app of a maintainer token; nothing for other kinds, because the server gives no facts about them. */
async function detailsOf(invocation: Invocation, { kind, server }: Sought, found: FoundCredential) {
  if (kind !== "maintainerToken") return "";
  const own = { ...invocation, baseUrl: () => server, credential: async () => found };
  const send = connect(own, { attempts: 1, timeoutMs: 5_000 });
  try {
    const { text } = await send({ ...routes.session.me, auth: "maintainerToken" });
    const { scopes, app } = Object(JSON.parse(text));
    const reach = typeof app?.name === "string" ? `for the app ${app.name}` : "for all apps of its owner";
    return `; it is ${reach} and may use ${Array.isArray(scopes) ? scopes.join(", ") : "all it needs"}`;
  } catch {
    return "";
  }
}

const soonMs = 10 * 86_400_000;

function expiry({ context }: Invocation, { kind, server }: Sought): Finding[] {
  const end = kind === "deviceToken" ? signInExpiry(context, new URL(server).origin) : undefined;
  if (!end) return [];
  const day = end.toISOString().slice(0, 10);
  if (end.getTime() - context.clock.now().getTime() > soonMs)
    return [ok("sign-in", `The sign-in at ${server} lasts until ${day}.`)];
  const isOver = end <= context.clock.now();
  return [
    (isOver ? failure : warning)("sign-in", {
      what: `The sign-in at ${server} ${isOver ? "ended" : "ends"} on ${day}.`,
      why: "After that a tester's commands are refused.",
      next: "Sign in again: innkeep auth login",
    }),
  ];
}
