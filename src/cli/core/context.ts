import type { Client, Transport } from "../../client/call.ts";
import type { Clock } from "../../client/clock.ts";
import type { CredentialKind } from "../../client/credential-kinds.ts";
import type { Sender } from "../../client/send.ts";
import type { Keychain } from "../../credentials/keychain.ts";
import type { Programs } from "../../programs.ts";

/** Standard output or standard error. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; 80 where there is no terminal. */
  readonly columns: number;
  write(text: string): void;
}

/** Standard input. It can be read once. */
export interface Source {
  readonly isTerminal: boolean;
  /** All of it. Throws a CliError if it is longer than a text can be. */
  text(): Promise<string>;
  /** Its beginning and its end, of at most so many bytes each. */
  ends(bytes: number): Promise<Ends>;
}

/** Both ends of a stream. Together they are all of it, if they have as many bytes. */
export interface Ends {
  readonly head: Buffer;
  /** What follows the head, or the end of that. */
  readonly tail: Buffer;
  /** Of the whole stream. */
  readonly bytes: number;
}

export interface Io {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Asks on the terminal and gives the typed line. `hidden` echoes nothing; `signal` ends the question. */
  ask(question: string, options?: AskOptions): Promise<string>;
}

export interface AskOptions {
  readonly hidden?: boolean;
  readonly signal?: AbortSignal;
}

/** Everything that a command uses of its process. `bin` makes it of the real process, tests make their own. */
export interface Context {
  readonly io: Io;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of relative file names. */
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** Of the package. */
  readonly version: string;
  /** Of Node, such as `v24.4.0`. */
  readonly nodeVersion: string;
  readonly processId: number;
  /** Whether a process with this id runs on this machine. */
  readonly isRunning: (processId: number) => boolean;
  readonly clock: Clock;
  /** Aborts when the person interrupts. */
  readonly signal: AbortSignal;
  readonly newId: () => string;
  /** From 0 up to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Loads the keychain of the system; undefined if there is none. */
  readonly keychain: () => Promise<Keychain | undefined>;
  /** Opens an address in the person's browser; rejects if there is none. */
  readonly openBrowser: (url: string) => Promise<void>;
  /** Opens a file in an editor on this terminal, by the person's command for it; returns its exit code. */
  readonly openEditor: (command: string, file: string) => Promise<number>;
  /** The words that start this program in a new terminal of this machine. */
  readonly wordsToStart: () => Promise<readonly string[]>;
  readonly programs: Programs;
  /** Loads what `serve` needs. Rejects with an Error that names what is missing. */
  readonly checkServer: () => Promise<void>;
  /** Sends requests, in place of the network of this machine. */
  readonly transport?: Transport;
}

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly json?: boolean;
  /** Names of fields, comma separated. */
  readonly fields?: string;
  /** The only field that is printed, byte for byte. */
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
  readonly profile?: string;
}

/** A credential and its source: a flag, a variable, `keychain`, or the file. */
export interface FoundCredential {
  readonly secret: string;
  readonly source: string;
  /** Given with this command by a flag or a variable, so that nothing says which server it is for. */
  readonly isGiven?: true;
}

/** The server that requests go to, and the source of its address. */
export interface Server {
  /** Without a slash at the end. */
  readonly address: string;
  /** For messages: a flag, a variable, a profile, a file, "the last sign-in" or "the default". */
  readonly from: string;
  /** A project file names it, which may come from a stranger. */
  readonly isProject?: true;
  /** The profile that names it, if `--profile` names that one. */
  readonly profile?: string;
}

/** One call of a command: the context, its flags, and its server. */
export interface Invocation {
  readonly context: Context;
  readonly flags: GlobalFlags;
  /** Throws a CliError if the address is not a web address. */
  server(): Server;
  /** The address of the server. */
  baseUrl(): string;
  /**
   * The API with the credentials of this person. Nothing is read before the first call. With `--dry-run` the first
   * mutation prints its request and ends the command. A mutation gets an Idempotency-Key, which the same command
   * reuses when it is started again, until the server has answered.
   */
  client(): Client;
  /** As `client`, for any route, with the whole answer. */
  sender(): Sender;
  /**
   * The credential of this kind, with its source; undefined if there is none. Throws a CliError if it is of another
   * kind.
   */
  credential(kind: CredentialKind): Promise<FoundCredential | undefined>;
  /** Folder of what must outlive the command: `pending/` holds idempotency keys, `spool/` unsent reports. */
  readonly stateFolder: string;
}
