import { encodeImages as encode } from '../../policy/images.ts';
import { exit } from '../failure.ts';
import type { Terminal } from '../terminal/output.ts';

export async function encodeImages(terminal: Terminal, images: readonly string[]): Promise<number> {
  await terminal.out.line(encode(images));
  return exit.ok;
}
