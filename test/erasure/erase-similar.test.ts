import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { databases, type TestEngine } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import type { Service } from "../support/service/service.ts";
import { makeOwnerWithOneOfEach, sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

/**
 * The address of the person who is erased, in the forms of a form field, a query and a program, and the addresses of
 * two other people.
 */
const erased = "qzxvonne+shop@erased.example";
const spellings = [erased, "Qzxvonne+Shop@Erased.Example", "qzxvonne%2Bshop%40erased.example"];
const others = [
  "qzxvonne@erased.example",
  "joqzxvonne+shop@erased.example",
  "qzxvonne+shop@erased.example.org",
];

let started: { readonly deployment: Deployment; readonly service: Service } | undefined;
const serve = async (engine: TestEngine) => {
  const deployment = await makeDeployment(engine);
  started = { deployment, service: await deployment.serve() };
  return started;
};
afterEach(async () => {
  await started?.service.stop();
  await started?.deployment.remove();
  started = undefined;
});

describe.each(databases)("an erasure of one of several people with similar addresses on $name", (engine) => {
  it("erases the person in every spelling, and keeps the others", async () => {
    const { deployment, service } = await serve(engine);
    const world = await makeOwnerWithOneOfEach(service);
    const { app, call } = world;
    const at = `/apps/${app.id}`;
    for (const [number, email] of [...spellings, ...others].entries()) {
      const sender = email.includes("%") ? {} : { email };
      const about = {
        message: `Mail to ${email} did not arrive.`,
        source: `https://app.example/?to=${email}`,
      };
      const id = await sendFeedback(service, app.key, { ...about, ...sender, name: "Wyvernbold" });
      await call("POST", `/feedback/${id}/messages`, { direction: "note", body: `Ask ${email}.` });
      await call("POST", `/feedback/${id}/messages`, { direction: "outbound", body: `Dear ${email}!` });
      await call("PATCH", `/feedback/${world.threadId}`, { addTags: [`${number} ${email}`] });
      await call("POST", `${at}/saved-replies`, { title: `For ${email}`, body: `Dear ${email}!` });
      if (email.includes("%")) continue;
      await call("POST", `${at}/blocked-senders`, { kind: "address", sender: email });
      await sendFeedback(service, app.key, { message: `Hidden by ${email}`, email });
      await call("POST", `${at}/invitations`, { email, role: "viewer" });
    }
    const { body } = await call("POST", "/people/erase", { email: ` ${spellings[1]}` });
    await eventually(async () =>
      expect(Object((await call("GET", `/people/erasures/${Object(body).id}`)).body).status).toBe("done"),
    );

    const backup = join(await temporaryFolder(), "backup.tar");
    await deployment.admin({ command: "backup", file: backup });
    const kept = engine.engine === "sqlite" ? await filesIn(deployment.data) : [];
    const whole = [...new Set(spellings.map((one) => one.toLowerCase()))];
    for (const file of [backup, ...kept]) {
      // The text before or after it makes it another address.
      const bytes = (await readFile(file)).toString("latin1").toLowerCase();
      for (const spelling of whole)
        expect([
          file,
          spelling,
          bytes.replaceAll(`${spelling}.org`, "").replaceAll(`jo${spelling}`, "").includes(spelling),
        ]).toEqual([file, spelling, false]);
    }
    const list = async (part: string) => JSON.stringify((await call("GET", `${at}${part}`)).body);
    for (const other of others) {
      for (const part of ["/feedback", "/tags", "/saved-replies", "/invitations"])
        expect([part, await list(part)]).toEqual([part, expect.stringContaining(other)]);
    }
  });
});
