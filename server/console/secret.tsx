export interface SecretProps {
  readonly label: string;
  readonly secret: string;
}

/** A key or token. It is shown only this once. */
export const Secret = ({ label, secret }: SecretProps) => (
  <div class="field">
    <label for="secret">{label}</label>
    <div class="secret">
      <input id="secret" type="text" value={secret} readOnly autocomplete="off" spellcheck={false} />
      <button type="button" data-copies="secret" hidden>
        Copy
      </button>
    </div>
    <p class="hint">
      Copy it now and keep it in a safe place. You cannot see it again: if you lose it, make a new one.
    </p>
  </div>
);
