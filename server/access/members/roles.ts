import type { Role } from "../../../src/contract/endpoint.ts";

/** The name of each role on the pages. */
export const roleNames: Readonly<Record<Role, string>> = {
  owner: "Owner",
  maintainer: "Maintainer",
  viewer: "Viewer",
};

/** What each role may do. */
export const roleSentences: Readonly<Record<Role, string>> = {
  owner: "Can do everything, including settings, keys, agents, members, and the deletion of the app.",
  maintainer: "Can work on feedback, decide on proposals, write the FAQ and release notes, and run tests.",
  viewer: "Can read everything that maintainers can read, but cannot change anything.",
};
