import { consoleSessions } from "../../../src/contract/console-sessions.ts";
import { devices } from "../../../src/contract/devices.ts";
import { secondFactor } from "../../../src/contract/sign-in-methods.ts";
import { tokens } from "../../../src/contract/tokens.ts";
import type { Filled } from "../../console/forms.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import { Notice } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import { Line } from "../../console/text.tsx";
import type { SignedInVisit } from "../../console/visit.ts";
import { noRecoveryCodes } from "../sign-in-methods/second-factor.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { OtherAccess } from "./other-access.tsx";
import { Sessions } from "./sessions.tsx";

/** Where a person is signed in, and what else has access in their name. */
export const accountPage = (visit: SignedInVisit): Promise<Reply> => showAccount(visit);

export async function showAccount(visit: SignedInVisit, removal?: Filled): Promise<Reply> {
  const { links, now, ask, reads } = visit;
  const [navigation, { items: sessions }, { items: signedIn }, { items: allTokens }] = await Promise.all([
    navigationOf(visit),
    ask(consoleSessions.list),
    ask(devices.list),
    ask(tokens.list),
  ]);
  const [{ totp, recoveryCodesLeft }, mustVerify, hasPassword] = await Promise.all([
    ask(secondFactor.find),
    reads.mustVerify(),
    reads.hasPassword(),
  ]);
  return show(
    <ConsolePage navigation={navigation} title="Your account" narrow>
      <div class="head">
        <div>
          <h1>Your account</h1>
          <p>
            <Line text={navigation.email} />. How you sign in, with which password, is under{" "}
            <a href={links.signInMethods}>Sign-in methods</a>.
          </p>
        </div>
      </div>
      <div class="stack wide">
        {mustVerify && (
          <Notice>
            This address is not verified. Until then you cannot accept invitations, and get no mail about your
            account. <a href={links.recover}>Set a new password by mail</a> to verify it. This also ends your
            tokens, devices and connected sign-in methods.
          </Notice>
        )}
        {totp && recoveryCodesLeft === 0 && (
          <Notice>
            {noRecoveryCodes} Make new ones under <a href={links.signInMethods}>Sign-in methods</a>.
          </Notice>
        )}
        <Sessions sessions={sessions} links={links} now={now} />
        <OtherAccess
          title="Devices"
          about="Phones and terminals with which you test apps."
          things={signedIn.map((device) => ({ ...device, label: device.name }))}
          page={{ at: links.devices, name: "Devices" }}
          now={now}
        />
        <OtherAccess
          title="Connections"
          about="Agents that you allowed to read your feedback."
          things={allTokens.filter(({ kind }) => kind === "oauth")}
          page={{ at: links.tokens, name: "Tokens" }}
          now={now}
        />
        <DeleteAccount form={removal} {...{ links, hasPassword }} hasFactor={totp !== null} />
      </div>
    </ConsolePage>,
    removal?.refusal?.status,
  );
}
