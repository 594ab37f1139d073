import { session } from "../../../src/contract/console/session.ts";
import { filledAgain } from "../filled.ts";
import { showSignIn } from "../pages/sign-in.tsx";
import { returnPath } from "../place.ts";
import { goTo, orAgain, type Reply } from "../reply.ts";
import type { SignedInVisit, Visit } from "../visit.ts";

export const signIn = ({ fields, ...visit }: Visit): Promise<Reply> =>
  orAgain(
    async () => {
      const body = { email: fields.text("email"), password: fields.text("password") };
      await visit.ask(session.create, { body });
      return goTo(returnPath(fields.text("to"), visit.deps.settings.consoleUrl, visit.links.home));
    },
    async (refusal) => showSignIn({ fields, ...visit }, fields.text("to"), filledAgain(fields, refusal)),
  );

export async function signOut({ ask, fields, links }: SignedInVisit): Promise<Reply> {
  await ask(session.remove, { once: fields.once });
  return goTo(links.signIn, "signed-out");
}
