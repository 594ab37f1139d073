import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/client";

/** A program that connects with OAuth, and keeps its data in memory. Both client libraries accept it. */
export function authorizedProgram(redirect: string) {
  let client: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = "";
  let opened: URL | undefined;
  return {
    redirectUrl: redirect,
    clientMetadata: { client_name: "Test client", redirect_uris: [redirect] },
    state: () => "state of the test",
    clientInformation: () => client,
    saveClientInformation(information: OAuthClientInformationMixed) {
      client = information;
    },
    tokens: () => tokens,
    saveTokens(given: OAuthTokens) {
      tokens = given;
    },
    redirectToAuthorization(address: URL) {
      opened = address;
    },
    saveCodeVerifier(given: string) {
      verifier = given;
    },
    codeVerifier: () => verifier,
    /** The address that it opened in the browser. */
    opened: () => opened,
  };
}
