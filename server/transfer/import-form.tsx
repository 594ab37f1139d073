import type { ApiError } from "../../src/contract/errors.ts";
import { filledWith } from "../console/filled-form.ts";
import { type Filled, TextField } from "../console/forms.tsx";
import { IdempotencyField } from "../console/idempotency-field.tsx";
import { Notice, Refused } from "../console/parts.tsx";
import { Line } from "../console/text.tsx";

interface ImportFormProps {
  readonly action: string;
  readonly form?: Filled | undefined;
}

/** Sends a file that an export wrote. */
export const ImportForm = ({ action, form }: ImportFormProps) => (
  <form class="stack" method="post" action={action} enctype="multipart/form-data">
    <Faults refusal={form?.refusal} />
    <p>
      Import only files that you trust: messages that the file gives to your team count as your team's, and
      agents read them. Nobody becomes a member by an import, and approvals and tests do not continue.
    </p>
    <IdempotencyField />
    <TextField
      form={form ?? filledWith()}
      name="name"
      label="Name"
      hint="Leave it empty for the name in the file."
    />
    <div class="field">
      <label for="field-file">File</label>
      <input type="file" id="field-file" name="file" accept=".ndjson,.tar" required />
    </div>
    <div class="actions">
      <button class="primary" type="submit">
        Import
      </button>
    </div>
  </form>
);

const Faults = ({ refusal }: { readonly refusal: ApiError | undefined }) => {
  const faults = refusal?.details.issues?.filter(({ path }) => path.split(".")[0] === "file") ?? [];
  if (faults.length === 0) return <Refused refusal={refusal} />;
  return (
    <Notice kind="alert">
      <b>Nothing was imported.</b> This is wrong in the file:
      <ul>
        {faults.map(({ message }) => (
          <li key={message}>
            <Line text={message} />
          </li>
        ))}
      </ul>
    </Notice>
  );
};
