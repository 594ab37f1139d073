import { describe, expect, it } from "vitest";
import { judgeIdentity, type ProvenIdentity } from "../../../server/domain/access/identity-verdict.ts";

const stranger: ProvenIdentity = {
  ownerId: undefined,
  startedBy: undefined,
  signedInAs: undefined,
  email: "ada@example.org",
  emailTaken: false,
  registration: true,
};
const refuse = (why: string) => ({ act: "refuse", why });

describe("a proven identity", () => {
  it.each<[string, Partial<ProvenIdentity>, object]>([
    ["is new and has a verified address", {}, { act: "register", email: "ada@example.org" }],
    ["is known", { ownerId: "ada" }, { act: "sign_in" }],
    ["is known, without an address", { ownerId: "ada", email: undefined }, { act: "sign_in" }],
    ["is known, its address now another's", { ownerId: "ada", emailTaken: true }, { act: "sign_in" }],
    ["is known, registration off", { ownerId: "ada", registration: false }, { act: "sign_in" }],
    [
      "is known, another account has signed in since",
      { ownerId: "ada", signedInAs: "bob" },
      { act: "sign_in" },
    ],
    ["is new, without a verified address", { email: undefined }, refuse("email_unverified")],
    ["is new, its address an account's", { emailTaken: true }, refuse("email_taken")],
    ["is new, registration off", { registration: false }, refuse("registration_off")],
    [
      "is new, its address taken, registration off",
      { emailTaken: true, registration: false },
      refuse("email_taken"),
    ],
  ])("for a person who started signed out: %s", (_, traits, verdict) => {
    expect(judgeIdentity({ ...stranger, ...traits })).toEqual(verdict);
  });

  const ada = { ...stranger, startedBy: "ada", signedInAs: "ada" };

  it.each<[string, Partial<ProvenIdentity>, object]>([
    ["is new", {}, { act: "offer" }],
    ["is new, without a verified address", { email: undefined }, { act: "offer" }],
    ["is new, its address another account's", { emailTaken: true }, { act: "offer" }],
    ["is new, registration off", { registration: false }, { act: "offer" }],
    ["is this account's", { ownerId: "ada" }, { act: "stay" }],
    ["is another account's", { ownerId: "bob" }, refuse("another_account")],
    ["is new, the person has signed out since", { signedInAs: undefined }, refuse("session_changed")],
    ["is new, another account has signed in since", { signedInAs: "bob" }, refuse("session_changed")],
    [
      "is of the account that has signed in since",
      { ownerId: "bob", signedInAs: "bob" },
      refuse("session_changed"),
    ],
  ])("for a person who started signed in: %s", (_, traits, verdict) => {
    expect(judgeIdentity({ ...ada, ...traits })).toEqual(verdict);
  });
});
