import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../src/contract/endpoint.ts";
import { contract } from "../src/contract/index.ts";
import { createOpenApi } from "../src/openapi/document.ts";

const endpoints: [string, Endpoint][] = Object.entries(contract).flatMap(([group, members]) =>
  Object.entries(members).map(([name, endpoint]): [string, Endpoint] => [`${group}.${name}`, endpoint]),
);

/** The endpoints that no command and no tool calls, with the reason. */
const onlyInTheConsole: Record<string, string> = {
  "session.create": "a person signs in in a browser",
  "session.finish": "a person signs in in a browser",
  "secondFactor.find": "a person sees it in a browser",
  "secondFactor.begin": "a person turns it on in a browser",
  "secondFactor.confirm": "a person turns it on in a browser",
  "secondFactor.renewRecoveryCodes": "a person keeps them",
  "secondFactor.remove":
    "a person turns it off in a browser; `admin user remove-second-factor` for a lost one",
  "accountLinks.signUp": "a person signs up in a browser",
  "accountLinks.finishSignUp": "a person follows a link of a mail",
  "accountLinks.recover": "a person asks for it in a browser",
  "accountLinks.finishRecovery": "a person follows a link of a mail",
  "session.askPasskey": "a browser asks its authenticator",
  "passkeys.list": "a person sees them in a browser",
  "passkeys.begin": "a browser asks its authenticator",
  "passkeys.create": "a browser asks its authenticator",
  "passkeys.remove": "a person removes it in a browser",
  "session.remove": "a person signs out in a browser",
  "live.follow": "the scripts of the console update an open page",
  "consoleSessions.list": "a person looks at the own browsers",
  "consoleSessions.remove": "a person ends the session of a browser",
  "consoleSessions.removeOthers": "a person ends the sessions of all other browsers",
  "notices.browsers": "a person looks at the own browsers",
  "notices.addBrowser": "a browser asks its push service",
  "notices.removeBrowser": "a person turns off the own browser",
  "preferences.read": "only the pages of the console use it",
  "preferences.update": "a person sets it in a browser",
  "account.update": "a person sets the own name in a browser",
  "threads.listAll":
    "a person reads all apps in a browser; `feedback list` and `feedback search` name an app, or search in all",
  "session.firstPassword": "a person sets it in a browser, just after a sign-in",
  "session.changePassword":
    "a person changes it in a browser; `admin user password` replaces a forgotten one",
  "apps.create": "`admin app create`, which works without a server",
  "apps.remove": "only a person deletes an app with everything in it",
  "appData.import": "a person imports in a browser; `import` works without a server",
  "members.list": "owners look after members in a browser",
  "members.update": "only an owner in a browser changes a role",
  "members.remove": "only people remove members, or leave",
  "invitations.list": "owners look after invitations in a browser",
  "invitations.create": "only an owner in a browser invites",
  "invitations.remove": "only an owner in a browser withdraws an invitation",
  "invitations.read": "a person opens the link in a browser",
  "invitations.accept": "a person accepts in a browser",
  "start.read": "a person sees it in a browser",
  "start.sendTestReport": "`feedback send` sends any report",
  "start.putAway": "a person puts them away in a browser",
  "keys.create": "`admin key create`, which works without a server",
  "keys.regenerate": "keys are made by a person",
  "tokens.rotate": "`admin token rotate`, which works without a server",
  "tokens.create": "`admin token create`, which works without a server",
  "savedReplies.create": "people write them in a browser",
  "savedReplies.update": "people write them in a browser",
  "savedReplies.remove": "people write them in a browser",
  "blockedSenders.list": "people look after blocked senders in a browser",
  "blockedSenders.create": "people block a sender on a thread, in a browser",
  "blockedSenders.remove": "people look after blocked senders in a browser",
  "blockedSenders.listHidden": "people look through it in a browser",
  "blockedSenders.release": "people look through it in a browser",
  "incomingMails.listAutomatic": "people look through it in a browser",
  "incomingMails.take": "a person says in a browser who wrote a mail",
  "incomingMails.original": "a person reads it, never an agent",
  "tags.create": "`feedback tag` makes a tag that is missing",
  "tags.update": "people look after tags in a browser",
  "tags.merge": "people look after tags in a browser",
  "tags.remove": "people look after tags in a browser",
  "threads.renewStatusLink": "a person gives the link to a sender",
  "readMarks.updateAll": "a person marks what they read in a browser",
  "threads.remove": "deleting a thread is for a person",
  "runs.decide": "only a person decides",
  "runs.recall": "only a person takes an approval back",
  "runs.release": "only a person ends the claim of a worker",
  "faqs.update": "`faq edit` and `faq push` call it through src/cli/faq/api.ts",
  "texts.preview": "a page shows it beside the text",
  "consoleFaqs.read": "`faq list --drafts` shows the draft of an entry",
  "consoleFaqs.update": "`faq edit --app` calls it through src/cli/faq/api.ts",
  "consoleFaqs.replace": "`faq push --app` calls it through src/cli/faq/api.ts",
  "faqs.replace": "`faq push` calls it through src/cli/faq/api.ts",
  "signIn.await": "`auth login` calls it through src/client/wait.ts",
  "signIn.register": "for apps of before; people sign in in the browser",
  "signIn.token": "for apps of before; people sign in in the browser",
  "account.remove": "a person deletes the own account in a browser; `admin user erase` for the operator",
  "people.preview": "an owner looks in a browser",
  "people.erase": "only an owner in a browser erases; `admin user erase` for the operator",
  "people.list": "an owner reads receipts in a browser",
  "people.read": "an owner reads receipts in a browser",
  "people.check": "an owner checks receipts in a browser",
  "devices.list": "devices are seen by a person",
  "devices.remove": "devices are signed out by a person",
  "webhooks.list": "only an owner in a browser sees where events go",
  "webhooks.create": "only an owner in a browser sends events to an address",
  "webhooks.update": "only an owner in a browser changes a webhook",
  "webhooks.remove": "only an owner in a browser deletes a webhook",
  "webhooks.rotate": "only an owner in a browser replaces a secret",
  "webhooks.deliveries": "only an owner in a browser reads the log",
  "webhooks.resend": "only an owner in a browser sends events again",
  "webhooks.test": "only an owner in a browser tests a webhook",
  "webhooks.replay": "only an owner in a browser sends events again",
};

describe("the contract", () => {
  it("is equal to the OpenAPI document of the repository", async () => {
    const document = `${JSON.stringify(await createOpenApi("http://127.0.0.1:4700"), null, 2)}\n`;
    await expect(document).toMatchFileSnapshot("./contract/openapi.json");
  });

  it("has every path once for each method", () => {
    const addresses = endpoints.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ":")}`);
    expect(addresses).toEqual([...new Set(addresses)]);
  });

  it("declares the statuses that follow from the declaration of each endpoint", () => {
    for (const [name, endpoint] of endpoints) {
      const statuses = Object.keys(operationOf(name, endpoint).responses).map(Number);
      expect.soft(statuses, name).toEqual(expect.arrayContaining([500, 503, ...expectedOf(endpoint)]));
    }
  });

  it("has rules for the files of an endpoint only if its body can have files", () => {
    for (const [name, { body, bodyKind = "json", upload }] of endpoints) {
      expect.soft(upload === undefined, name).toBe(bodyKind === "json");
      const fields = Object.keys(body?.shape ?? {});
      expect.soft(fields, name).toEqual(expect.arrayContaining(Object.keys(upload?.files ?? {})));
    }
  });

  it("has valid examples of each endpoint", () => {
    for (const [name, { body, success, example }] of endpoints) {
      const { request, answer } = example ?? {};
      if (body) expect.soft(body.safeParse(request), name).toMatchObject({ success: true });
      else expect.soft(request, name).toBeUndefined();
      if (answer === undefined) continue;
      const read = "body" in success ? success.body.safeParse(answer) : "It answers without a body.";
      expect.soft(read, name).toEqual({ success: true, data: answer });
    }
  });

  it("has an example of the answer of each endpoint outside the console", () => {
    for (const [name, { path, example }] of endpoints)
      if (!path.startsWith("/api/v1/console")) expect.soft(example?.answer, name).toBeDefined();
  });

  it("says which role an endpoint needs only if people or their agents call it", () => {
    for (const [name, { auth, role }] of endpoints)
      expect.soft(role !== undefined, name).toBe(["console", "session", "agentToken"].includes(auth));
  });

  it("has tests that name the path of each endpoint", () => {
    const texts = featureFolders.flatMap(readAll);
    const isTried = ({ path }: Endpoint) => {
      const short = path.replace("/api/v1/console", "");
      return texts.some((text) => text.includes(path) || matches(text, short));
    };
    expect(endpoints.filter(([, endpoint]) => !isTried(endpoint)).map(([name]) => name)).toEqual([]);
  });

  it("has a command or a tool for each endpoint, or a reason why there is none", () => {
    const code = [...readAll("src/cli"), ...readAll("mcp")].join("\n");
    const uncalled = endpoints.map(([name]) => name).filter((name) => !code.includes(`.${name}`));
    expect(uncalled.toSorted()).toEqual(Object.keys(onlyInTheConsole).toSorted());
  });
});

/** The folders with the tests of what the API does. */
const featureFolders = [
  "access",
  "content",
  "dev",
  "erasure",
  "feedback",
  "http",
  "mail",
  "notices",
  "testing",
  "transfer",
  "webhooks",
].map((area) => `test/${area}`);

const readAll = (folder: string): string[] =>
  readdirSync(join(import.meta.dirname, "..", folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(import.meta.dirname, "..", folder, file), "utf8"));

const document = await createOpenApi("http://127.0.0.1:4700");

function operationOf(name: string, { method, path }: Endpoint) {
  const inDocument = Object(document.paths)[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
  expect(inDocument.operationId).toBe(name);
  return inDocument;
}

/** The errors that any endpoint of this form may answer, listed here independently of the contract. */
const expectedOf = ({ auth, scope, params, query, body, rateLimit, attempts }: Endpoint): number[] => [
  ...(auth === "none" ? [] : [401]),
  ...(scope === undefined ? [] : [403]),
  ...(params === undefined ? [] : [404]),
  ...(query === undefined && body === undefined ? [] : [400]),
  ...(body === undefined ? [] : [413, 415]),
  ...(rateLimit === undefined && attempts === undefined ? [] : [429]),
];

/** Whether a text contains the path, with a value or an expression in place of each parameter. */
function matches(text: string, path: string): boolean {
  const parts = path.split("/").slice(1);
  const pattern = parts.map((part) => (part.startsWith(":") ? "(?:\\$\\{[^}]*\\}|[\\w-]+)" : part)).join("/");
  return new RegExp(`/${pattern}(?![\\w/])`).test(text);
}
