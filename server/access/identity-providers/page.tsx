import type { ApiError } from "../../../src/contract/errors.ts";
import { BarePage } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import { type Reply, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";

export interface ConnectProps {
  readonly links: Links;
  /** The name of the provider. */
  readonly provider: string;
  /** The person's e-mail address at the provider; undefined when the provider does not give it. */
  readonly address: string | undefined;
  /** The e-mail address of the account here. */
  readonly account: string;
  /** The address of the form. */
  readonly action: string;
  /** The sealed offer, which the form sends back. */
  readonly sealed: string;
}

/** Asks before an identity is connected, because another site may have sent the browser to the provider. */
export const showConnectPage = (props: ConnectProps): Reply => show(<Offer {...props} />);

const Offer = ({ links, provider, address, account, action, sealed }: ConnectProps) => (
  <BarePage links={links} title={`Connect ${provider}`}>
    <div class="card stack">
      <h1>Connect {provider}?</h1>
      <p>
        A person who can sign in to {provider}
        {address !== undefined && (
          <>
            {" as "}
            <b>
              <Line text={address} />
            </b>
          </>
        )}
        {" will be signed in here as "}
        <b>
          <Line text={account} />
        </b>
        .
      </p>
      <form class="stack" method="post" action={action}>
        <input type="hidden" name="identity" value={sealed} />
        <div class="actions">
          <button class="primary" type="submit">
            Connect
          </button>
          <a class="button" href={links.signInMethods}>
            Cancel
          </a>
        </div>
      </form>
    </div>
  </BarePage>
);

/** Why a sign-in with a provider failed. */
export const showIdentityRefusal = (links: Links, error: ApiError): Reply => ({
  status: error.status,
  document: (
    <BarePage links={links} title="Not signed in">
      <div class="card stack">
        <h1>{titleOf(error)}</h1>
        <p>{error.message}</p>
        <div class="actions">
          <a class="button" href={signInAgain(links, error)}>
            To the sign-in page
          </a>
          <a class="button" href={links.home}>
            To the console
          </a>
        </div>
      </div>
    </BarePage>
  ),
});

/** The sign-in page. A person who has an account then continues to the page that connects the provider. */
const signInAgain = ({ signIn, signInMethods }: Links, { code }: ApiError): string =>
  code === "email_taken" ? `${signIn}?${new URLSearchParams({ to: signInMethods })}` : signIn;

function titleOf({ code }: ApiError): string {
  if (code === "not_found") return "Nothing here";
  if (code === "busy") return "One moment";
  if (code === "email_taken") return "You have an account already";
  return "That did not work";
}
