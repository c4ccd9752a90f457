import type { Output } from './output.ts';

export type Paint = (text: string) => string;

export interface Palette {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

function sgr(on: number, off: number): Paint {
  return (text) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`);
}

const plain: Paint = (text) => text;
const colours: Palette = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
};
const none: Palette = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };

export function palette(output: Output): Palette {
  return output.colour ? colours : none;
}

export function effectPaint(effect: string, paint: Palette): string {
  return effect === 'allow' ? paint.green(effect) : paint.red(effect);
}
