import type { Role } from "../../../src/contract/endpoint.ts";
import { roles } from "../../../src/contract/endpoint.ts";

export const roleNames: Readonly<Record<Role, string>> = {
  owner: "Owner",
  maintainer: "Maintainer",
  viewer: "Viewer",
};

/** What each role may do, in a sentence. */
export const roleSentences: Readonly<Record<Role, string>> = {
  owner: "Does everything: also settings, keys, agents, members, and the deletion of the app.",
  maintainer: "Works on feedback, decides on proposals, writes FAQ and release notes, runs tests.",
  viewer: "Reads all that maintainers work on, and changes nothing.",
};

/** The roles for a choice, the least one first. */
export const roleChoices = [...roles].reverse().map((role) => ({
  value: role,
  label: roleNames[role],
  hint: roleSentences[role],
}));
