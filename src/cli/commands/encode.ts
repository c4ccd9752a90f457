import { encodeImages as encode } from '../../pdp/model/images.ts';
import { exit, Failure } from '../failure.ts';
import type { Terminal } from '../terminal/output.ts';

/**
 * The characters of a reference, from host to digest, and that nothing is left open at its end. A comma above
 * all: it would be another image.
 */
const reference = /^[A-Za-z0-9[](?:[\w.:/@+[\]-]*[A-Za-z0-9_])?$/;

export async function encodeImages(terminal: Terminal, images: readonly string[]): Promise<number> {
  const wrong = images.filter((image) => !reference.test(image));
  if (wrong.length > 0) {
    throw new Failure(
      exit.usage,
      `${wrong.map((image) => JSON.stringify(image)).join(', ')}: no image reference`,
      'registry.example/web:1.0 is one; several are several arguments',
    );
  }
  await terminal.out.line(encode(images));
  return exit.ok;
}
