export interface SecretProps {
  readonly label: string;
  readonly secret: string;
}

/** A key or token, shown this once. */
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
      Copy it now and keep it where secrets belong. It is not stored in a readable form: if it is lost, make
      another.
    </p>
  </div>
);
