import { type CredentialKind, credentialKinds } from "../client/credential-kinds.ts";
import { hintOf } from "../credentials/store.ts";
import type { Exit } from "./core/cli-error.ts";
import { startInvocation } from "./core/command.ts";
import type { FoundCredential, Invocation, Server } from "./core/context.ts";
import {
  findCredential,
  isOfOtherServer,
  openStore,
  profileKind,
  wrongKindMessage,
} from "./core/credentials.ts";
import { type Column, note, printList } from "./core/output.ts";
import { allKinds } from "./core/store-credential.ts";
import { checkCredential, type Verdict } from "./core/credential-check.ts";

export interface StatusFlags {
  readonly offline?: boolean;
  /** Whether the command fails if a server refuses a credential or does not answer. */
  readonly check?: boolean;
}

/** One server and one kind of credential. */
export interface Place {
  readonly server: string;
  readonly kind: CredentialKind;
  /**
   * The profile for which the credential is stored. Null if all profiles use it, or if it is a credential that commands
   * use now.
   */
  readonly profile: string | null;
  readonly find: () => Promise<FoundCredential | undefined>;
}

type Judge = (place: Place, found: FoundCredential) => Promise<Verdict>;

interface Row {
  readonly server: string;
  readonly kind: CredentialKind;
  readonly profile: string | null;
  readonly name: string;
  readonly variable: string;
  readonly source: string | null;
  readonly hint: string | null;
  /** Whether the server accepts the credential; null if the server was not asked or did not answer. */
  readonly valid: boolean | null;
  readonly problem: string | null;
}

/**
 * Prints the credentials for the servers that commands use, and all credentials that are stored for other servers.
 */
export async function status(
  invocation: Invocation,
  { offline = false, check = false }: StatusFlags,
): Promise<Exit | undefined> {
  const { context, flags } = invocation;
  const server = invocation.server();
  const tester = startInvocation(context, flags, true).server();
  noteServers(invocation, server, tester);
  const places = [...placesInUse(invocation, server, tester), ...placesStored(invocation, server, tester)];
  const judge: Judge = async (place, found) => {
    const wrongKind = wrongKindMessage(found, place.kind);
    if (wrongKind !== undefined) return { valid: false, problem: wrongKind };
    return offline ? { valid: null, problem: null } : checkCredential(invocation, place, found);
  };
  const rows = await Promise.all(places.map((place) => rowOf(place, judge)));
  printList(invocation, {
    items: rows,
    columns: columnsFor((variable) => isOfOtherServer(context, server, variable)),
    extra: { server: server.address, testerServer: tester.address },
  });
  return check && rows.some(({ problem, hint, valid }) => (problem ?? hint) !== null && valid !== true)
    ? "authentication"
    : undefined;
}

const columnsFor = (isUnsent: (variable: string) => boolean): readonly Column<Row>[] => [
  { heading: "server", of: ({ server }) => server },
  { heading: "credential", of: ({ name, profile }) => (profile === null ? name : `${name} (${profile})`) },
  { heading: "starts", of: ({ hint }) => hint },
  {
    heading: "from",
    of: ({ source, variable }) =>
      source ?? `none (${variable} is not ${isUnsent(variable) ? "sent there" : "set"})`,
  },
  { heading: "state", of: ({ valid, problem }) => problem ?? (valid ? "valid" : "") },
];

function noteServers(invocation: Invocation, server: Server, tester: Server): void {
  note(invocation, `Commands go to ${server.address} (${server.from}).`);
  if (tester.address !== server.address)
    note(invocation, `A tester's commands go to ${tester.address} (${tester.from}).`);
}

const serverFor = (kind: CredentialKind, server: Server, tester: Server): Server =>
  kind === "deviceToken" ? tester : server;

/** Returns the credentials that commands would use now. */
const placesInUse = ({ context, flags }: Invocation, server: Server, tester: Server): Place[] =>
  allKinds.map((kind) => {
    const own = serverFor(kind, server, tester);
    const find = () => findCredential(context, flags, { server: own, kind });
    return { server: own.address, kind, profile: null, find };
  });

/** Returns the credentials that are stored on this machine, but that commands would not use now. */
export function placesStored({ context, flags }: Invocation, server: Server, tester: Server): Place[] {
  const store = openStore(context);
  return Object.entries(store.index()).flatMap(([origin, kinds]) =>
    Object.keys(kinds).flatMap((stored): Place[] => {
      const [word, profile = null] = stored.split("#");
      const kind = allKinds.find((one) => one === word);
      if (!kind) return [];
      const wanted = profileKind(context, flags, kind);
      const isUsed =
        new URL(serverFor(kind, server, tester).address).origin === origin &&
        stored === (kinds[wanted] ? wanted : kind);
      return isUsed ? [] : [{ server: origin, kind, profile, find: () => storedIn(store, origin, stored) }];
    }),
  );
}

async function storedIn(store: ReturnType<typeof openStore>, origin: string, kind: string) {
  const found = await store.find({ origin, kind });
  return found && { secret: found.secret, source: found.in === "file" ? store.file : "keychain" };
}

async function rowOf(place: Place, judge: Judge): Promise<Row> {
  const { server, kind, profile } = place;
  const { name, variable } = credentialKinds[kind];
  const named = { server, kind, profile, name, variable };
  try {
    const found = await place.find();
    if (!found) return { ...named, ...nothing };
    const verdict = await judge(place, found);
    return { ...named, source: found.source, hint: hintOf(found.secret), ...verdict };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...named, ...nothing, problem };
  }
}

const nothing = { source: null, hint: null, valid: null, problem: null };
