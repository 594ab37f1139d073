import type { Client } from "../../../client/calls/call.ts";
import type { Sender } from "../../../client/calls/sender.ts";
import type { CredentialKind } from "../../../client/credential-kinds.ts";
import type { Transport } from "../../../client/transport/wire.ts";
import type { Clock } from "../../../client/waiting/clock.ts";
import type { Keychain } from "../../../credentials/keychain.ts";
import type { Programs } from "../../../programs.ts";

/** Standard output or standard error. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; 80 where there is no terminal. */
  readonly columns: number;
  write(text: string): void;
}

export interface Io {
  readonly stdin: { readonly isTerminal: boolean; text(): Promise<string> };
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Asks on the terminal and gives the line that was typed; `hidden` echoes nothing, `signal` takes the question back. */
  ask(question: string, options?: AskOptions): Promise<string>;
}

export interface AskOptions {
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

/** All that a command may touch of the world. `bin` makes it of the process, tests make their own. */
export interface Context {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What relative file names start from. */
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** Of the package. */
  readonly version: string;
  readonly processId: number;
  /** Whether a process with this id runs on this machine. */
  readonly isRunning: (processId: number) => boolean;
  readonly clock: Clock;
  /** Aborts when the person interrupts. */
  readonly signal: AbortSignal;
  readonly newId: () => string;
  /** From 0 up to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** The keychain of the system; undefined where there is none. Loaded only when it is asked for. */
  readonly keychain: () => Promise<Keychain | undefined>;
  /** Opens an address in the person's browser; rejects where there is none. */
  readonly openBrowser: (url: string) => Promise<void>;
  readonly programs: Programs;
  /** What carries requests, where it is not the network of this machine. */
  readonly transport?: Transport;
}

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly json?: boolean;
  /** Names of fields, comma separated. */
  readonly fields?: string;
  /** Name of the one field of a view that is printed, byte for byte. */
  readonly raw?: string;
  readonly baseUrl?: string;
  readonly debug?: boolean;
  /** In seconds. */
  readonly maxWait?: number;
  /** In seconds. */
  readonly timeout?: number;
  readonly color?: "auto" | "always" | "never" | false;
  readonly input?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly idempotencyKey?: string;
  readonly apiKeyFile?: string;
  readonly agentTokenFile?: string;
  readonly tokenFile?: string;
  readonly app?: string;
}

/** A credential and where it comes from: a flag, a variable, `keychain`, or the file. */
export interface FoundCredential {
  readonly secret: string;
  readonly source: string;
}

/** The server that requests go to, and what named it. */
export interface Server {
  /** Without a slash at the end. */
  readonly address: string;
  readonly from: "--base-url" | "INNKEEP_BASE_URL" | "the last sign-in" | "the default";
}

/** One command at work: the world, the flags it was called with, and the server it talks to. */
export interface Invocation {
  readonly context: Context;
  readonly flags: GlobalFlags;
  /** Throws a CliError when the address is no web address. */
  server(): Server;
  /** Where requests go: the address of the server. */
  baseUrl(): string;
  /**
   * The API with the credentials of this person. Nothing is read before the first call. Under `--dry-run` the first
   * mutation prints its request and ends the command. A mutation gets an Idempotency-Key of its own, which the same
   * command run again reuses until the server has answered.
   */
  client(): Client;
  /** As `client`, for any route, with the answer as it came. */
  sender(): Sender;
  /**
   * Where a credential of this kind is found, and what it is; undefined where there is none. Throws a CliError where it
   * is one of another kind.
   */
  credential(kind: CredentialKind): Promise<FoundCredential | undefined>;
  /** For what must outlive the command: `pending/` holds idempotency keys, `spool/` unsent reports. */
  readonly stateFolder: string;
}
