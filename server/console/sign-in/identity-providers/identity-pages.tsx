import type { ApiError } from "../../../../src/contract/errors.ts";
import { Line } from "../../kit/display/user-text.tsx";
import { BarePage } from "../../kit/layout/bare-page.tsx";
import type { Links } from "../../links.ts";
import { type Reply, show } from "../../reply.ts";

export interface ConnectProps {
  readonly links: Links;
  /** Names of the provider, of the person there, where it tells one, and of their account here. */
  readonly provider: string;
  readonly address: string | undefined;
  readonly account: string;
  /** Where the form is sent, and what it is about. */
  readonly action: string;
  readonly sealed: string;
}

/** Asks before an identity opens an account: a foreign page may have sent the browser to the provider. */
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

/** Why a provider did not open the console. */
export const showIdentityRefusal = (links: Links, error: ApiError): Reply => ({
  status: error.status,
  retryAfterSeconds: error.details.retryAfterSeconds,
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

/** Who has an account goes on to where the provider is connected to it. */
const signInAgain = ({ signIn, signInMethods }: Links, { code }: ApiError): string =>
  code === "email_taken" ? `${signIn}?${new URLSearchParams({ to: signInMethods })}` : signIn;

function titleOf({ code }: ApiError): string {
  if (code === "not_found") return "Nothing here";
  if (code === "busy") return "One moment";
  if (code === "email_taken") return "You have an account already";
  return "That did not work";
}
