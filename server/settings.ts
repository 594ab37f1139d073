/** What a deployment decides. Addresses have no trailing slash. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Folder of the SQLite database, the uploads and the secret. */
  readonly data: string;
  readonly databaseUrl: string | undefined;
  /** Addresses in answers are built from these, never from the Host header. */
  readonly baseUrl: string;
  readonly consoleUrl: string;
  readonly rateLimited: boolean;
  readonly corsOrigins: readonly string[];
  /** Networks (CIDR) whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Whether chat webhooks may point into private and loopback networks. */
  readonly privateWebhooks: boolean;
  readonly operatorToken: string | undefined;
  readonly logLevel: string;
  readonly demo: boolean;
  readonly dev: boolean;
}
