/** The error for a wrong or missing setting. The message names the setting and says what it must be. */
export class SettingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SettingError";
  }
}
