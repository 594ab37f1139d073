/** A setting that is wrong or missing. The message names it and says what is wanted. */
export class SettingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SettingError";
  }
}
