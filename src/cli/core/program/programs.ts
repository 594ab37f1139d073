import type { Exchange } from "../../../client/options.ts";
import type { ProxySettings } from "../../../client/transport/proxy.ts";

/** The flags of `innkeep serve`; what is left out comes from the environment or the defaults. */
export interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly baseUrl?: string;
  readonly consoleUrl?: string;
  readonly demo?: boolean;
  readonly dev?: boolean;
  /** One line of JSON on standard output once it listens. */
  readonly json?: boolean;
}

/** Which database an operator's command works on. */
export interface DatabaseChoice {
  readonly data?: string;
  readonly databaseUrl?: string;
}

export type AdminCommand =
  | { readonly command: "user create"; readonly email: string; readonly password: string }
  | { readonly command: "user password"; readonly email: string; readonly password: string }
  | { readonly command: "app create"; readonly name: string; readonly owner: string }
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
    }
  | { readonly command: "key list"; readonly owner?: string; readonly appId?: string }
  | { readonly command: "key revoke"; readonly id: string }
  | { readonly command: "token list"; readonly owner?: string }
  | { readonly command: "token revoke"; readonly id: string }
  | { readonly command: "migrate" }
  | { readonly command: "check" }
  | { readonly command: "repair" }
  | { readonly command: "secret reset" }
  | { readonly command: "backup"; readonly file: string }
  | { readonly command: "restore"; readonly file: string };

/** One command of the person who runs the server; works on the database directly. */
export type AdminRequest = AdminCommand & DatabaseChoice;

/** What `innkeep mcp` was told. */
export interface McpRequest {
  readonly baseUrl: string;
  readonly consoleUrl?: string;
  readonly agentToken?: string;
  /** A file that holds the agent token. */
  readonly tokenFile?: string;
  /** The agent token that is stored on this machine, for when neither of the two above is there. */
  readonly storedToken: () => Promise<string | undefined>;
  readonly proxy: ProxySettings;
  /** Writes the trace of each request, where one was asked for. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** The longest that one call may wait for a decision. */
  readonly maxWaitSeconds?: number;
  /** Offers no tool that writes. */
  readonly readOnly?: boolean;
  readonly stateDirectory: string;
}

/** The other programs of the package. The front door loads each only when it is called. */
export interface Programs {
  /** Gives the exit code once the server has stopped. */
  serve(flags: ServeFlags): Promise<number>;
  /** Gives what the command made or found, for a person and for `--json`. */
  admin(request: AdminRequest): Promise<Record<string, unknown>>;
  /** Gives the exit code once the client has hung up. */
  mcp(request: McpRequest): Promise<number>;
}
