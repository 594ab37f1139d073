import { session } from "../../../../src/contract/console-session.ts";
import { returnPath } from "../../../console/console-path.ts";
import { filledAgain } from "../../../console/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../../../console/reply.ts";
import type { SignedInVisit, Visit } from "../../../console/visit.ts";
import { signInWith } from "../finish.tsx";
import { carriedForm } from "../pending-form.ts";
import { showSecondFactor } from "../second-factor-page.tsx";
import { showSignIn } from "./console.tsx";
import { showPendingForm } from "./pending-form-page.tsx";

export const signIn = ({ fields, ...visit }: Visit): Promise<Reply> =>
  reshowForm(
    async () => {
      const { links, settings } = visit;
      const kept = carriedForm(fields);
      const done = await signInWith(visit.ask, fields);
      if (done.outcome === "second_factor")
        return showSecondFactor({ ...done, links, action: links.signIn, to: fields.text("to"), kept });
      const { consoleUrl } = settings;
      if (kept && returnPath(kept.action, consoleUrl, "") !== "") return showPendingForm(links, kept);
      return goTo(returnPath(fields.text("to"), consoleUrl, links.home));
    },
    async (refusal) =>
      showSignIn(
        { fields, ...visit },
        { to: fields.text("to"), form: filledAgain(fields, refusal), kept: carriedForm(fields) },
      ),
  );

export async function signOut({ ask, fields, links }: SignedInVisit): Promise<Reply> {
  await ask(session.remove, { idempotencyKey: fields.idempotencyKey });
  return goTo(links.signIn, "signed-out");
}
