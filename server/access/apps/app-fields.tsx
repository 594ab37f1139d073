import { Tick } from "../../console/choices.tsx";
import { type Filled, TextField } from "../../console/forms.tsx";

/** The settings of an app. */
export const AppFields = ({ form }: { readonly form: Filled }) => (
  <>
    <TextField form={form} name="name" label="Name" required />
    <div>
      <Tick
        form={form}
        name="feedbackEnabled"
        label="Accept feedback"
        hint="When this is off, reports are refused with an error."
      />
      <Tick
        form={form}
        name="changelogEnabled"
        label="Show the changelog"
        hint="When this is off, apps cannot read the release notes."
      />
      <Tick
        form={form}
        name="senderPages"
        label="A page for each sender"
        hint="With the link in the answer to a report, and in mails, its sender reads your replies and answers. When this is off, the links do not work."
      />
    </div>
    <TextField
      form={form}
      name="chatWebhookUrl"
      label="Chat webhook"
      type="url"
      placeholder="https://"
      hint="The address of an incoming webhook of Slack, Mattermost, Discord (/slack) or Rocket.Chat. Each new proposal is posted there. Treat the address as a secret."
    />
    <TextField
      form={form}
      name="githubRepository"
      label="GitHub repository"
      placeholder="owner/name"
      hint="Where the work on this app is done."
    />
    <TextField
      form={form}
      name="approvalHours"
      label="Hours for which an approval is valid"
      type="number"
      hint="An approved proposal that no agent has claimed by then counts as rejected. Empty: approvals do not expire."
    />
    <TextField
      form={form}
      name="retentionDays"
      label="Days for which resolved threads are kept"
      type="number"
      hint="A resolved thread is deleted with its files after this number of days without activity. Empty: threads are kept."
    />
  </>
);
