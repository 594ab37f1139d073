import type { Role } from "../../../../src/contract/endpoint.ts";
import type { Answer } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";

/** An app with an owner, and functions for its members and invitations. */
export type Team = Awaited<ReturnType<typeof makeTeam>>;

export async function makeTeam(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const headers = await service.signIn(owner);
  const as = (who: Record<string, string>) => (method: string, path: string, body?: unknown) =>
    service.request(method, `/api/v1/console${path}`, { headers: who, body });
  const call = as(headers);
  const at = `/apps/${app.id}`;
  return {
    owner,
    app,
    /** The path of the app. */
    at,
    call,
    as,
    /** A new member with the role, signed in. */
    async join(role: Role) {
      const user = await service.makeMember(app.id, role);
      const who = await service.signIn(user);
      return { ...user, headers: who, call: as(who) };
    },
    /** A new account that is no member, signed in. */
    async newcomer(email?: string) {
      const user = await service.makeUser(email);
      const who = await service.signIn(user);
      return { ...user, headers: who, call: as(who) };
    },
    async invite(email: string, role: Role = "maintainer"): Promise<Answer & { readonly token: string }> {
      const made = await call("POST", `${at}/invitations`, { email, role });
      // A server that sends mail returns no link.
      const url: unknown = Object(made.body).url;
      return { ...made, token: typeof url === "string" ? (url.split("/").at(-1) ?? "") : "" };
    },
  };
}
