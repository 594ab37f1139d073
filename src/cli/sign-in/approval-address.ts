import type { Route } from "../../client/calls/routes.ts";
import { choices } from "../core/input/choices.ts";
import type { Invocation } from "../core/program/context.ts";

/** What the approval page is asked with. */
export interface Question {
  readonly device: string;
  readonly name: string;
  readonly challenge: string;
  readonly redirect: string;
}

/** Where a person approves this device. */
export function approvalAddress(invocation: Invocation, question: Question): string {
  const url = new URL(invocation.baseUrl() + choices.authorizePath);
  for (const [name, value] of Object.entries(question)) url.searchParams.set(name, value);
  return url.href;
}

/** The page on which the server shows the code, where no other target is wanted. */
export const ownRedirect = (invocation: Invocation): string => invocation.baseUrl() + choices.codePath;

/** The page as a route, to ask the server beforehand whether it takes the question. */
export const approvalPage: Route = {
  method: "GET",
  path: choices.authorizePath,
  auth: "none",
  summary: "Ask a person to approve this device",
};
