import type { Group } from "../endpoint.ts";
import { type Contract, contract } from "../index.ts";
import { authorizeOperation } from "./authorize.ts";
import { errorSchema, headers, type Json, securitySchemes } from "./components.ts";
import { operation } from "./operation.ts";
import { createSchemas } from "./schemas.ts";

const info = {
  title: "Feedback, Support Content and Closed-Testing API",
  version: "1",
  description: [
    "Feedback of users, answers to their questions, release notes and closed tests of an app, and what an agent may do about them.",
    'Every error is `{"error": "a sentence", "code": "a_word"}`. A 400 for a malformed request names all its faults in `issues`. A 429 and a 503 say in `Retry-After` how many seconds to wait.',
    "Instants in requests are ISO 8601 with an offset; in answers they are UTC with milliseconds.",
    "Ignore unknown fields of an answer. Accept unknown values where a field has `x-extensible-enum`: later versions may add them.",
  ].join("\n\n"),
  contact: { name: "Innkeep", url: "https://github.com/innkeep/innkeep" },
  license: { name: "MIT", identifier: "MIT" },
};

const tagTexts: Readonly<Record<keyof Contract, string>> = {
  feedback: "Feedback from an app",
  faqs: "The FAQ of an app",
  changelog: "The release notes of an app",
  sessions: "Sessions of testers, reported by the tested app",
  signIn: "The sign-in of a tester's device",
  tester: "What a tester's device reads and sends",
  agent: "What an agent reads, proposes and reports",
  session: "The session of a person in the console",
  accountLinks: "New accounts and forgotten passwords",
  consoleSessions: "The browsers in which a person is signed in",
  secondFactor: "The second factor of a person",
  passkeys: "The passkeys of a person",
  apps: "Apps and their settings",
  appData: "All of an app as a file",
  members: "The members of an app",
  invitations: "Invitations to an app",
  keys: "App keys",
  tokens: "Tokens of agents and scripts",
  threads: "Threads of feedback",
  readMarks: "What a person has read",
  tags: "Tags of threads",
  savedReplies: "Saved replies",
  blockedSenders: "Blocked senders, and what was hidden of them",
  failures: "Failures that tests report",
  runs: "Decisions on proposals",
  consoleFaqs: "FAQ entries, for people and scripts",
  consoleChangelog: "Release notes, for people and scripts",
  listings: "Offers of an app to testers",
  cycles: "Runs of a closed test",
  slots: "The slots of testers in a test",
  devices: "Devices that are signed in",
  audit: "Who did what",
  people: "What the service keeps of one person, and how it is erased",
  account: "The account of a person",
  incomingMails: "Mails that a program has sent",
};

/**
 * The OpenAPI 3.1 document of the whole API, derived from the contract. `baseUrl` is the server's address. It takes a tenth
 * of a second: `pause` is called before each operation, so that a server can answer others.
 */
export async function createOpenApi(baseUrl: string, pause?: () => Promise<void>): Promise<Json> {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  const groups: [string, Group][] = Object.entries(contract);
  for (const [tag, group] of groups) {
    for (const [name, endpoint] of Object.entries(group)) {
      await pause?.();
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}");
      const described = operation({ tag, name, endpoint }, schemas);
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: described };
    }
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: baseUrl }],
    tags: Object.entries(tagTexts).map(([name, description]) => ({ name, description })),
    paths: { ...paths, ...authorizeOperation(schemas) },
    components: { securitySchemes, headers, schemas: { ...schemas.named(), Error: errorSchema } },
  };
}
