import { maintainerScopes, tokenScopes } from "../../../../src/contract/endpoint.ts";
import type { Service } from "../../service/service.ts";
import { connect } from "../../sign-in/oauth.ts";
import type { OwnerWithOneOfEach } from "../owner-with-one-of-each.ts";
import { makeTeam } from "./team.ts";

/**
 * One valid credential of each kind other than a console session, each of an app's owner or for the app, so that only
 * its kind can be a reason to refuse it.
 */
export async function makeAllCredentials(service: Service, { owner, app, ...world }: OwnerWithOneOfEach) {
  const { access, refreshToken } = await connect(service, world.headers);
  const invited = await world.call("POST", `/apps/${app.id}/invitations`, {
    email: `all-${owner.email}`,
    role: "owner",
  });
  const team = await makeTeam(service);
  const cycle = await service.makeCycle(await service.makeListing(app));
  return {
    "app key": app.key,
    "agent token": await service.makeToken(owner, "agent", { scopes: tokenScopes }),
    "maintainer token": await service.makeToken(owner, "maintainer", { scopes: maintainerScopes }),
    "device token": (await service.makeDevice(owner)).authorization.replace("Bearer ", ""),
    "test key": await service.giveSlot(cycle, cycle.slotIds[0] ?? "", owner),
    "access token of a connection": access,
    "refresh token of a connection": refreshToken,
    "sender's page token": world.senderPath.split("/").at(-1) ?? "",
    "invitation token": invited.field("url").split("/").at(-1) ?? "",
    "invitation token of another app": (await team.invite(owner.email, "owner")).token,
  };
}

/** The ways to send a secret: as a token, as a key, and as the cookie of a console session. */
export const waysToShow = (secret: string, origin: string): readonly Record<string, string>[] => [
  { authorization: `Bearer ${secret}`, origin },
  { "x-api-key": secret, origin },
  { cookie: `innkeep=${secret}`, origin },
];
