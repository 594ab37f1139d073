import { session } from "../../../src/contract/console/console-session.ts";
import { returnPath } from "../console-path.ts";
import { filledAgain } from "../kit/form/filled-form.ts";
import { goTo, type Reply, reshowForm } from "../reply.ts";
import type { SignedInVisit, Visit } from "../visit.ts";
import { showSignIn } from "./page.tsx";
import { carriedForm } from "./pending-form.ts";
import { showPendingForm } from "./pending-form-page.tsx";

export const signIn = ({ fields, ...visit }: Visit): Promise<Reply> =>
  reshowForm(
    async () => {
      const body = { email: fields.text("email"), password: fields.text("password") };
      await visit.ask(session.create, { body });
      const { consoleUrl } = visit.settings;
      const kept = carriedForm(fields);
      if (kept && returnPath(kept.action, consoleUrl, "") !== "") return showPendingForm(visit.links, kept);
      return goTo(returnPath(fields.text("to"), consoleUrl, visit.links.home));
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
