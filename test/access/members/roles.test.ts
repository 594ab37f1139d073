import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Endpoint,
  type Group,
  isMutation,
  maintainerScopes,
  needsRole,
  type Role,
  roles,
  suffices,
  tokenScopes,
} from "../../../src/contract/endpoint.ts";
import { contract } from "../../../src/contract/index.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { bodies, pathIn } from "../../support/worlds/members/console-requests.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

interface Named {
  readonly name: string;
  readonly endpoint: Endpoint;
}

const groups: [string, Group][] = Object.entries(contract);
const endpoints: Named[] = groups.flatMap(([group, members]) =>
  Object.entries(members).map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint })),
);
const ofPeople = endpoints.filter(({ endpoint: { auth } }) =>
  ["console", "session", "agentToken"].includes(auth),
);
const ofApps = ofPeople.filter(({ endpoint }) => needsRole(endpoint));
/**
 * The endpoints for one object. Those that delete come last, and the one that deletes the app is the very last, so that
 * the others find their objects.
 */
const aboutOne = ofApps
  .filter(({ endpoint }) => endpoint.path.includes("/:"))
  .sort((a, b) => orderOf(a) - orderOf(b));
function orderOf({ name, endpoint }: Named): number {
  if (name === "apps.remove") return 4;
  if (name === "consoleFaqs.replace") return 3;
  return endpoint.method === "DELETE" ? 2 : 1;
}
/** A report needs the id of a claim. */
const needsMore = [
  ...["agent.reportProgress", "agent.reportOutcome"],
  // They need an earlier version of the text.
  ...["consoleFaqs.restore", "consoleChangelog.restore"],
  // It needs another thread.
  "threads.merge",
  // They need a change or a view of the same person first.
  ...["bulk.undo", "views.update", "views.remove"],
];

const kinds = ["session", "maintainer token", "agent token"] as const;
type Kind = (typeof kinds)[number];
const accepts: Record<Kind, readonly string[]> = {
  session: ["console", "session"],
  "maintainer token": ["console"],
  "agent token": ["agentToken"],
};

describe("the API of an app", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  /** Creates new test data, and a person with the role and a credential of the kind. */
  const memberOf = async (role: Role, kind: Kind) => {
    const world = await makeOwnerWithOneOfEach(service);
    return { world, headers: await credential(await service.makeMember(world.app.id, role), kind) };
  };
  const credential = async (user: { id: string }, kind: Kind): Promise<Record<string, string>> => {
    if (kind === "session") return service.signIn(user);
    const scopes = kind === "agent token" ? tokenScopes : maintainerScopes;
    return bearer(await service.makeToken(user, kind === "agent token" ? "agent" : "maintainer", { scopes }));
  };
  const call = (world: OwnerWithOneOfEach, { name, endpoint }: Named, headers: Record<string, string>) => {
    const known: Record<string, unknown> = { ...bodies, ...bodiesIn(world) };
    return service.request(endpoint.method, pathIn(world, endpoint), {
      headers: { ...headers, "if-match": "*" },
      body: known[name] ?? (endpoint.body ? {} : undefined),
    });
  };
  const state = async (world: OwnerWithOneOfEach) => {
    const paths = ["", "/members", "/invitations", "/feedback", "/keys", "/faqs", "/changelog", "/listings"];
    const answers = [];
    for (const path of paths) answers.push((await world.call("GET", `/apps/${world.app.id}${path}`)).text);
    answers.push((await world.call("GET", `/feedback/${world.threadId}`)).text);
    answers.push((await world.call("GET", `/cycles/${world.cycleId}`)).text);
    return answers;
  };

  describe.each(roles.flatMap((role) => kinds.map((kind) => ({ role, kind }))))(
    "for a person with the role $role who uses a $kind",
    ({ role, kind }) => {
      let member: Awaited<ReturnType<typeof memberOf>>;
      let before: readonly string[];
      beforeAll(async () => {
        member = await memberOf(role, kind);
        before = await state(member.world);
      });
      const offered = aboutOne.filter(({ endpoint: { auth } }) => accepts[kind].includes(auth));
      // Members who are not owners can remove only themselves.
      const allows = ({ name, endpoint }: Named) =>
        suffices(role, name === "members.remove" ? "owner" : leastRole(endpoint));
      const refused = offered.filter((one) => !allows(one));
      // An owner may do everything that a maintainer may, so only the endpoints for owners are tested.
      const allowed = offered.filter(
        (one) =>
          allows(one) &&
          !needsMore.includes(one.name) &&
          (role !== "owner" || leastRole(one.endpoint) === "owner"),
      );

      if (refused.length > 0) {
        it.each(refused)("refuses $name", async (one) => {
          const answer = await call(member.world, one, member.headers);
          const expected = kind === "agent token" ? [404, "not_found"] : [403, "forbidden"];
          expect([answer.status, answer.field("code")]).toEqual(expected);
        });

        it("changes nothing if it refuses a request", async () => {
          expect(await state(member.world)).toEqual(before);
        });
      }

      if (allowed.length > 0) {
        it.each(allowed)("allows $name", async (one) => {
          const answer = await call(member.world, one, member.headers);
          expect(["sign_in_required", "invalid_token", "forbidden", "not_found"]).not.toContain(
            codeOf(answer),
          );
          if (!isMutation(one.endpoint)) expect(answer.status).toBe(200);
        });
      }
    },
  );

  it.each(["maintainer", "viewer"] as const)(
    "does not show a %s the lists that only owners can read",
    async (role) => {
      const world = await makeOwnerWithOneOfEach(service);
      const user = await service.makeMember(world.app.id, role);
      for (const kind of kinds) {
        const headers = await credential(user, kind);
        const lists = ofPeople.filter(
          ({ name, endpoint: { auth, method, path, role: needed } }) =>
            method === "GET" &&
            !path.includes("/:") &&
            needed !== "viewer" &&
            accepts[kind].includes(auth) &&
            // It lists the apps of which the person is a member, whatever the role.
            name !== "notices.read",
        );
        for (const one of lists) {
          const { status, text } = await call(world, one, headers);
          expect([one.name, status]).toEqual([one.name, 200]);
          for (const id of [
            world.app.id,
            world.threadId,
            world.runId,
            world.keyId,
            world.tokenId,
            world.deviceId,
          ])
            expect(text).not.toContain(id);
        }
      }
    },
  );

  it("shows each member the app with the member's role", async () => {
    const { app } = await makeOwnerWithOneOfEach(service);
    for (const role of ["maintainer", "viewer"] as const) {
      const headers = await service.signIn(await service.makeMember(app.id, role));
      const listed = await service.request("GET", "/api/v1/console/apps", { headers });
      expect(listed.body).toMatchObject({ items: [{ id: app.id, role }] });
    }
  });
});

const leastRole = ({ role = "owner" }: Endpoint): Role => (role === "account" ? "owner" : role);

const codeOf = ({ status, field }: Answer): string => (status < 400 ? "" : field("code"));

const bodiesIn = ({ runId, owner }: OwnerWithOneOfEach): Record<string, unknown> => ({
  "agent.propose": { summary: "Mend it", plan: "1. Mend it" },
  "agent.claimRun": { worker: "w" },
  "agent.reportProgress": { claimId: runId, text: "Half." },
  "agent.reportOutcome": { claimId: runId, status: "succeeded", summary: "Done." },
  "slots.assign": { email: owner.email },
});
