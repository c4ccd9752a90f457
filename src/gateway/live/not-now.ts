/** Whoever has the documents cannot answer at the moment: nothing is wrong, and asked again it may. */
export class NotNow extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotNow';
  }
}
