import { statusUrlOf } from "../../../server/mail/sender-page/links.ts";
import { everyPage, openDemo } from "../../support/browser/demo-pages.ts";
import type { Answer } from "../../support/service/request.ts";
import type { Service } from "../../support/service/service.ts";
import { authorizeAddress, newDevice } from "../../support/sign-in/device-sign-in.ts";
import { consentAddress, registerProgram } from "../../support/sign-in/oauth.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

/** The addresses of the demo's pages, and the people who open them. */
export interface Places {
  /** The demo's owner, signed in with a browser. */
  readonly owner: { readonly cookie?: string };
  /** The addresses of links. */
  readonly linked: readonly string[];
  /** The pages without a link to them, by the name of their scene. */
  readonly unlinked: Readonly<Record<string, string>>;
}

/** Fills the demo with what its pages show, and finds the pages. */
export async function findPlaces(service: Service): Promise<Places> {
  const { appId, headers, visitor } = await openDemo(service);
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    service.request(method, `/api/v1/console${path}`, { headers, body });
  await fillApp(call, `/apps/${appId}`);
  const linked = [...(await everyPage(service, visitor)).keys()];
  return {
    owner: headers,
    linked,
    unlinked: {
      "/console/search": "/console/search?q=photo",
      "/console/feedback/:appId desktop": `/console/feedback/${appId}?open=1`,
      "/console/invitations/:token": await invitation(service, "you@larder.example"),
      "sign-in": "/console/sign-in",
      recovery: "/console/recover",
      "sign-up": "/console/sign-up/x",
      device: authorizeAddress(await newDevice()),
      consent: consentAddress(await registerProgram(service, {})),
      sender: await answeredReport(service),
    },
  };
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Adds what the demo does not have. */
async function fillApp(call: Call, app: string): Promise<void> {
  await call("POST", `${app}/invitations`, { email: "maria@larder.example", role: "maintainer" });
  const threads = await call("GET", `${app}/feedback`);
  const change = (at: number, body: object) =>
    call("PATCH", `/feedback/${threads.field(`items.${at}.id`)}`, body);
  await change(0, { addTags: ["photos", "crash"], assignee: "me" });
  await change(1, { addTags: ["recipes"] });
  await change(2, { addTags: ["sharing", "sync"] });
  await call("POST", `${app}/saved-replies`, {
    title: "Mended in the next version",
    body: "Hello {name}, thank you. The next version of {app} mends this.",
  });
  await call("POST", `${app}/blocked-senders`, { kind: "address", sender: "sales@spam.example" });
  await call("POST", `${app}/webhooks`, { url: "https://ci.larder.example/innkeep" });
  const events = ["feedback.created", "run.decided"];
  const made = await call("POST", `${app}/webhooks`, { url: "http://127.0.0.1:1/board", events });
  await call("POST", `${app}/webhooks/${made.field("id")}/test`);
  await call("POST", "/people/erase", { email: "gone@kitchen.example" });
}

/** The page of an invitation to another person's app. */
async function invitation(service: Service, email: string): Promise<string> {
  const owner = await service.makeUser("maria@pantry.example");
  const app = await service.makeApp(owner, { name: "Pantry" });
  const headers = await service.signIn(owner);
  const body = { email, role: "maintainer" };
  const path = `/api/v1/console/apps/${app.id}/invitations`;
  const made = await service.request("POST", path, { headers, body });
  // If the server sends mail, the address is only in the mail.
  return new URL(made.field("url")).pathname;
}

/** The sender's page of a report with a reply. */
async function answeredReport(service: Service): Promise<string> {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Larder" });
  const id = await sendFeedback(service, app.key, {
    message: "The shopping list is empty after I sync two phones.",
    name: "Ada",
  });
  const headers = await service.signIn(owner);
  const body = { direction: "outbound", body: "Thank you. Version 2.4 mends this. Can you try it?" };
  await service.request("POST", `/api/v1/console/feedback/${id}/messages`, { headers, body });
  return new URL(statusUrlOf(service.deps, { reportId: id, counter: 0, mailed: false })).pathname;
}
