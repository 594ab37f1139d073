import { onTestFinished } from "vitest";
import { type ServiceOptions, startService } from "../service/service.ts";
import { makeAppWithSenders } from "./app-with-senders.ts";
import { makeMailArrive } from "./arriving-mail.ts";

/** The address of the sender of the report. */
export const ada = "ada@kitchen.example";

/** A report whose sender got a reply by mail, and a function that handles an answer without a mailbox. */
export async function startMailedThread(options: ServiceOptions = {}) {
  const service = await startService(options);
  onTestFinished(() => service.stop());
  const app = await makeAppWithSenders(service);
  const report = await app.report({ name: "Ada", email: ada });
  const id = report.field("id");
  const take = await makeMailArrive(service, { reportId: id, appId: app.appId, recipient: ada });
  const messages = async () => Object(await app.thread(id)).messages;
  const automatic = async () =>
    Object((await app.console("GET", `/apps/${app.appId}/automatic-mails`)).body).items;
  const as = async (role: "maintainer" | "viewer") => {
    const headers = await service.signIn(await service.makeMember(app.appId, role));
    return (method: string, path: string, body?: object) =>
      service.request(method, `/api/v1/console${path}`, { headers, body });
  };
  return { service, app, id, take, messages, automatic, as, page: report.field("statusUrl") };
}
