import { passkeys } from "../../../src/contract/passkeys.ts";
import { secondFactor } from "../../../src/contract/sign-in-methods.ts";
import type { Filled } from "../../console/forms.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import type { ConnectedIdentity } from "../../console/page-reads.ts";
import { type Reply, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";
import { Ago } from "../../console/timestamp.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import type { IdentityProvider } from "../../settings/settings.ts";
import { startAddress } from "../identity-providers/addresses.ts";
import { ChangePassword, FirstPassword } from "./change-password.tsx";
import type { RefusedFactorForm } from "./factor-form.tsx";
import { SecondFactorLine } from "./second-factor.tsx";

export const signInMethodsPage = (visit: SignedInVisit): Promise<Reply> => showSignInMethods(visit);

/** The forms that were refused: the change of the password, or one of the second factor. */
export interface RefusedMethodForms {
  readonly password?: Filled;
  readonly factor?: RefusedFactorForm;
}

/** The ways to sign in that a person has or can add. */
export async function showSignInMethods(
  visit: SignedInVisit,
  refused: RefusedMethodForms = {},
): Promise<Reply> {
  const { reads, settings, links, now } = visit;
  const [navigation, state, { items }, hasPassword, connected] = await Promise.all([
    navigationOf(visit),
    visit.ask(secondFactor.find),
    visit.ask(passkeys.list),
    reads.hasPassword(),
    reads.connectedIdentities(),
  ]);
  return show(
    <ConsolePage navigation={navigation} title="Sign-in methods" narrow>
      <div class="head">
        <div>
          <h1>Sign-in methods</h1>
          <p>
            Each of these opens your account, with the second factor if it is on. Connect only accounts that
            nobody else can use.
          </p>
        </div>
      </div>
      <ul class="list">
        <li>
          <div class="row spread">
            <b>Password</b>
            <span class="badge">{hasPassword ? "Set" : "None"}</span>
          </div>
          {hasPassword ? (
            <ChangePassword form={refused.password} links={links} />
          ) : (
            <FirstPassword form={refused.password} links={links} hasFactor={state.totp !== null} />
          )}
        </li>
        {settings.identityProviders.map((provider) => (
          <ProviderLine key={provider.id} provider={provider} connected={connected} visit={visit} />
        ))}
        <SecondFactorLine {...{ state, hasPassword, links, now }} passkeys={items} refused={refused.factor} />
      </ul>
    </ConsolePage>,
    (refused.password ?? refused.factor?.form)?.refusal?.status,
  );
}

interface ProviderLineProps {
  readonly provider: IdentityProvider;
  readonly connected: readonly ConnectedIdentity[];
  readonly visit: SignedInVisit;
}

const ProviderLine = ({ provider, connected, visit }: ProviderLineProps) => {
  const identity = connected.find(({ issuer }) => isSame(issuer, provider.issuer));
  return (
    <li>
      <div class="row spread">
        <b>
          <Line text={provider.name} />
        </b>
        {identity ? (
          <span class="badge">Connected</span>
        ) : (
          <a class="button" href={startAddress(visit.settings, provider.id, visit.links.signInMethods)}>
            Connect <span class="unseen">{provider.name}</span>
          </a>
        )}
      </div>
      {identity && (
        <p class="under">
          <span>
            connected <Ago at={identity.createdAt} now={visit.now} />
          </span>
        </p>
      )}
    </li>
  );
};

/** An issuer without a path may end in a slash or not. */
const isSame = (one: string, other: string): boolean => new URL(one).href === new URL(other).href;
