import { Tick } from "./choices.tsx";
import { type Filled, TextField } from "./field.tsx";

/** What can be set of an app. */
export const AppFields = ({ form }: { readonly form: Filled }) => (
  <>
    <TextField form={form} name="name" label="Name" required />
    <div>
      <Tick
        form={form}
        name="feedbackEnabled"
        label="Take feedback"
        hint="Off, reports are refused and the app is told so."
      />
      <Tick
        form={form}
        name="changelogEnabled"
        label="Show the changelog"
        hint="Off, apps cannot read the release notes."
      />
    </div>
    <TextField
      form={form}
      name="chatWebhookUrl"
      label="Chat webhook"
      type="url"
      placeholder="https://"
      hint="New proposals are told to this incoming webhook of Slack, Mattermost, Discord (/slack) or Rocket.Chat. Treat the address as a secret."
    />
    <TextField
      form={form}
      name="githubRepository"
      label="GitHub repository"
      placeholder="owner/name"
      hint="Where the work on this app is done."
    />
  </>
);
