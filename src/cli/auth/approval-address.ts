import type { Route } from "../../client/routes.ts";
import { choices } from "../core/choices.ts";
import type { Invocation } from "../core/context.ts";

/** The parameters of the approval page. */
export interface Question {
  readonly device: string;
  readonly name: string;
  readonly challenge: string;
  readonly redirect: string;
}

/** The address at which a person approves this device. */
export function approvalAddress(invocation: Invocation, question: Question): string {
  const url = new URL(invocation.baseUrl() + choices.authorizePath);
  for (const [name, value] of Object.entries(question)) url.searchParams.set(name, value);
  return url.href;
}

/** The page on which the server shows the code, for a sign-in without `--redirect`. */
export const ownRedirect = (invocation: Invocation): string => invocation.baseUrl() + choices.codePath;

/** The page as a route, to check the parameters before a person opens it. */
export const approvalPage: Route = {
  method: "GET",
  path: choices.authorizePath,
  auth: "none",
  summary: "Ask a person to approve this device",
};
