import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";

const day = 86_400_000;

describe("the link of an invitation", () => {
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
  const refused = { status: 404, body: { code: "not_found" } };

  /** Every kind of invalid link. The answers to all of them must be the same. */
  const ways: [string, (world: Awaited<ReturnType<typeof invited>>) => Promise<void>][] = [
    [
      "a second time",
      async ({ accept, person, team }) => {
        await accept();
        await team.call("DELETE", `/apps/${team.app.id}/members/${person.id}`);
      },
    ],
    ["after seven days", async () => service.clock.advance(7 * day)],
    [
      "after it was withdrawn",
      async ({ team, made }) => {
        await team.call("DELETE", `/apps/${team.app.id}/invitations/${made.field("id")}`);
      },
    ],
    [
      "after a newer one to the same address",
      async ({ team, email }) => {
        await team.invite(email, "viewer");
      },
    ],
    [
      "after its owner was lowered",
      async ({ team }) => {
        const other = await team.join("owner");
        await other.call("PATCH", `/apps/${team.app.id}/members/${team.owner.id}`, { role: "maintainer" });
      },
    ],
    [
      "after its owner was removed",
      async ({ team }) => {
        const other = await team.join("owner");
        await other.call("DELETE", `/apps/${team.app.id}/members/${team.owner.id}`);
      },
    ],
    [
      "after the app was deleted",
      async ({ team }) => {
        await team.call("DELETE", team.at);
      },
    ],
  ];

  it.each(ways)("gives no membership %s", async (_, happens) => {
    const world = await invited();
    await happens(world);
    const { person, team } = world;
    const headers = await service.signIn(person);
    const call = team.as(headers);
    const unknown = await call("POST", "/invitations/unknown/accept");
    const answers = [
      await call("POST", `/invitations/${world.made.token}/accept`),
      await call("GET", `/invitations/${world.made.token}`),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject(refused);
      expect(answer.text).toBe(unknown.text);
    }
    expect((await call("GET", team.at)).status).toBe(404);
  });

  it("gives an account with another address no membership and no data, and still works for the invited person", async () => {
    const { team, made, accept } = await invited();
    const thief = await team.newcomer();
    const answers: Answer[] = [
      await thief.call("GET", `/invitations/${made.token}`),
      await thief.call("POST", `/invitations/${made.token}/accept`),
    ];
    const unknown = await thief.call("GET", "/invitations/unknown");
    for (const answer of answers) {
      expect(answer).toMatchObject(refused);
      expect(answer.text).toBe(unknown.text);
    }
    expect((await thief.call("GET", team.at)).status).toBe(404);
    expect((await accept()).status).toBe(200);
  });

  it("creates one membership if two accounts accept at the same time", async () => {
    const { team, person, accept } = await invited();
    const answers = await Promise.all([accept(), accept(), accept(), accept()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(await rolesOf(team)).toMatchObject({ items: [{ role: "owner" }, { userId: person.id }] });
  });

  it("gives no membership to a person who is not signed in, or to a request from another site", async () => {
    const { made, person } = await invited();
    const path = `/api/v1/console/invitations/${made.token}/accept`;
    expect((await service.request("POST", path)).status).toBe(401);
    const headers = { ...person.headers, origin: "https://evil.example" };
    expect((await service.request("POST", path, { headers })).status).toBe(403);
  });

  it("can be created only a limited number of times by one person", async () => {
    const team = await makeTeam(service);
    const { limit } = service.deps.settings.rateLimits.newInvitations;
    const statuses = [];
    for (let sent = 0; sent <= limit; sent += 1) statuses.push((await team.invite(someone())).status);
    expect(statuses.slice(0, limit)).toEqual(Array(limit).fill(201));
    expect(statuses.at(-1)).toBe(429);
  });

  it("can be guessed only a limited number of times with any account", async () => {
    const team = await makeTeam(service);
    const guesser = await team.newcomer();
    const { limit } = service.deps.settings.rateLimits.invitationsByAccount;
    const statuses = new Set<number>();
    for (let tried = 0; tried <= limit; tried += 1)
      statuses.add((await guesser.call("POST", `/invitations/guess${tried}/accept`)).status);
    expect([...statuses]).toEqual([404, 429]);
  });
});
