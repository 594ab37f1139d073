import { describe, expect, it } from "vitest";
import { type IdentityFacts, judgeIdentity } from "../../../../server/access/identity-providers/rules.ts";

const stranger: IdentityFacts = {
  ownerId: undefined,
  startedBy: undefined,
  signedInAs: undefined,
  email: "ada@example.org",
  emailTaken: false,
  registration: true,
};
const refuse = (why: string) => ({ action: "refuse", why });

describe("the decision about an identity of a provider", () => {
  it.each<[string, Partial<IdentityFacts>, object]>([
    ["is new and has a verified address", {}, { action: "register", email: "ada@example.org" }],
    ["is known", { ownerId: "ada" }, { action: "sign_in" }],
    ["is known, without an address", { ownerId: "ada", email: undefined }, { action: "sign_in" }],
    [
      "is known, but another account has its address now",
      { ownerId: "ada", emailTaken: true },
      { action: "sign_in" },
    ],
    ["is known, with registration off", { ownerId: "ada", registration: false }, { action: "sign_in" }],
    [
      "is known, but another account has signed in since",
      { ownerId: "ada", signedInAs: "bob" },
      { action: "sign_in" },
    ],
    ["is new, without a verified address", { email: undefined }, refuse("email_unverified")],
    ["is new, but an account has its address", { emailTaken: true }, refuse("email_taken")],
    ["is new, with registration off", { registration: false }, refuse("registration_off")],
    [
      "is new, but an account has its address, with registration off",
      { emailTaken: true, registration: false },
      refuse("email_taken"),
    ],
  ])("is correct if the person was not signed in and the identity %s", (_, traits, verdict) => {
    expect(judgeIdentity({ ...stranger, ...traits })).toEqual(verdict);
  });

  const ada = { ...stranger, startedBy: "ada", signedInAs: "ada" };

  it.each<[string, Partial<IdentityFacts>, object]>([
    ["is new", {}, { action: "offer" }],
    ["is new, without a verified address", { email: undefined }, { action: "offer" }],
    ["is new, but another account has its address", { emailTaken: true }, { action: "offer" }],
    ["is new, with registration off", { registration: false }, { action: "offer" }],
    ["belongs to this account", { ownerId: "ada" }, { action: "stay" }],
    ["belongs to another account", { ownerId: "bob" }, refuse("another_account")],
    ["is new, but the person has signed out since", { signedInAs: undefined }, refuse("session_changed")],
    ["is new, but another account has signed in since", { signedInAs: "bob" }, refuse("session_changed")],
    [
      "belongs to the account that has signed in since",
      { ownerId: "bob", signedInAs: "bob" },
      refuse("session_changed"),
    ],
  ])("is correct if the person was signed in and the identity %s", (_, traits, verdict) => {
    expect(judgeIdentity({ ...ada, ...traits })).toEqual(verdict);
  });
});
