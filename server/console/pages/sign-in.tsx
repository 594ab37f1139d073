import { Alone } from "../components/alone.tsx";
import { type Filled, TextField } from "../components/field.tsx";
import { DoneNotice, Refused } from "../components/notice.tsx";
import { Providers } from "../components/providers.tsx";
import { filledWith } from "../filled.ts";
import { type Reply, show } from "../reply.ts";
import type { Visit } from "../visit.ts";

export const signInPage = async (visit: Visit): Promise<Reply> => showSignIn(visit, visit.query("to"));

/** `to` is where the visitor wanted to go. */
export const showSignIn = (visit: Visit, to: string, form: Filled = filledWith()): Reply =>
  show(<SignIn visit={visit} to={to} form={form} />, form.refusal?.status);

interface SignInProps {
  readonly visit: Visit;
  readonly to: string;
  readonly form: Filled;
}

const SignIn = ({ visit: { deps, links, query }, to, form }: SignInProps) => (
  <Alone links={links} title="Sign in">
    <div class="card stack">
      <h1>Sign in</h1>
      <DoneNotice done={query("done")} />
      <Refused refusal={form.refusal} />
      <form class="stack" method="post" action={links.signIn}>
        <input type="hidden" name="to" value={to} />
        <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
        <TextField
          form={{ ...form, value: () => "" }}
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button class="primary" type="submit">
          Sign in
        </button>
      </form>
      <Providers settings={deps.settings} to={to} />
    </div>
  </Alone>
);
