import { dataUrl, pdf, png } from "../../files/sample-files.ts";
import type { Answer } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";
import { bearer, propose, sendFeedback } from "../owner-with-one-of-each.ts";

/** The address of the person who is erased, in the forms in which others write it. */
export const grace = "Grace.Hopper@Example.org";
export const graceAddress = "grace.hopper@example.org";

/** A file that contains the address. */
const withAddress = (sample: ReturnType<typeof pdf>) => ({
  ...sample,
  bytes: Buffer.concat([sample.bytes, Buffer.from(`\n% ${graceAddress}\n`)]),
});

export type PersonEverywhere = Awaited<ReturnType<typeof makePersonEverywhere>>;

/** An owner whose app has data of a person in every place where this is possible, besides the texts of others. */
export async function makePersonEverywhere(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const headers = await service.signIn(owner);
  const agent = await service.makeToken(owner, "agent");
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    service.request(method, `/api/v1/console${path}`, { headers, body });
  const send = (report: object) => sendFeedback(service, app.key, report);

  const own = await send({
    ...{ email: grace, name: "Grace Hopper", message: `I am ${grace}.`, metadata: { [grace]: [grace] } },
    attachments: [{ name: `${graceAddress}.pdf`, data: dataUrl(withAddress(pdf(3_000))) }],
  });
  await call("POST", `/feedback/${own}/messages`, { direction: "note", body: `Ask ${grace}.` });
  const shared = await send({
    ...{ email: grace, name: "Grace Hopper", message: "Mine.", dedupeKey: "crash" },
    images: [dataUrl(png(2_000))],
  });
  await send({ email: "joan@example.org", message: "Also mine.", dedupeKey: "crash" });
  const others = await send({ email: "ada@example.org", message: "Theirs.", dedupeKey: `k-${graceAddress}` });
  await send({
    email: graceAddress,
    message: "Me too.",
    dedupeKey: `k-${graceAddress}`,
    images: [dataUrl(png(2_500))],
  });
  const quoting = await send({
    ...{ email: "ada@example.org", message: `My boss is ${grace}.` },
    ...{ name: `${grace}`, source: `app?user=${graceAddress.replace("@", "%40")}` },
    metadata: { user: { email: grace, note: `line\n${graceAddress}` } },
  });
  await call("POST", `/feedback/${quoting}/messages`, { direction: "note", body: `Ask ${grace}.` });
  await service.request("POST", `/api/v1/agent/feedback/${quoting}/proposal`, {
    headers: bearer(agent),
    body: { summary: `Write to ${grace}`, plan: `1. Ask ${graceAddress}\n2. Mend it` },
  });
  const plain = await send({ email: "ada@example.org", message: "Nothing of her." });
  await propose(service, agent, plain);

  await call("POST", `/apps/${app.id}/faqs`, { question: "Who?", answer: `Write to ${grace}.` });
  await call("POST", `/apps/${app.id}/changelog`, {
    ...{ title: "Thanks", version: "1.0.0", releaseType: "minor", bodyFormat: "items" },
    items: [{ type: "fixed", text: `Found by ${grace}` }],
  });
  await call("POST", `/apps/${app.id}/invitations`, { email: grace, role: "viewer" });
  await call("POST", `/apps/${app.id}/keys`, { label: `For ${grace}` });
  await call("POST", "/tokens", { kind: "agent", label: `Of ${grace}` });
  await service.request("PATCH", `/api/v1/console/feedback/${plain}`, {
    headers: { ...headers, "idempotency-key": `for-${graceAddress}` },
    body: { status: "in_progress" },
  });
  return { owner, app, headers, call, own, shared, others, quoting, plain };
}
