import { filledWith } from "../../console/filled-form.ts";
import type { Filled } from "../../console/forms.tsx";
import { IdempotencyField } from "../../console/idempotency-field.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import { Refused } from "../../console/parts.tsx";
import { type Reply, show } from "../../console/reply.ts";
import type { SignedInVisit } from "../../console/visit.ts";
import { AppFields } from "./app-fields.tsx";

export const newAppPage = (visit: SignedInVisit): Promise<Reply> => showNewApp(visit);

export async function showNewApp(
  visit: SignedInVisit,
  form: Filled = filledWith({ feedbackEnabled: "on", changelogEnabled: "on" }),
): Promise<Reply> {
  const navigation = await navigationOf(visit);
  return show(
    <ConsolePage navigation={navigation} title="New app" narrow>
      <div class="head">
        <div>
          <h1>New app</h1>
          <p>
            A mobile app, a backend or a website that your users give feedback on. You have a file of an app?{" "}
            <a href={navigation.links.importApp}>Import it</a>.
          </p>
        </div>
      </div>
      <form class="card stack" method="post" action={navigation.links.newApp} data-guards>
        <Refused refusal={form.refusal} />
        <IdempotencyField />
        <AppFields form={form} />
        <div class="actions">
          <button class="primary" type="submit">
            Create app
          </button>
        </div>
      </form>
    </ConsolePage>,
    form.refusal?.status,
  );
}
