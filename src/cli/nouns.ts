import type { Command } from "commander";
import type { Setup } from "./core/command.ts";

export const nounGroups = [
  "Reporters and CI",
  "Maintainers",
  "Testers",
  "Agents",
  "Developers",
  "Operators",
  "Everybody",
] as const;
type NounGroup = (typeof nounGroups)[number];

export interface Noun {
  readonly name: string;
  /** Aliases, which help does not show. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** The people who need the noun. Help shows the groups in the order of `nounGroups`. */
  readonly group: NounGroup;
  /** True if the noun is a short form of other commands. The help does not list short forms. */
  readonly isShort?: true;
  /** Loads the function that adds the noun's flags, arguments and verbs. */
  readonly load: () => Promise<(command: Command, setup: Setup) => void>;
}

/** All nouns. A noun is the first word of a command line. */
export const nouns: readonly Noun[] = [
  {
    name: "serve",
    group: "Operators",
    summary: "Start the server",
    load: async () => (await import("./serve.ts")).addServe,
  },
  {
    name: "dev",
    group: "Developers",
    summary: "Start a server for development and tests, and control it",
    load: async () => (await import("./dev.ts")).addDev,
  },
  {
    name: "feedback",
    group: "Reporters and CI",
    summary: "Send feedback, read it and reply",
    load: async () => (await import("./feedback.ts")).addFeedback,
  },
  {
    name: "faq",
    group: "Maintainers",
    aliases: ["faqs"],
    summary: "Manage the FAQ of an app",
    load: async () => (await import("./faq.ts")).addFaq,
  },
  {
    name: "changelog",
    group: "Maintainers",
    aliases: ["changelogs"],
    summary: "Write and publish the release notes of an app",
    load: async () => (await import("./changelog.ts")).addChangelog,
  },
  {
    name: "agent",
    group: "Agents",
    aliases: ["agents"],
    summary: "Read a thread, propose a plan, wait for the decision",
    load: async () => (await import("./agent.ts")).addAgent,
  },
  {
    name: "init",
    group: "Reporters and CI",
    summary: "Set up a project: innkeep.json, the app key, a first report and the lines for CI",
    load: async () => (await import("./init.ts")).addInit,
  },
  {
    name: "auth",
    group: "Everybody",
    summary: "Sign in, store credentials, and show which are used",
    load: async () => (await import("./auth.ts")).addAuth,
  },
  {
    name: "config",
    group: "Everybody",
    summary: "Manage profiles: the server and the app that commands use",
    load: async () => (await import("./config.ts")).addConfig,
  },
  {
    name: "task",
    group: "Testers",
    aliases: ["tasks"],
    summary: "List what a tester has to do today",
    load: async () => (await import("./tester.ts")).addTask,
  },
  {
    name: "slot",
    group: "Testers",
    aliases: ["slots", "seat", "seats"],
    summary: "Find open slots in tests, and request one",
    load: async () => (await import("./tester.ts")).addSlot,
  },
  {
    name: "proof",
    group: "Testers",
    aliases: ["proofs"],
    summary: "Send pictures as the proof of a day",
    load: async () => (await import("./proof.ts")).addProof,
  },
  {
    name: "session",
    group: "Testers",
    aliases: ["sessions"],
    summary: "Report a test session, as the SDK in an app does",
    load: async () => (await import("./tester.ts")).addSession,
  },
  {
    name: "testing",
    group: "Maintainers",
    summary: "Run closed tests of your apps: listings, cycles and slots",
    load: async () => (await import("./testing.ts")).addTesting,
  },
  {
    name: "listing",
    group: "Maintainers",
    aliases: ["listings"],
    isShort: true,
    summary: "Your offers to testers: short for `testing listing`",
    load: async () => (await import("./testing.ts")).addListings,
  },
  {
    name: "cycle",
    group: "Maintainers",
    aliases: ["cycles"],
    isShort: true,
    summary: "The cycles of a listing: short for `testing cycle`",
    load: async () => (await import("./testing.ts")).addCycles,
  },
  {
    name: "view",
    group: "Maintainers",
    aliases: ["views"],
    summary: "Save filters of the feedback list as views, and count their threads",
    load: async () => (await import("./view.ts")).addView,
  },
  {
    name: "notice",
    group: "Maintainers",
    aliases: ["notices"],
    summary: "Choose which notices you get about your apps, and how",
    load: async () => (await import("./notice.ts")).addNotice,
  },
  {
    name: "app",
    group: "Maintainers",
    aliases: ["apps"],
    summary: "List your apps, and change their settings",
    load: async () => (await import("./access.ts")).addApp,
  },
  {
    name: "key",
    group: "Maintainers",
    aliases: ["keys"],
    summary: "List and revoke app keys",
    load: async () => (await import("./access.ts")).addKey,
  },
  {
    name: "token",
    group: "Maintainers",
    aliases: ["tokens"],
    summary: "List and revoke agent and maintainer tokens",
    load: async () => (await import("./access.ts")).addToken,
  },
  {
    name: "audit",
    group: "Maintainers",
    summary: "Show who did what, when and from where",
    load: async () => (await import("./access.ts")).addAudit,
  },
  {
    name: "export",
    group: "Maintainers",
    summary: "Download all data of an app as a file",
    load: async () => (await import("./app-data.ts")).addExport,
  },
  {
    name: "import",
    group: "Operators",
    summary: "Create an app from an export, on the server's machine",
    load: async () => (await import("./app-data.ts")).addImport,
  },
  {
    name: "admin",
    group: "Operators",
    summary: "Manage the server's database, as the person who runs the server",
    load: async () => (await import("./admin.ts")).addAdmin,
  },
  {
    name: "doctor",
    group: "Everybody",
    summary: "Find out what does not work here, and how to fix it",
    load: async () => (await import("./doctor.ts")).addDoctor,
  },
  {
    name: "completion",
    group: "Everybody",
    summary: "Print the completion script for bash, zsh or fish",
    load: async () => (await import("./completion.ts")).addCompletion,
  },
  {
    name: "api",
    group: "Developers",
    summary: "Send any request, with the credential that its address needs",
    load: async () => (await import("./api.ts")).addApi,
  },
  {
    name: "open",
    group: "Everybody",
    summary: "Open the console in the browser",
    load: async () => (await import("./open.ts")).addOpen,
  },
  {
    name: "mcp",
    group: "Agents",
    summary: "Serve agents over the Model Context Protocol, on standard input and output",
    load: async () => (await import("./mcp.ts")).addMcp,
  },
  {
    name: "help",
    group: "Everybody",
    summary: "Explain a command, `options`, `exit-codes` or `environment`",
    load: async () => (await import("./help.ts")).addHelp,
  },
];
