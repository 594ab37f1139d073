import { expect } from "vitest";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";
import { bearer, type OwnerWithOneOfEach } from "./owner-with-one-of-each.ts";

/** A new app of the owner, with the actions of a job and a person on its release notes. */
export type ChangelogCallers = Awaited<ReturnType<typeof makeChangelogCallers>>;

export async function makeChangelogCallers(service: Service, world: OwnerWithOneOfEach) {
  const app = await service.makeApp(world.owner);
  /** Of a job that may write only release notes. */
  const job: Record<string, string> = bearer(
    await service.makeToken(world.owner, "maintainer", { scopes: ["changelog:write"] }),
  );
  const path = `/api/v1/console/apps/${app.id}/changelog`;
  const now = () => service.clock.now().toISOString();
  return {
    app,
    job,
    path,
    now,
    put: (version: string, body: object = {}, headers: Record<string, string> = {}) =>
      service.request("PUT", `${path}/by-version/${encodeURIComponent(version)}`, {
        headers: { ...job, ...headers },
        body,
      }),
    post: (body: object, headers = job) =>
      service.request("POST", path, { headers, body: { title: "Notes", ...body } }),
    /** As a person in the console. */
    edit: (id: string, body: object) => world.call("PATCH", `/changelog/${id}`, body),
    async versions(): Promise<string[]> {
      const { body } = await service.request("GET", path, { headers: job });
      return Object(body).items.map(({ version }: { version: string }) => version);
    },
    /** Sends a request that publishes an entry, and checks that its publication time is the server's time. */
    async publishing(send: () => Promise<Answer>): Promise<Answer> {
      const before = now();
      const answer = await send();
      const publishedAt = answer.field("publishedAt");
      expect([before <= publishedAt, publishedAt <= now()]).toEqual([true, true]);
      return answer;
    },
  };
}
