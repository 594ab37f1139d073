import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";

describe("saved replies", () => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService();
    team = await makeTeam(service);
  });
  afterAll(() => service.stop());

  const path = () => `/apps/${team.app.id}/saved-replies`;
  const save = (body: object) => team.call("POST", path(), body);
  const all = async () => Object((await team.call("GET", `${team.at}/saved-replies`)).body).items;

  it("can be created, listed by title, changed and deleted", async () => {
    const thanks = await save({ title: "Thanks", body: "Thank you, {name}!" });
    expect(thanks).toMatchObject({ status: 201, body: { title: "Thanks", body: "Thank you, {name}!" } });
    await save({ title: "Asked", body: "Which version of {app}?" });
    expect((await all()).map(({ title }: { title: string }) => title)).toEqual(["Asked", "Thanks"]);
    const own = `/saved-replies/${thanks.field("id")}`;
    const changed = await team.call("PATCH", own, { body: "Thanks. {statusUrl}" });
    expect(changed).toMatchObject({ status: 200, body: { title: "Thanks", body: "Thanks. {statusUrl}" } });
    expect((await team.call("DELETE", own)).status).toBe(204);
    expect(await all()).toMatchObject([{ title: "Asked" }]);
  });

  it.each(["{email}", "{Name}", "{statusurl}", "{name} {x1}"])(
    "are refused with the unknown placeholder %s",
    async (body) => {
      expect(await save({ title: "Wrong", body })).toMatchObject({
        status: 400,
        body: {
          issues: [
            { path: "body", message: "must not have placeholders other than {name}, {app}, {statusUrl}" },
          ],
        },
      });
    },
  );

  it.each(["{}", "{ name }", "a { b: 1 }", "{1}"])("can contain the braces %s", async (body) => {
    expect((await save({ title: "Braces", body })).status).toBe(201);
  });

  it("can be read by viewers, who cannot change them", async () => {
    const id = (await save({ title: "Read", body: "Read me." })).field("id");
    const viewer = await team.join("viewer");
    expect((await viewer.call("GET", `${team.at}/saved-replies`)).text).toContain("Read me.");
    const refused = [
      await viewer.call("POST", `${team.at}/saved-replies`, { title: "x", body: "y" }),
      await viewer.call("PATCH", `/saved-replies/${id}`, { title: "x" }),
      await viewer.call("DELETE", `/saved-replies/${id}`),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});
