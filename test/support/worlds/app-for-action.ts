import * as z from "zod/mini";
import { OwnedThread } from "../../../src/contract/threads.ts";
import { createCommandLine } from "../clients/command-line.ts";
import type { Service } from "../service/service.ts";

/** A new app, the inputs that every step for it has, and functions that read what arrived. */
export async function appForAction(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const scopes = ["feedback:read", "feedback:write", "changelog:write", "faqs:write", "apps:read"];
  const token = await service.makeToken(owner, "maintainer", { scopes, appId: app.id });
  const line = await createCommandLine({ INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN: token });
  const thread = async (id = "") =>
    OwnedThread.parse((await line.run(["feedback", "view", id, "--app", app.id, "--json"])).json());
  const published = async () => {
    const { json } = await line.run(["changelog", "list", "--app", app.id, "--json"]);
    return z.object({ items: z.array(z.looseObject({ id: z.string() })) }).parse(json()).items;
  };
  const faqs = async () => {
    const { json } = await line.run(["faq", "list", "--app", app.id, "--json"]);
    const Faqs = z.object({ items: z.array(z.looseObject({ question: z.string() })) });
    return Faqs.parse(json()).items;
  };
  return {
    app,
    token,
    thread,
    published,
    faqs,
    inputs: { "base-url": service.baseUrl, "api-key": app.key, token },
  };
}
