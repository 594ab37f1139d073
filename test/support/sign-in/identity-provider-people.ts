import {
  type BrowserWithCookies,
  createBrowserWithCookies,
  type Stop,
} from "../browser/browser-with-cookies.ts";
import type { Person } from "./identity-provider.ts";
import { makeAccount } from "./password-accounts.ts";
import type { ServiceWithProvider } from "./service-with-identity-provider.ts";

/** The people who sign in with the provider of a service, and their actions. */
export function createProviderPeople({ service, provider, start }: ServiceWithProvider) {
  let count = 0;
  return {
    /** A new person. From now on the provider signs in as this person. */
    person(traits: Partial<Person> = {}) {
      count += 1;
      const email = `p${count}@example.org`;
      const somebody = { sub: `sub-${count}`, email, email_verified: true, ...traits };
      provider.signsIn(somebody);
      return somebody;
    },
    /** Signs in with the provider. Returns the page at the end. */
    arrive: (browser: BrowserWithCookies, to?: string): Promise<Stop> => browser.go(start(to)),
    /** The address of the signed-in person; undefined without one. */
    async signedInAs(browser: BrowserWithCookies): Promise<string | undefined> {
      const headers = { cookie: `innkeep=${browser.cookie("innkeep") ?? ""}` };
      const answer = await service.request("GET", "/api/v1/console/me", { headers });
      return answer.status === 401 ? undefined : answer.field("user.email");
    },
    /** The browser of a person who has signed in with a password. */
    async owner() {
      const account = await makeAccount(service);
      const { cookie } = await service.signIn(account);
      return { ...account, browser: createBrowserWithCookies({ innkeep: cookie.slice("innkeep=".length) }) };
    },
    /** Confirms on the page that asks whether to connect. */
    confirm(browser: BrowserWithCookies, { text }: Stop): Promise<Stop> {
      const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1] ?? "";
      return browser.send(service.baseUrl + action, { identity: identityOf(text) });
    },
    accounts: (email: string) =>
      service.deps.database.all<{ id: string }>("SELECT id FROM users WHERE email = ?", email),
  };
}

/** The encrypted value in the form of the page that asks whether to connect. */
export const identityOf = (page: string): string => /name="identity" value="([^"]*)"/.exec(page)?.[1] ?? "";
