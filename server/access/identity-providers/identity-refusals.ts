import { ApiError } from "../../../src/contract/errors.ts";
import type { IdentityRefusal } from "./rules.ts";

/** The error for a person whose identity cannot sign in here. */
export function refusalOf(why: IdentityRefusal, provider: string): ApiError {
  switch (why) {
    case "session_changed":
      return new ApiError("forbidden", {
        message: `You are not signed in as you were when you left for ${provider}. Nothing was connected; start again.`,
      });
    case "another_account":
      return new ApiError("forbidden", {
        message: `This ${provider} account is connected to another account here. Nothing was changed.`,
      });
    case "email_unverified":
      return new ApiError("forbidden", {
        message: `${provider} has not verified an e-mail address of yours. Verify it there, then sign in again.`,
      });
    case "email_taken":
      return new ApiError("email_taken", {
        message:
          "There is an account with this e-mail address already. Sign in to it as you always do, then connect " +
          `${provider} under Sign-in methods.`,
      });
    case "registration_off":
      return new ApiError("forbidden", {
        message: "New accounts are turned off here. Ask the operator of this server for one.",
      });
  }
}

/** The error for a return from a provider that was not started in this browser, or came too late. */
export const unknownFlow = (provider: string) =>
  new ApiError("bad_request", {
    message: `This sign-in with ${provider} did not begin in this browser, took too long, or is over. Start it again.`,
  });
