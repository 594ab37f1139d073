/** A setting is wrong or missing. The message names the setting and says what it must be. */
export class SettingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SettingError";
  }
}
