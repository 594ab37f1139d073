import type { Endpoint } from "../../src/contract/endpoint.ts";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { contract } from "../../src/contract/index.ts";
import { authorizePath } from "../../src/contract/sign-in.ts";
import { endpointText, headingOf } from "./api-endpoint.ts";
import { sharedTypes } from "./api-schemas.ts";
import { anchorOf, page, table } from "./markdown.ts";

const titles: Record<keyof typeof contract, string> = {
  feedback: "Feedback",
  faqs: "FAQ of an app",
  changelog: "Release notes",
  sessions: "Sessions of testers",
  signIn: "Sign-in of devices",
  tester: "Testers",
  agent: "Agents",
  session: "Console: session",
  accountLinks: "Console: new accounts and forgotten passwords",
  consoleSessions: "Console: sessions of people",
  preferences: "Console: preferences",
  secondFactor: "Console: second factor",
  passkeys: "Console: passkeys",
  apps: "Console: apps",
  appData: "Console: export and import of an app",
  members: "Console: members",
  invitations: "Console: invitations",
  keys: "Console: app keys",
  start: "Console: the first steps with an app",
  tokens: "Console: tokens",
  threads: "Console: feedback",
  search: "Console: search",
  readMarks: "Console: marks of read threads",
  views: "Console: views",
  bulk: "Console: changes of many threads",
  statistics: "Console: statistics",
  live: "Console: live events",
  tags: "Console: tags",
  savedReplies: "Console: saved replies",
  blockedSenders: "Console: blocked senders",
  incomingMails: "Console: incoming mails",
  failures: "Console: failures",
  runs: "Console: decisions",
  consoleFaqs: "Console: FAQ entries",
  consoleChangelog: "Console: release notes",
  texts: "Console: texts and pictures",
  listings: "Console: listings",
  cycles: "Console: cycles",
  slots: "Console: slots",
  devices: "Console: devices",
  audit: "Console: audit",
  people: "Console: people",
  account: "Console: your account",
  notices: "Console: your notices",
  webhooks: "Console: webhooks",
  events: "Console: events",
};

const head = `# The API

Written by \`npm run docs\` from \`src/contract\`. Do not edit it: change the contract. Every server shows the same at \`/api/v1/docs\`, and
at \`/api/v1/openapi.json\` for programs. The rules behind it are in [the rules](https://github.com/innkeep/innkeep/blob/main/docs/rules/README.md).

- Send JSON with \`Content-Type: application/json\`. Instants in requests are ISO 8601 with an offset; in answers they are UTC with milliseconds.
- An app key goes into \`x-api-key\`, each other token into \`Authorization: Bearer\`. The console's session is a cookie.
- Every error is \`{"error": "a sentence", "code": "a_word"}\`. A \`bad_request\` names all faults in \`issues\`. Besides the errors that are listed, any
  endpoint may answer 500 \`internal\` and 503 \`busy\`.
- A 429 and a 503 say in \`Retry-After\` how many seconds to wait. The limits below are the defaults.
- Ignore unknown fields of an answer, and accept unknown values where a field lists some: later versions may add them.
- A device is signed in by a page, \`GET ${authorizePath}\`: see [sign-in.md](sign-in.md).`;

/** \`docs/api.md\`, from the contract. */
export function apiPage(): string {
  const groups = Object.entries(contract).map(([name, group]) => ({
    name,
    title: Object.entries(titles).find(([key]) => key === name)?.[1] ?? name,
    endpoints: Object.entries<Endpoint>(group),
  }));
  return page([
    head,
    table(
      ["Endpoint", "What"],
      groups.flatMap(({ endpoints }) =>
        endpoints.map(([, endpoint]) => [
          `[${headingOf(endpoint)}](#${anchorOf(headingOf(endpoint))})`,
          endpoint.summary,
        ]),
      ),
    ),
    ...groups.flatMap(({ title, endpoints }) => [
      `## ${title}`,
      ...endpoints.map(([, endpoint]) => endpointText(endpoint)),
    ]),
    "## Types",
    ...sharedTypes(),
    "## Errors",
    errorTable(),
  ]);
}

const errorTable = (): string =>
  table(
    ["Status", "Code", "Message"],
    Object.entries(errorCatalogue).map(([code, { status, message }]) => [
      String(status),
      `\`${code}\``,
      message,
    ]),
  );
