import type { ProxySettings } from "./client/connection.ts";
import type { Exchange } from "./client/options.ts";
import type { Role } from "./contract/endpoint.ts";

/** The flags of `innkeep serve`. Missing flags get their values from the environment or the defaults. */
export interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly baseUrl?: string;
  readonly consoleUrl?: string;
  readonly demo?: boolean;
  readonly dev?: boolean;
  /** A JSON or YAML file with the apps of a development server. These apps replace the demo app. */
  readonly seed?: string | undefined;
  /**
   * True for a developer's server. It uses a free port by default, and ignores environment variables of other
   * servers.
   */
  readonly local?: boolean;
  /** Prints one line of JSON on standard output when the server listens. */
  readonly json?: boolean;
}

/** The database that a command of the operator uses. The operator is the person who runs the server. */
export interface DatabaseChoice {
  /** The folder with the SQLite database, the files and the secret. */
  readonly data?: string;
  /** The address of a PostgreSQL database that is used instead of SQLite. The files stay in the folder. */
  readonly databaseUrl?: string;
  /** The S3 store for the files, if they are not in the folder. */
  readonly s3?: S3Choice | undefined;
}

/** The address of an S3 store, and the key for the store if the address contains no key. */
export interface S3Choice {
  readonly url: string | undefined;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
}

/** The mail server, and the sender of mails. */
export interface MailChoice {
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string | undefined;
}

interface MemberCommand<Name> {
  readonly command: Name;
  readonly appId: string;
  readonly email: string;
}

/** A command of the person who runs the server. */
export type AdminCommand =
  | { readonly command: "user create"; readonly email: string; readonly password: string }
  | { readonly command: "user password"; readonly email: string; readonly password: string }
  | { readonly command: "user remove-second-factor"; readonly email: string }
  | { readonly command: "user erase"; readonly email: string }
  | { readonly command: "app create"; readonly name: string; readonly owner: string }
  | {
      readonly command: "app import";
      readonly file: string;
      readonly owner: string;
      readonly name?: string | undefined;
      readonly baseUrl?: string | undefined;
    }
  | {
      readonly command: "key create";
      readonly appId: string;
      readonly label?: string;
      readonly kind?: "full" | "intake";
    }
  | {
      readonly command: "token create";
      readonly kind: "agent" | "maintainer";
      readonly owner: string;
      readonly label?: string;
      readonly scopes?: readonly string[];
      readonly appId?: string;
      readonly expiresAt?: string | undefined;
    }
  | { readonly command: "member list"; readonly appId: string }
  | (MemberCommand<"member add"> & { readonly role: Role })
  | (MemberCommand<"member role"> & { readonly role: Role })
  | MemberCommand<"member remove">
  | { readonly command: "key list"; readonly owner?: string; readonly appId?: string }
  | { readonly command: "key revoke"; readonly id: string }
  | { readonly command: "token list"; readonly owner?: string }
  | { readonly command: "token revoke"; readonly id: string }
  | { readonly command: "token rotate"; readonly id: string; readonly graceMinutes?: number | undefined }
  | ({ readonly command: "mail check" } & MailChoice)
  | ({ readonly command: "mail test"; readonly to: string } & MailChoice)
  | { readonly command: "migrate" | "check" | "repair" | "files check" | "secret reset" }
  | { readonly command: "files move"; readonly to: "folder" | "s3" }
  | BackupCommand;

/** A command of the operator, and the database that it uses. */
export type AdminRequest = AdminCommand & DatabaseChoice & AdminEnvironment;

/** The environment variables that a command of the operator reads. */
export interface AdminEnvironment {
  /** The secret of the server. With SQLite, the secret may be in the folder instead. */
  readonly secret?: string | undefined;
  /** Former secrets, separated by commas. */
  readonly oldSecrets?: string | undefined;
  /** The file that records the erasures of people, if it is not in the data folder. */
  readonly erasuresFile?: string | undefined;
}

/** The options of `innkeep mcp` for the MCP server. The addresses have no slash at the end. */
export interface McpRequest {
  readonly baseUrl: string;
  /** The address of the console, for links. By default, the server's own links are used. */
  readonly consoleUrl?: string | undefined;
  /** A file with the agent token. It is read at the first call, and after a refusal. */
  readonly tokenFile?: string | undefined;
  /** The agent token, if there is no `tokenFile`. */
  readonly agentToken?: string | undefined;
  /** Returns the agent token if there is no `tokenFile` and no `agentToken`. Called again after a refusal. */
  readonly storedToken?: (() => Promise<string | undefined>) | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Called after every request to the server, with its answer. Both contain secrets. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** For how many seconds one call may wait for a decision, from 1 to 240. The default is 50. */
  readonly maxWaitSeconds?: number | undefined;
  /** Whether the server offers only tools that read. */
  readonly readOnly?: boolean | undefined;
  /** Whether to offer the tools for the work on approved plans. The token needs the scope `runs:work`. */
  readonly work?: boolean | undefined;
  /** The folder for the records of proposals. Without a folder, the records are lost when the process ends. */
  readonly stateDirectory?: string | undefined;
}

/** A command that runs with a separate server. */
export interface DevExecRequest {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** A JSON or YAML file with the apps of the server, as for `serve`. */
  readonly seed?: string | undefined;
  /** Keeps the folder of the server after the command has ended. */
  readonly keep?: boolean | undefined;
  /** Writes a line for the person. */
  readonly note: (text: string) => void;
  /** Writes a line about a fault. */
  readonly warn: (text: string) => void;
}

/** The other programs of the package. The entry point loads each program only when it is called. */
export interface Programs {
  /** Runs the server. Returns the exit code when the server has stopped. */
  serve(flags: ServeFlags): Promise<number>;
  /** Runs a command of the operator. Returns its result, for a person and for `--json`. */
  admin(request: AdminRequest): Promise<Record<string, unknown>>;
  /** Runs the MCP server. Returns the exit code when the client has disconnected. */
  mcp(request: McpRequest): Promise<number>;
  /** Runs a command with a separate server. Returns the command's exit code, or 128 plus a signal's number. */
  devExec(request: DevExecRequest): Promise<number>;
}

/** A request to an endpoint of the API from inside the server. */
export interface DirectRequest {
  readonly method: string;
  /** The path of the endpoint, with the names of its parameters. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The answer to a request that a program makes without HTTP. It is the same as the answer over HTTP. */
export interface DirectAnswer {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The topics that a client follows: proposals by their ids, and the queue. */
export interface Topics {
  readonly runIds: readonly string[];
  readonly queue: boolean;
}

/** The followed topics, and the function that waits for changes. */
export interface Following {
  /** The requested topics that the client may read. */
  readonly topics: Topics;
  /**
   * Calls `tell` with the changed topic. Resolves when `gone` aborts, or after an hour. Rejects if the token is
   * revoked.
   */
  follow(tell: (topic: string) => void, gone: AbortSignal): Promise<void>;
}

/** The program that calls tools over HTTP, with the rights of its token. */
export interface ToolCaller {
  /** The id of the token. */
  readonly id: string;
  /** The token. No text that the program sends may contain it. */
  readonly secret: string;
  /** True if the token may only read. */
  readonly readOnly: boolean;
  /** Whether the token has the scope for the work on approved plans. */
  readonly mayWork: boolean;
  /** Calls the API with the token of this caller. Does not reject if the API answers with an error. */
  readonly call: (request: DirectRequest) => Promise<DirectAnswer>;
  /** Returns an uploaded file, `too large` above `most` bytes, or undefined if there is none. */
  readonly readUpload: (name: string, most: number) => Promise<Buffer | "too large" | undefined>;
  /** Reads the current state of topics, so that later changes can be followed. */
  readonly follow: (topics: Topics) => Promise<Following>;
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal;
}

/** The options of the tools over HTTP. Addresses have no slash at the end. */
export interface HttpToolOptions {
  readonly version: string;
  readonly baseUrl: string;
  readonly consoleUrl: string;
  /** Called with the error of a message that could not be handled. */
  readonly onError: (error: Error) => void;
}

/** The tools of the MCP server over HTTP. */
export interface HttpTools {
  /** Answers one message or an array of messages. Supports the protocol with and without sessions. */
  answer(request: ToolRequest, caller: ToolCaller): Promise<HttpAnswer>;
}

/** A request to the tools. */
export interface ToolRequest {
  /** The headers that the protocol uses, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message or the array of messages, as a parsed JSON value. */
  readonly body: unknown;
  /** Aborts when the client has disconnected. */
  readonly gone: AbortSignal;
}

export type HttpAnswer = JsonAnswer | StreamedAnswer;

/** An answer that is one JSON text. */
interface JsonAnswer {
  readonly json: string;
}

interface StreamedAnswer {
  readonly response: Response;
  /** Whether the response is sent in parts over a longer time. */
  readonly comesInParts: boolean;
}

/** The keys with which encrypted backups are read. */
interface BackupKeys {
  /** A file with secret keys for the encryption tool `age`. */
  readonly identity?: string | undefined;
}

/** The folder in which a backup is restored to be verified. */
interface ScratchChoice {
  /** The path of the folder. The default is the folder of the system for temporary files. */
  readonly scratch?: string | undefined;
}

interface BackUp extends ScratchChoice {
  readonly command: "backup";
  readonly file: string;
  /** The public keys of `age` for which the backup is encrypted, separated by commas. */
  readonly recipient?: string | undefined;
  /** Verifies the backup before the file gets its final name. */
  readonly prove?: boolean | undefined;
}

interface VerifyBackup extends BackupKeys, ScratchChoice {
  readonly command: "backup verify";
  readonly file: string;
}

interface Restore extends BackupKeys {
  readonly command: "restore";
  readonly file: string;
  /** A file with erasures of people that must be repeated. */
  readonly erasures?: string | undefined;
}

/** Prepares a database that another program has restored, so that a server can safely use it. */
interface Adopt {
  readonly command: "adopt";
  /** A file with erasures of people that must be repeated. */
  readonly erasures?: string | undefined;
}

/** A command for backups. */
type BackupCommand = BackUp | VerifyBackup | Restore | Adopt | { readonly command: "backup nightly" };
