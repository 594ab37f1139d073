/** A tool does not do what it was asked for. The message is ours and safe for a model. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
