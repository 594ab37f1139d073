import { randomUUID } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { at } from "./json.ts";

/** A page that the person at the client may open. What the person answers changes nothing here. */
export interface Page {
  readonly url: string;
  readonly message: string;
}

/** Offers a page until `signal` aborts. In the newer era it throws a PageOffer, which is the answer to this call. */
export type OfferPage = (page: Page, signal: AbortSignal) => void;

/** Ends a call with an offer. The client shows it and calls again. */
export class PageOffer extends Error {
  readonly result: InputRequiredResult;

  constructor(page: Page) {
    super("The client is asked to offer a page, and to call again.");
    this.name = "PageOffer";
    this.result = inputRequired({ inputRequests: { page: inputRequired.elicitUrl(page) } });
  }
}

/** The person may look at the page for a long time, and the wait goes on meanwhile. */
const longestMs = 3_600_000;

/** How to offer a page, if the client can show one and was not asked in this call already. (rule A61) */
export function pageOfferOf({ server }: McpServer, { mcpReq }: ServerContext): OfferPage | undefined {
  if (mcpReq.inputResponses !== undefined) return undefined;
  const { envelope } = mcpReq;
  const capabilities = envelope ? at(envelope, CLIENT_CAPABILITIES_META_KEY) : server.getClientCapabilities();
  if (at(at(capabilities, "elicitation"), "url") === undefined) return undefined;
  if (envelope)
    return (page) => {
      throw new PageOffer(page);
    };
  return (page, signal) => {
    const request = { mode: "url", ...page, elicitationId: randomUUID() } as const;
    mcpReq.elicitInput(request, { signal, timeout: longestMs }).catch(() => undefined);
  };
}
