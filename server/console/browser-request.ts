import type { Context } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import { isOwnOrigin, type PresentedCredentials } from "../http/authenticate.ts";
import type { Settings } from "../settings/settings.ts";

/** Throws `forbidden` if a form was sent from a page of another server. */
export function refuseForeignForm({ mutates, origin }: PresentedCredentials, settings: Settings): void {
  if (!mutates || isOwnOrigin(origin, settings)) return;
  throw new ApiError("forbidden", {
    message: "This form was not sent from a page of this server. Open the page and send it again.",
  });
}

/** Returns the result of `work`. Returns undefined if `work` throws `sign_in_required`. */
export async function unlessSignedOut<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === "sign_in_required") return undefined;
    throw error;
  }
}

/** Whether the client accepts HTML, as a browser does for pages. Other clients get errors as JSON. */
export const acceptsHtml = ({ req }: Context): boolean => String(req.headers.accept).includes("text/html");
