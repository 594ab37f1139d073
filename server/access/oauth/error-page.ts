import type { ApiError } from "../../../src/contract/errors.ts";
import type { Links } from "../../console/links.ts";
import type { Reply } from "../../console/reply.ts";
import type { AnswerWithPage } from "../../http/errors.ts";
import { type ErrorWords, showRequestError } from "../sign-in/device-parts.tsx";
import { unknownClient } from "./api/clients.ts";
import { answerFault } from "./api/fault-answers.ts";

/** The same for a program that asks without a browser. An unknown one learns that it must register again. */
export const answerConsentFault: AnswerWithPage = (ctx, error) =>
  answerFault(
    ctx,
    error.details.issues?.[0]?.path === "client_id" ? "invalid_client" : "invalid_request",
    error,
  );

/** Why an agent is not connected. The browser is not redirected to the address that it sent. */
export const showConsentError = (links: Links, error: ApiError, requestId: string): Reply =>
  showRequestError(links, { error, requestId }, isForgotten(error) ? { ...words, text: forgotten } : words);

const isForgotten = ({ details }: ApiError): boolean =>
  details.issues?.some(({ message }) => message === unknownClient) ?? false;

const forgotten =
  "This server does not know the program that sent you here, or has forgotten it. In the program, clear its sign-in for this server, or remove the server and add it again. Then connect again.";

const words: ErrorWords = {
  bad_redirect: "This connection leads to an unknown address",
  bad_request: "This connection cannot be made",
  text: "The program that sent you here sent a wrong request, so nothing was connected. Update it, or send its developers the message below.",
};
