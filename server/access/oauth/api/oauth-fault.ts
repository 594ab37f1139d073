/** The errors of OAuth that the endpoints for programs answer. (RFC 6749 4.1.2.1 and 5.2, RFC 7591 3.2.2) */
export type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "temporarily_unavailable"
  | "server_error"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

/** A request of a program that OAuth refuses. The message says what to do. */
export class OAuthFault extends Error {
  readonly code: OAuthCode;

  constructor(code: OAuthCode, message: string) {
    super(message);
    this.name = "OAuthFault";
    this.code = code;
  }
}
