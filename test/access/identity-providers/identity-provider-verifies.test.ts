import { expect, it, onTestFinished } from "vitest";
import { createBrowserWithCookies } from "../../support/browser/browser-with-cookies.ts";
import { mailsTo } from "../../support/mail/mailed-links.ts";
import { createProviderPeople } from "../../support/sign-in/identity-provider-people.ts";
import { startServiceWithProvider } from "../../support/sign-in/service-with-identity-provider.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";

/** A server that sends mail, so that only verified addresses can accept invitations, and a provider. */
async function startWithInvitation() {
  const provided = await startServiceWithProvider({ settings: { dev: true } });
  onTestFinished(() => provided.stop());
  const { service } = provided;
  const people = createProviderPeople(provided);
  const team = await makeTeam(service);
  return {
    people,
    service,
    /** Invites an address, and accepts in a browser. Returns the status. */
    async join(email: string, browser: ReturnType<typeof createBrowserWithCookies>): Promise<number> {
      await team.invite(email);
      const [mail] = (await mailsTo(service, email)).slice(-1);
      const token = /invitations\/([\w-]+)/.exec(mail?.text ?? "")?.[1];
      const call = team.as({ cookie: `innkeep=${browser.cookie("innkeep") ?? ""}`, origin: service.baseUrl });
      return (await call("POST", `/invitations/${token}/accept`)).status;
    },
  };
}

it("an address that an identity provider has verified is also verified here, so that the account may accept an invitation", async () => {
  const { people, join } = await startWithInvitation();
  const { email } = people.person();
  const browser = createBrowserWithCookies();
  await people.arrive(browser);
  expect(await join(email, browser)).toBe(200);
});

it.each([
  { what: "the address of the account", address: (email: string) => email, status: 200 },
  { what: "another address", address: (email: string) => `other-${email}`, status: 403 },
])("an identity with $what verifies only its own address", async ({ address, status }) => {
  const { people, service, join } = await startWithInvitation();
  const { email, id } = await service.makeUser();
  const { sub, iss } = { ...people.person({ email: address(email) }), iss: issuerOf(service) };
  await service.deps.database.insert("identities", {
    ...{ issuer: iss, subject: sub, user_id: id, created_at: service.clock.now().toISOString() },
  });
  const browser = createBrowserWithCookies();
  await people.arrive(browser);
  expect(await people.signedInAs(browser)).toBe(email);
  expect(await join(email, browser)).toBe(status);
});

const issuerOf = ({ deps }: Awaited<ReturnType<typeof startWithInvitation>>["service"]): string =>
  deps.settings.identityProviders[0]?.issuer ?? "";
