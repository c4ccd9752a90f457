export interface Step {
  readonly x: 1;
}
export interface Wanted {
  readonly x: 1;
}
