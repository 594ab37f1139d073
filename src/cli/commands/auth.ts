import type { Command } from "commander";
import { type CredentialKind, credentialKinds } from "../../client/credential-kinds.ts";
import { hintOf } from "../../credentials/stored.ts";
import { CliError, usageError } from "../cli-error.ts";
import { canAsk } from "../confirm.ts";
import type { Invocation } from "../context.ts";
import { allKinds, kindOf, kindWords } from "../credential-names.ts";
import { openStore } from "../find-credential.ts";
import { onRun, type Setup } from "../on-run.ts";
import { note, printList, printOne } from "../output.ts";
import { reasonOf } from "../text-flag.ts";

export function addAuth(auth: Command, setup: Setup): void {
  const set = auth
    .command("set")
    .description("Store a key or token for this server; it is read from standard input, or asked for")
    .argument("<kind>", kindWords, kindOf)
    .option("--insecure-storage", "in a file that only you can read, not in the keychain");
  onRun<SetFlags, CredentialKind>(set, setup, store);

  const status = auth
    .command("status")
    .description("Tell which credentials there are for this server, and where they come from");
  onRun(status, setup, tell);

  const logout = auth
    .command("logout")
    .description("Forget what is stored for this server")
    .argument("[kind]", `only this one: ${kindWords}`, kindOf);
  onRun<object, CredentialKind | undefined>(logout, setup, forget);
}

interface SetFlags {
  readonly insecureStorage?: boolean;
}

async function store(invocation: Invocation, flags: SetFlags, kind: CredentialKind): Promise<undefined> {
  const origin = originOf(invocation);
  const secret = await givenSecret(invocation, kind);
  const credentials = openStore(invocation.context);
  const storedIn = await written(() =>
    credentials.put(origin, kind, secret, flags.insecureStorage ? "file" : undefined),
  );
  if (storedIn === "file" && !flags.insecureStorage) {
    note(
      invocation,
      `warning: there is no keychain here. The secret is in plain text in ${credentials.file}, which only you can read.`,
    );
  }
  const source = storedIn === "file" ? credentials.file : "keychain";
  const { name, variable } = credentialKinds[kind];
  note(invocation, `Stored the ${name} for ${origin} (${source}).`);
  if (invocation.context.env[variable]) note(invocation, `warning: ${variable} is set, and goes before it.`);
  printOne(invocation, { origin, kind, source, hint: hintOf(secret) }, () => hintOf(secret));
}

async function tell(invocation: Invocation): Promise<undefined> {
  const server = originOf(invocation);
  const found = await Promise.all(
    allKinds.map(async (kind) => {
      const credential = await invocation.credential(kind);
      const { name, variable } = credentialKinds[kind];
      return {
        kind,
        name,
        variable,
        source: credential?.source ?? null,
        hint: credential ? hintOf(credential.secret) : null,
      };
    }),
  );
  const columns = [
    { heading: "credential", of: ({ name }: (typeof found)[number]) => name },
    { heading: "starts", of: ({ hint }: (typeof found)[number]) => hint },
    {
      heading: "from",
      of: ({ source, variable }: (typeof found)[number]) => source ?? `none (${variable} is not set)`,
    },
  ];
  printList(invocation, found, columns, { server });
}

async function forget(
  invocation: Invocation,
  _: object,
  kind: CredentialKind | undefined,
): Promise<undefined> {
  const origin = originOf(invocation);
  const credentials = openStore(invocation.context);
  const removed: CredentialKind[] = [];
  for (const one of kind ? [kind] : allKinds) {
    if (await written(() => credentials.remove(origin, one))) removed.push(one);
  }
  const names = removed.map((one) => credentialKinds[one].name).join(", ");
  note(
    invocation,
    removed.length > 0 ? `Forgot the ${names} for ${origin}.` : `Nothing is stored for ${origin}.`,
  );
  printOne(invocation, { origin, removed }, () => removed.join("\n"));
}

const originOf = (invocation: Invocation): string => new URL(invocation.baseUrl()).origin;

async function givenSecret(invocation: Invocation, kind: CredentialKind): Promise<string> {
  const { io } = invocation.context;
  const { name } = credentialKinds[kind];
  const secret = (
    canAsk(invocation) ? await io.ask(`The ${name}: `, { hidden: true }) : await pipedIn(invocation)
  ).trim();
  if (/^[!-~]+$/.test(secret)) return secret;
  throw usageError(
    secret === "" ? `No ${name} was given.` : `That is no ${name}.`,
    `Pipe it in: innkeep auth set … < file`,
  );
}

async function pipedIn({ context }: Invocation): Promise<string> {
  return context.io.stdin.isTerminal ? "" : context.io.stdin.text();
}

/** A folder that cannot be written is for the person to mend. */
async function written<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    throw new CliError(
      "unexpected",
      "storage",
      `The credentials cannot be written (${reasonOf(cause)}).`,
      "INNKEEP_CONFIG_DIR names another folder; an environment variable needs none.",
    );
  }
}
