import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";

const day = 86_400_000;

describe("an invitation", () => {
  let service: Service;
  let number = 0;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const someone = () => {
    number += 1;
    return `person${number}@example.org`;
  };
  /** A team, an open invitation, and the person with its address, signed in. */
  const invited = async () => {
    const team = await makeTeam(service);
    const email = someone();
    const made = await team.invite(email);
    const person = await team.newcomer(email);
    return {
      team,
      email,
      made,
      person,
      accept: () => person.call("POST", `/invitations/${made.token}/accept`),
    };
  };
  const rolesOf = async ({ call, app }: Team) => (await call("GET", `/apps/${app.id}/members`)).body;

  it("has an id and a link for seven days, and the link is not stored", async () => {
    const team = await makeTeam(service);
    const { status, body, field, token } = await team.invite("Grace.New@Example.org", "viewer");
    expect(status).toBe(201);
    const offer = { email: "grace.new@example.org", role: "viewer", invitedBy: team.owner.email };
    expect(body).toMatchObject(offer);
    expect(Date.parse(field("expiresAt")) - Date.parse(field("createdAt"))).toBe(7 * day);
    expect(token.length).toBeGreaterThanOrEqual(40);
    const rows = await service.deps.database.all("SELECT * FROM invitations");
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it("is shown to the invited person, who becomes a member with its role", async () => {
    const { team, made, person, accept } = await invited();
    expect((await person.call("GET", team.at)).status).toBe(404);
    const shown = await person.call("GET", `/invitations/${made.token}`);
    expect(shown.body).toMatchObject({
      app: { id: team.app.id, name: "Demo" },
      role: "maintainer",
      invitedBy: team.owner.email,
    });
    expect(await accept()).toMatchObject({ status: 200, body: { appId: team.app.id, role: "maintainer" } });
    expect(await person.call("GET", team.at)).toMatchObject({ status: 200, body: { role: "maintainer" } });
    expect(await rolesOf(team)).toMatchObject({ items: [{ role: "owner" }, { userId: person.id }] });
  });

  it("is listed until it is accepted, withdrawn or expired", async () => {
    const { team, made, accept } = await invited();
    const second = await team.invite(someone());
    const third = await team.invite(someone());
    const listed = async () => {
      const { body } = await team.call("GET", `/apps/${team.app.id}/invitations`);
      return JSON.stringify(body);
    };
    for (const one of [made, second, third]) expect(await listed()).toContain(one.field("id"));
    await accept();
    await team.call("DELETE", `/apps/${team.app.id}/invitations/${second.field("id")}`);
    const left = await listed();
    expect(left).not.toContain(made.field("id"));
    expect(left).not.toContain(second.field("id"));
    expect(left).toContain(third.field("id"));
    expect(left).not.toContain(third.token);
  });

  it("is recorded in the audit when it is created, accepted or withdrawn, without its link", async () => {
    const { team, made, accept } = await invited();
    await accept();
    const other = await team.invite(someone());
    await team.call("DELETE", `/apps/${team.app.id}/invitations/${other.field("id")}`);
    const { body, text } = await team.call("GET", `/audit?appId=${team.app.id}`);
    expect(body).toMatchObject({
      items: [
        { action: "invitation.delete" },
        { action: "invitation.create" },
        { action: "invitation.accept", target: made.field("id") },
        { action: "invitation.create", actor: team.owner.email, target: made.field("id") },
      ],
    });
    expect(text).not.toContain(made.token);
  });

  it("does not change the role of a member, and cannot be created for the address of a member", async () => {
    const { team, made, person, email } = await invited();
    await service.deps.database.insert("app_members", {
      app_id: team.app.id,
      user_id: person.id,
      role: "viewer",
      created_at: service.clock.now().toISOString(),
    });
    const accepted = await person.call("POST", `/invitations/${made.token}/accept`);
    expect(accepted).toMatchObject({ status: 200, body: { role: "viewer" } });
    expect(await team.invite(email)).toMatchObject({ status: 409, body: { code: "already_member" } });
  });

  it.each(["maintainer", "viewer"] as const)(
    "cannot be created, seen or withdrawn by a member with the role %s",
    async (role) => {
      const team = await makeTeam(service);
      const made = await team.invite(someone());
      const member = await team.join(role);
      const answers = [
        await member.call("POST", `/apps/${team.app.id}/invitations`, { email: member.email, role: "owner" }),
        await member.call("GET", `/apps/${team.app.id}/invitations`),
        await member.call("DELETE", `/apps/${team.app.id}/invitations/${made.field("id")}`),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 403, body: { code: "forbidden" } });
    },
  );

  it.each(["nobody", "a b@example.org", "@example.org", "two@at@example.org"])(
    "cannot be created for the address %s",
    async (email) => {
      const team = await makeTeam(service);
      expect(
        await team.call("POST", `/apps/${team.app.id}/invitations`, { email, role: "viewer" }),
      ).toMatchObject({
        status: 400,
        body: { issues: [{ path: "email" }] },
      });
    },
  );
});
