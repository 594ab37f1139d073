/** What a tool answers instead of doing what it was asked for: a sentence of ours, fit to be read by a model. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refusal";
  }
}
