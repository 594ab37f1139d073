import type { Role } from "../../../../src/contract/endpoint.ts";

/** The name of each role on the pages. */
export const roleNames: Readonly<Record<Role, string>> = {
  owner: "Owner",
  maintainer: "Maintainer",
  viewer: "Viewer",
};

/** What each role may do. */
export const roleSentences: Readonly<Record<Role, string>> = {
  owner: "Does everything: also settings, keys, agents, members, and the deletion of the app.",
  maintainer: "Works on feedback, decides on proposals, writes FAQ and release notes, runs tests.",
  viewer: "Reads everything that maintainers can read, and changes nothing.",
};
