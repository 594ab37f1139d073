import type { Client, Transport } from "../../client/call.ts";
import type { CredentialKind } from "../../client/connection.ts";
import type { Sender } from "../../client/send.ts";
import type { Clock } from "../../client/wait.ts";
import type { Keychain } from "../../credentials/keychain.ts";
import type { Programs } from "../../programs.ts";

/** Standard output or standard error. */
export interface Sink {
  readonly isTerminal: boolean;
  /** The width in columns. 80 if the stream is not a terminal. */
  readonly columns: number;
  write(text: string): void;
}

/** Standard input. It can be read only once. */
export interface Source {
  readonly isTerminal: boolean;
  /** Returns the whole input. Throws a CliError if it is larger than the limit for text files. */
  text(): Promise<string>;
  /** Returns the first and the last bytes of the input, at most `bytes` of each. */
  ends(bytes: number): Promise<StreamEnds>;
}

/** The first and last bytes of a stream. A short stream is `head` and `tail` together. */
export interface StreamEnds {
  readonly head: Buffer;
  /** The bytes after the head. If the stream is long, only its last bytes. */
  readonly tail: Buffer;
  /** The length of the whole stream. */
  readonly bytes: number;
}

export interface Io {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /**
   * Asks a question and returns the typed line. Rejects with `Unanswered` at the end of input or after an
   * abort.
   */
  ask(question: string, options?: AskOptions): Promise<string>;
  /**
   * Calls a function with each key that the person presses. Ctrl+C still interrupts. Returns a function that stops the
   * calls.
   */
  onKey(pressed: (key: string) => void): () => void;
}

export interface AskOptions {
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

/** Everything that a command uses from its process. `bin` creates it from the real process. Tests create their own. */
export interface Context {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder. Relative paths start there. */
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** The version of the package. */
  readonly version: string;
  /** The version of Node, such as `v24.4.0`. */
  readonly nodeVersion: string;
  readonly processId: number;
  /** Whether a process with this id runs on this machine. */
  readonly isRunning: (processId: number) => boolean;
  readonly clock: Clock;
  /** Aborts when the person interrupts the command. */
  readonly signal: AbortSignal;
  readonly newId: () => string;
  /** Returns a random number from 0 up to, but not including, 1. It varies the length of pauses. */
  readonly random: () => number;
  /** Loads the keychain of the system. Resolves to undefined if there is none. */
  readonly keychain: () => Promise<Keychain | undefined>;
  /** Opens an address in the person's browser. Rejects if there is no browser. */
  readonly openBrowser: (url: string) => Promise<void>;
  /** Opens a file in the person's editor on this terminal. Resolves to the exit code of the editor. */
  readonly openEditor: (command: string, file: string) => Promise<number>;
  /** Returns the command that starts this program in a new terminal of this machine, as a list of words. */
  readonly wordsToStart: () => Promise<readonly string[]>;
  readonly programs: Programs;
  /** Loads the packages that `serve` needs. If one is missing, rejects with an Error that names it. */
  readonly checkServer: () => Promise<void>;
  /** The transport of a test. If it is undefined, requests use the network. */
  readonly transport?: Transport;
}

/** The flags that every command accepts. */
export interface GlobalFlags {
  readonly json?: boolean;
  /** Names of fields, separated by commas. */
  readonly fields?: string;
  /** The name of one field. The command prints only the unchanged value of this field. */
  readonly raw?: string;
  readonly baseUrl?: string;
  readonly debug?: boolean;
  /** For how many seconds failed requests are repeated. */
  readonly maxWait?: number;
  /** How many seconds one attempt waits for data. */
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
  readonly profile?: string;
}

/** A credential and its source: a flag, a variable, `keychain`, or the credentials file. */
export interface FoundCredential {
  readonly secret: string;
  readonly source: string;
  /** True if the credential comes from a flag or a variable. Such a credential is not bound to a server. */
  readonly isGiven?: true;
}

/** The server that requests go to, and the source of its address. */
export interface Server {
  /** The address of the server, without a slash at its end. */
  readonly address: string;
  /**
   * The source of the address, for messages: a flag, variable, profile, file, "the last sign-in" or "the
   * default".
   */
  readonly from: string;
  /** True if the address comes only from a project file. A stranger may have written that file. */
  readonly isProject?: true;
  /** The profile from which the address comes, if `--profile` selected that profile. */
  readonly profile?: string;
}

/** One call of a command: the context, the flags, and the server. */
export interface Invocation {
  readonly context: Context;
  readonly flags: GlobalFlags;
  /** Throws a CliError if the address is not a web address. */
  server(): Server;
  /** The address of the server. */
  baseUrl(): string;
  /**
   * Returns the client with the person's credentials. With `--dry-run`, the first request that changes
   * something is only printed.
   */
  client(): Client;
  /** Like `client`, but sends requests to any route and returns the whole answer. */
  sender(): Sender;
  /**
   * Returns the credential of this kind and its source. Throws a CliError if a credential of another kind was found.
   */
  credential(kind: CredentialKind): Promise<FoundCredential | undefined>;
  /** The folder for files that remain after the command: idempotency keys in `pending/`, unsent reports in `spool/`. */
  readonly stateFolder: string;
}
