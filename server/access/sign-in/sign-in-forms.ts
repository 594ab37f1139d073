import { accountLinks } from "../../../src/contract/account-links.ts";
import { session } from "../../../src/contract/console-session.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { returnPath } from "../../console/console-path.ts";
import { filledAgain, filledWith } from "../../console/filled-form.ts";
import { goTo, reshowForm, show } from "../../console/reply.ts";
import type { DeviceSignInReply, DeviceSignInVisit } from "./device-visit.ts";
import { signInWith } from "./finish.tsx";
import { SignUpAsked } from "./page/pages.tsx";
import { type EntryProps, isByMail, SignIn, SignUp } from "./page/sign-in-page.tsx";
import { onTo } from "./paths.ts";
import { showSecondFactor } from "./second-factor-page.tsx";

export const signInPage = async (visit: DeviceSignInVisit): Promise<DeviceSignInReply> => ({
  reply: show(SignIn(entryOf(visit, visit.query.get("to") ?? ""))),
});

export async function signIn(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields, ask } = visit;
  const entry = entryOf(visit, fields.text("to"));
  const reply = await reshowForm(
    async () => {
      const done = await signInWith(ask, fields);
      if (done.outcome === "signed_in") return goTo(entry.to);
      const { links, at } = visit;
      return showSecondFactor({ ...done, links, action: at.signIn, to: entry.to });
    },
    async (refusal) => show(SignIn({ ...entry, form: filledAgain(fields, refusal) }), refusal.status),
  );
  return { reply };
}

export async function signUpPage(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  if (!visit.settings.registration) throw new ApiError("not_found");
  return { reply: show(SignUp(entryOf(visit, visit.query.get("to") ?? ""))) };
}

export async function signUp(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { fields, ask } = visit;
  const entry = entryOf(visit, fields.text("to"));
  const reply = await reshowForm(
    async () => {
      const { links, at, settings } = visit;
      const byMail = isByMail(settings);
      const body = byMail ? { email: fields.text("email") } : credentialsOf(visit);
      await ask(accountLinks.signUp, { body });
      return show(SignUpAsked({ links, byMail, signIn: onTo(at.signIn, entry.to) }));
    },
    async (refusal) => show(SignUp({ ...entry, form: filledAgain(fields, refusal) }), refusal.status),
  );
  return { reply };
}

/** Ends the console session of this browser, so that the person can sign in with another account. */
export async function switchAccount(visit: DeviceSignInVisit): Promise<DeviceSignInReply> {
  const { to } = entryOf(visit, visit.fields.text("to"));
  const caller = await visit.caller();
  if (caller) await visit.askAs(caller)(session.remove, { idempotencyKey: visit.fields.idempotencyKey });
  return { reply: goTo(onTo(visit.at.signIn, to)) };
}

function entryOf(visit: DeviceSignInVisit, to: string): EntryProps {
  const { settings, links } = visit;
  return { visit, to: returnPath(to, settings.baseUrl, links.home), form: filledWith() };
}

const credentialsOf = ({ fields }: DeviceSignInVisit) => ({
  email: fields.text("email"),
  password: fields.text("password"),
});
